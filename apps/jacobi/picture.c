/* picture.c - temperatures from a PNG and back to one, by libpng's simple interface. */
// SPDX-License-Identifier: BSD-3-Clause
#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHADES = 256 };

/* The heat map goes through these colours, at equal distances. */
static const unsigned char anchors[][3] = {
    { 4, 4, 20 },    { 38, 14, 92 },   { 104, 22, 130 }, { 176, 38, 104 },
    { 230, 76, 54 }, { 250, 144, 22 }, { 252, 214, 88 }, { 255, 255, 244 },
};

static int fail(char why[PICTURE_WHY], const char *text)
{
    snprintf(why, PICTURE_WHY, "%s", text);
    return -1;
}

int picture_read(const char *path, struct picture *pic, char why[PICTURE_WHY])
{
    png_image png = { .version = PNG_IMAGE_VERSION };
    const png_color black = { 0, 0, 0 };

    if (!png_image_begin_read_from_file(&png, path))
        return fail(why, png.message);
    png.format = PNG_FORMAT_GRAY;
    size_t n = (size_t)png.width * png.height;
    unsigned char *grey = malloc(n);
    float *cells = malloc(n * sizeof(*cells));
    int err = 0;
    if (!grey || !cells)
        err = fail(why, "not enough memory for the picture");
    else if (!png_image_finish_read(&png, &black, grey, 0, NULL))
        err = fail(why, png.message);
    for (size_t i = 0; !err && i < n; i++)
        cells[i] = (float)grey[i] / 255.0f;
    png_image_free(&png);
    free(grey);
    if (err)
        free(cells);
    else
        *pic = (struct picture){ (int)png.width, (int)png.height, cells };
    return err;
}

static void make_shades(png_color shades[SHADES])
{
    const int spans = (int)(sizeof(anchors) / sizeof(anchors[0])) - 1;

    for (int i = 0; i < SHADES; i++) {
        float place = (float)i / (SHADES - 1) * (float)spans;
        int span = i == SHADES - 1 ? spans - 1 : (int)place;
        float part = place - (float)span;
        unsigned char rgb[3];
        for (int c = 0; c < 3; c++)
            rgb[c] = (unsigned char)lrintf((float)anchors[span][c] * (1.0f - part) +
                                           (float)anchors[span + 1][c] * part);
        shades[i] = (png_color){ rgb[0], rgb[1], rgb[2] };
    }
}

static void shade(const struct picture *pic, unsigned char *indices)
{
    float hottest = 0.0f;

    for (size_t i = 0; i < picture_size(pic); i++)
        hottest = fmaxf(hottest, pic->cells[i]);
    float scale = hottest > 0.0f ? (SHADES - 1) / hottest : 0.0f;
    for (size_t i = 0; i < picture_size(pic); i++)
        indices[i] = (unsigned char)lrintf(pic->cells[i] * scale);
}

int picture_write(const char *path, const struct picture *pic, char why[PICTURE_WHY])
{
    png_color shades[SHADES];
    png_image png = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)pic->width,
        .height = (png_uint_32)pic->height,
        .format = PNG_FORMAT_RGB_COLORMAP,
        .colormap_entries = SHADES,
    };
    unsigned char *indices = malloc(picture_size(pic));

    if (!indices)
        return fail(why, "not enough memory for the picture");
    make_shades(shades);
    shade(pic, indices);
    int err = 0;
    if (!png_image_write_to_file(&png, path, 0, indices, 0, shades))
        err = fail(why, png.message);
    free(indices);
    return err;
}
