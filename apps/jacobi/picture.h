/* picture.h - temperatures from a PNG and back to one.
 *
 * A temperature is 0 where the picture is black and 1 where it is white. Cells
 * are stored by rows, from the top. Both functions return 0, or -1 with the
 * reason in `why`.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef JACOBI_PICTURE_H
#define JACOBI_PICTURE_H

#include <stddef.h>

enum { PICTURE_WHY = 96 };

struct picture {
    int width;
    int height;
    float *cells;
};

/* Colours become their luminance, transparent places are cold. On success the
 * caller frees pic->cells. */
int picture_read(const char *path, struct picture *pic, char why[PICTURE_WHY]);

/* The hottest cell is white and 0 is black, over blue, violet, red and yellow. */
int picture_write(const char *path, const struct picture *pic, char why[PICTURE_WHY]);

static inline size_t picture_size(const struct picture *pic)
{
    return (size_t)pic->width * (size_t)pic->height;
}

#endif /* JACOBI_PICTURE_H */
