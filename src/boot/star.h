/* star.h - a world of PEs that another system started: a process manager, MPI or
 * another OpenSHMEM.
 *
 * Of that system a method needs rank, size and one small broadcast: with it PE 0
 * hands out a unique id, and the method uid does all the rest. So every method has
 * the same life line, and the system is not called again from other threads.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_STAR_H
#define GSH_BOOT_STAR_H

#include "boot/boot.h"

/* The system, as one method knows it; abort and leave may be NULL. */
struct gsh_starter {
    /* Asks the system to end the job, which has failed; from any thread. */
    void (*abort)(void *ctx, int status, const char *text);
    /* The block of rank 0 reaches all ranks. Collective, once a world. */
    int (*broadcast)(void *ctx, void *block, size_t bytes);
    /* This process ends well, at once and without more calls; from any thread. */
    void (*leave)(void *ctx);
};

/* Opens the world of boot->rank and boot->n_ranks, which the method has filled in.
 * `starter` and `ctx` must stay. */
int gsh_star_open(struct gsh_boot *boot, const struct gsh_starter *starter, void *ctx);

void gsh_star_abort(struct gsh_boot *boot, int status, const char *text);
int gsh_star_allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes);
int gsh_star_barrier(struct gsh_boot *boot);
void gsh_star_close(struct gsh_boot *boot, int clean);
int gsh_star_life_read(struct gsh_boot *boot, struct gsh_life_event *event);

/* The ops of a method: all are the star's but open. */
#define GSH_STAR_OPS(open_job) \
    { \
        .abort = gsh_star_abort, .allgather = gsh_star_allgather, .barrier = gsh_star_barrier, \
        .close = gsh_star_close, .life_read = gsh_star_life_read, .open = open_job, \
    }

#endif /* GSH_BOOT_STAR_H */
