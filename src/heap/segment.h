/* segment.h - the memory that the PEs of one host (topo/host.h) share: one memfd, a window
 * for each PE, mapped whole by all.
 *
 * The lowest PE of the host makes the memfd and hands it to the others over an
 * abstract Unix socket (SCM_RIGHTS), so that nothing has a name in any file
 * system and all is gone with the last process. Pages come into being when they
 * are first written. Windows of PEs on other hosts are not in it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_SEGMENT_H
#define GSH_HEAP_SEGMENT_H

#include "boot/boot.h"

#define GSH_SEGMENT_ALIGN (64u << 20) /* windows begin at, and are, multiples of it */

struct gsh_segment {
    size_t window;  /* bytes of one window; equal on all PEs of the job */
    char **windows; /* [n_pes]: the mapped window, NULL for PEs of other hosts */
    int *here;      /* [n_here]: the PEs of this host, lowest first */
    int fd;         /* the memfd */
    int n_here;     /* PEs of this host */
    void *map;
    size_t map_bytes;
};

/* Collective over all PEs. `want` is the window this PE would like; the outcome is
 * the largest that all can map, at least `need`, else an error with the sizes. */
int gsh_segment_open(struct gsh_segment *segment, struct gsh_boot *boot, size_t want, size_t need);
void gsh_segment_close(struct gsh_segment *segment);

/* Bytes of the host's windows that hold memory by now. */
size_t gsh_segment_touched(const struct gsh_segment *segment);

/* The segment of this job, for the transports. */
extern struct gsh_segment gsh_segment;

#endif /* GSH_HEAP_SEGMENT_H */
