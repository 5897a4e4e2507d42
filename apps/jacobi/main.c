/* main.c - the demo: reads a picture, lets its heat spread on all PEs, checks, writes.
 *
 * PE 0 alone reads, checks and writes. What all PEs find wrong they leave by the
 * usual way; what only PE 0 finds while the others wait for it ends the job.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi.h"
#include "options.h"
#include "picture.h"

#include <errno.h>
#include <nvshmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPORTS = 20, LINES = 5 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((format(printf, 1, 2))) static int fail(const char *fmt, ...)
{
    va_list args;

    if (nvshmem_my_pe() != 0)
        return 1;
    va_start(args, fmt);
    fputs("jacobi: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return 1;
}

/* Only on PE 0, which the others wait for. */
_Noreturn static void end_all(void)
{
    nvshmem_global_exit(1);
    exit(1);
}

/* Only on PE 0: the picture, and a copy for the serial run unless that is not wanted. */
static float *read_picture(const struct options *opt, struct picture *pic)
{
    char why[PICTURE_WHY];
    float *start = NULL;

    if (picture_read(opt->input, pic, why)) {
        fail("%s: %s; -i names the picture to start from", opt->input, why);
        end_all();
    }
    if (opt->check) {
        size_t bytes = picture_size(pic) * sizeof(*start);
        start = malloc(bytes);
        if (!start) {
            fail("not enough memory for the check; --no-check leaves it out");
            end_all();
        }
        memcpy(start, pic->cells, bytes);
    }
    printf("heat       %s, %d x %d cells, %d step%s\n", opt->input, pic->width, pic->height,
           opt->steps, opt->steps == 1 ? "" : "s");
    fflush(stdout);
    return start;
}

/* Tells all PEs the size of the picture that PE 0 has read. */
static int share_size(struct picture *pic)
{
    int *size = nvshmem_malloc(4 * sizeof(*size));

    if (!size)
        return fail("the symmetric heap has no room");
    size[0] = pic->width;
    size[1] = pic->height;
    nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, size + 2, size, 2, 0);
    pic->width = size[2];
    pic->height = size[3];
    nvshmem_free(size);
    return 0;
}

static void show_progress(int step, int steps, int report, float change)
{
    static const char bar[] = "####################";
    int done = (int)((long long)step * (int)(sizeof(bar) - 1) / steps);

    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r[%-20.*s] step %d of %d, largest change %.6f%s", done, bar, step, steps,
                (double)change, step == steps ? "\n" : "");
    else if (step == steps || report % (REPORTS / LINES) == 0)
        fprintf(stderr, "step %d of %d, largest change %.6f\n", step, steps, (double)change);
}

/* The seconds that the steps took, the progress reports included. */
static double run_steps(struct jacobi *plate, int steps)
{
    int every = steps / REPORTS ? steps / REPORTS : 1;

    nvshmem_barrier_all();
    double start = now();
    for (int step = 1; step <= steps; step++) {
        jacobi_step(plate);
        if (step % every && step != steps)
            continue;
        float change = jacobi_change(plate);
        if (nvshmem_my_pe() == 0)
            show_progress(step, steps, step / every, change);
    }
    nvshmem_barrier_all();
    return now() - start;
}

static void show_speed(const char *who, const struct picture *pic, int steps, double seconds)
{
    double updates = (double)(pic->width - 2) * (pic->height - 2) * steps;

    /* A cell is read once and written once; its neighbours come from the cache. */
    printf("%-10s %.3f s, %.0f Mcells/s, %.1f GB/s\n", who, seconds, updates / seconds * 1e-6,
           2 * sizeof(float) * updates / seconds * 1e-9);
}

/* Only on PE 0; takes `start`, the cells of the beginning, to their end. */
static int check(const struct picture *pic, float *start, int steps)
{
    double begin = now();
    size_t wrong = 0, first = 0, n = picture_size(pic), width = (size_t)pic->width;

    if (jacobi_serial(start, pic->width, pic->height, steps))
        return fail("not enough memory for the serial run; --no-check leaves it out");
    show_speed("1 alone", pic, steps, now() - begin);
    for (size_t i = n; i-- > 0;) {
        if (memcmp(&start[i], &pic->cells[i], sizeof(*start)) == 0)
            continue;
        wrong++;
        first = i;
    }
    if (wrong)
        return fail("%zu of %zu cells differ from the serial run, first row %zu column %zu: "
                    "%.9g, serial %.9g",
                    wrong, n, first / width, first % width, (double)pic->cells[first],
                    (double)start[first]);
    printf("check      all %zu cells equal those of the serial run bit by bit\n", n);
    return 0;
}

/* Only on PE 0. */
static int write_picture(const char *path, const struct picture *pic)
{
    char why[PICTURE_WHY];

    if (picture_write(path, pic, why))
        return fail("%s: %s; -o names the picture to write", path, why);
    char *whole = realpath(path, NULL);
    printf("picture    %s\n", whole ? whole : path);
    free(whole);
    return 0;
}

/* Only on PE 0, after all other work. */
static int finish(const struct options *opt, const struct picture *pic, float *start)
{
    int status = start ? check(pic, start, opt->steps) : 0;

    return write_picture(opt->output, pic) || status;
}

/* On PE 0 `start` is a copy of the picture, or NULL for no check. */
static int simulate(const struct options *opt, struct picture *pic, float *start)
{
    struct jacobi plate;
    char who[16];
    int n_pes = nvshmem_n_pes();
    int err = jacobi_open(&plate, pic->width, pic->height);

    if (err == -EINVAL)
        return fail("a picture of %d x %d has no inner row for each of %d PEs; take a larger "
                    "picture or fewer PEs",
                    pic->width, pic->height, n_pes);
    if (err)
        return fail("the symmetric heap has no room for 1/%d of %d x %d cells; set "
                    "NVSHMEM_SYMMETRIC_SIZE or take more PEs",
                    n_pes, pic->width, pic->height);
    jacobi_scatter(&plate, pic->cells);
    double seconds = run_steps(&plate, opt->steps);
    jacobi_gather(&plate, pic->cells);
    jacobi_close(&plate);
    if (nvshmem_my_pe() != 0)
        return 0;
    snprintf(who, sizeof(who), "%d PE%s", n_pes, n_pes == 1 ? "" : "s");
    show_speed(who, pic, opt->steps, seconds);
    return finish(opt, pic, start);
}

static int run(const struct options *opt)
{
    struct picture pic = { 0, 0, NULL };
    float *start = NULL;

    if (nvshmem_my_pe() == 0)
        start = read_picture(opt, &pic);
    int status = share_size(&pic);
    if (status == 0)
        status = simulate(opt, &pic, start);
    free(start);
    free(pic.cells);
    return status;
}

int main(int argc, char **argv)
{
    struct options opt;
    int status = 0;

    nvshmem_init();
    switch (options_parse(&opt, argc, argv, nvshmem_my_pe() == 0)) {
    case OPTIONS_RUN:
        status = run(&opt);
        break;
    case OPTIONS_DONE:
        break;
    case OPTIONS_WRONG:
        status = 2;
        break;
    }
    nvshmem_finalize();
    return status;
}
