/* jacobi.c - heat on a plate, divided by rows among the PEs; see jacobi.h for the protocol. */
// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi.h"

#include <errno.h>
#include <math.h>
#include <nvshmem.h>
#include <stdlib.h>
#include <string.h>

enum side { ABOVE, BELOW };

static int rows_of(int height, int pe)
{
    int inner = height - 2, n_pes = nvshmem_n_pes();

    return inner / n_pes + (pe < inner % n_pes);
}

/* The first row of the plate that belongs to the PE. */
static int first_of(int height, int pe)
{
    int inner = height - 2, n_pes = nvshmem_n_pes(), rest = inner % n_pes;

    return 1 + pe * (inner / n_pes) + (pe < rest ? pe : rest);
}

static float *row_of(float *grid, int width, int row)
{
    return grid + (size_t)row * (size_t)width;
}

/* The only place with arithmetic, so that all runs round alike. */
static void relax(float *restrict grid, const float *restrict old, int width, int row)
{
    float *restrict out = row_of(grid, width, row);
    const float *mid = old + (size_t)row * (size_t)width;
    const float *up = mid - width, *down = mid + width;

    for (int x = 1; x < width - 1; x++)
        out[x] = 0.2f * ((up[x] + down[x]) + (mid[x - 1] + mid[x + 1]) + mid[x]);
}

int jacobi_open(struct jacobi *plate, int width, int height)
{
    *plate = (struct jacobi){ .width = width, .height = height };
    if (width < 3 || height - 2 < nvshmem_n_pes())
        return -EINVAL;

    /* All PEs allocate alike: PE 0 has as many rows as any. */
    size_t bytes = (size_t)(rows_of(height, 0) + 2) * (size_t)width * sizeof(float);
    plate->rows = rows_of(height, nvshmem_my_pe());
    plate->grid[0] = nvshmem_malloc(bytes);
    plate->grid[1] = nvshmem_malloc(bytes);
    plate->arrived = nvshmem_calloc(2, sizeof(*plate->arrived));
    plate->change = nvshmem_malloc(2 * sizeof(*plate->change));
    if (plate->grid[0] && plate->grid[1] && plate->arrived && plate->change)
        return 0;
    jacobi_close(plate);
    return -ENOMEM;
}

void jacobi_close(struct jacobi *plate)
{
    nvshmem_free(plate->change);
    nvshmem_free(plate->arrived);
    nvshmem_free(plate->grid[1]);
    nvshmem_free(plate->grid[0]);
}

void jacobi_scatter(struct jacobi *plate, const float *cells)
{
    size_t width = (size_t)plate->width;

    for (int pe = 0; nvshmem_my_pe() == 0 && pe < nvshmem_n_pes(); pe++) {
        const float *from = cells + (size_t)(first_of(plate->height, pe) - 1) * width;
        size_t n = (size_t)(rows_of(plate->height, pe) + 2) * width;
        /* The edge is read from both grids and never written again. */
        nvshmem_float_put(plate->grid[0], from, n, pe);
        nvshmem_float_put(plate->grid[1], from, n, pe);
    }
    nvshmem_barrier_all();
}

/* Sends the own outer row to the PE on that side, whose rows lie just beyond it. */
static void send(struct jacobi *plate, float *grid, enum side side)
{
    int pe = nvshmem_my_pe() + (side == ABOVE ? -1 : 1);

    if (pe < 0 || pe >= nvshmem_n_pes())
        return;
    int from = side == ABOVE ? 1 : plate->rows;
    int to = side == ABOVE ? rows_of(plate->height, pe) + 1 : 0;
    nvshmem_float_put_signal(row_of(grid, plate->width, to), row_of(grid, plate->width, from),
                             (size_t)plate->width, &plate->arrived[side == ABOVE ? BELOW : ABOVE],
                             (uint64_t)plate->step, NVSHMEM_SIGNAL_SET, pe);
}

static void await(struct jacobi *plate, enum side side)
{
    int pe = nvshmem_my_pe() + (side == ABOVE ? -1 : 1);

    if (pe >= 0 && pe < nvshmem_n_pes())
        nvshmem_signal_wait_until(&plate->arrived[side], NVSHMEM_CMP_GE, (uint64_t)plate->step);
}

void jacobi_step(struct jacobi *plate)
{
    const float *old = plate->grid[plate->step % 2];
    float *grid = plate->grid[++plate->step % 2];

    relax(grid, old, plate->width, 1);
    if (plate->rows > 1)
        relax(grid, old, plate->width, plate->rows);
    send(plate, grid, ABOVE);
    send(plate, grid, BELOW);
    for (int row = 2; row < plate->rows; row++)
        relax(grid, old, plate->width, row);
    await(plate, ABOVE);
    await(plate, BELOW);
}

float jacobi_change(struct jacobi *plate)
{
    float *own = &plate->change[0], *common = &plate->change[1];
    size_t first = (size_t)plate->width, end = first * (size_t)(plate->rows + 1);
    float most = 0.0f;

    for (size_t i = first; i < end; i++)
        most = fmaxf(most, fabsf(plate->grid[0][i] - plate->grid[1][i]));
    *own = most;
    nvshmem_float_max_reduce(NVSHMEM_TEAM_WORLD, common, own, 1);
    return *common;
}

void jacobi_gather(struct jacobi *plate, float *cells)
{
    size_t width = (size_t)plate->width;
    const float *newest = plate->grid[plate->step % 2];

    nvshmem_barrier_all();
    for (int pe = 0; nvshmem_my_pe() == 0 && pe < nvshmem_n_pes(); pe++)
        nvshmem_float_get(cells + (size_t)first_of(plate->height, pe) * width, newest + width,
                          (size_t)rows_of(plate->height, pe) * width, pe);
    nvshmem_barrier_all();
}

int jacobi_serial(float *cells, int width, int height, int steps)
{
    size_t bytes = (size_t)width * (size_t)height * sizeof(*cells);
    float *other = malloc(bytes);
    float *grid[2] = { cells, other };

    if (!other)
        return -ENOMEM;
    memcpy(other, cells, bytes);
    for (int step = 0; step < steps; step++) {
        for (int row = 1; row < height - 1; row++)
            relax(grid[(step + 1) % 2], grid[step % 2], width, row);
    }
    if (steps % 2)
        memcpy(cells, other, bytes);
    free(other);
    return 0;
}
