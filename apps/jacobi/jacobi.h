/* jacobi.h - heat on a plate, divided by rows among the PEs.
 *
 * In each step a cell becomes the mean of itself and its four neighbours: the
 * explicit heat equation with k dt / h^2 = 1/5. The outermost cells never change.
 *
 * Each PE has its rows, between one row of the PE above and one of the PE below
 * (or of the edge), in two grids that take turns. A step computes the two outer
 * rows first, puts each into the neighbour's grid with a signal that carries the
 * step's number, computes the rest and then waits for the neighbours' signals.
 * There is no barrier: the row of step n + 2 lands where that of step n was, and a
 * neighbour sends it only once it has this PE's row of step n + 1, which this PE
 * sends only after it has read that of step n.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef JACOBI_JACOBI_H
#define JACOBI_JACOBI_H

#include <stdint.h>

struct jacobi {
    int width;
    int height;
    int rows; /* own rows; each grid holds two more */
    int step; /* steps done; grid[step % 2] is the newest */
    float *grid[2];
    uint64_t *arrived; /* [side]: the step whose row is here from that side */
    float *change;     /* own and common value of jacobi_change() */
};

/* Collective. 0, -EINVAL if a PE would be left without a row, -ENOMEM if the
 * symmetric heap is too small; on all PEs alike. */
int jacobi_open(struct jacobi *plate, int width, int height);

/* Collective. Gives all PEs their rows of `cells`, which only PE 0 needs. */
void jacobi_scatter(struct jacobi *plate, const float *cells);

/* One step; synchronises with the neighbours only. */
void jacobi_step(struct jacobi *plate);

/* Collective. The largest change of a cell in the last step, on all PEs. */
float jacobi_change(struct jacobi *plate);

/* Collective. Puts the inner rows of all PEs into `cells` of PE 0. */
void jacobi_gather(struct jacobi *plate, float *cells);

/* Collective. */
void jacobi_close(struct jacobi *plate);

/* Not collective: the same steps by this PE alone, in place. 0 or -ENOMEM. */
int jacobi_serial(float *cells, int width, int height, int steps);

#endif /* JACOBI_JACOBI_H */
