/* wire.h - a PE's side of a job with a root: the ops that the methods with an
 * exchange line and a life line have in common.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_WIRE_H
#define GSH_BOOT_WIRE_H

#include "boot/boot.h"

#include <stdbool.h>

struct gsh_wire_lines {
    int exchange_fd;
    int life_fd;
    uint64_t cookie;
    bool keep;        /* leave the descriptors open at the end, for the next world */
    bool retry;       /* a root that hangs up at once is -EAGAIN, not an error */
    const char *root; /* what the root is, for texts */
    int root_pe;      /* the PE that has the root as a thread and ends with it; -1: none */
};

/* Says HELLO as boot->rank of boot->n_ranks and waits until all PEs have. Takes
 * the descriptors over, also when it fails. Fills life_fd and priv. */
int gsh_wire_open(struct gsh_boot *boot, const struct gsh_wire_lines *lines);

void gsh_wire_abort(struct gsh_boot *boot, int status, const char *text);
int gsh_wire_allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes);
int gsh_wire_barrier(struct gsh_boot *boot);
void gsh_wire_close(struct gsh_boot *boot, int clean);
int gsh_wire_life_read(struct gsh_boot *boot, struct gsh_life_event *event);

#endif /* GSH_BOOT_WIRE_H */
