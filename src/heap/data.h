/* data.h - global and static variables as symmetric memory.
 *
 * Each window has a data area, in which the pages of the variables (heap/data_find.h says
 * which) have their places. At init their contents are copied there and the pages are
 * mapped over the variables, which keep their addresses; a page that was never
 * written, as of a large bss, stays without memory. Finalize makes them private again,
 * with their contents. This holds when all PEs run the same program with the same
 * libraries; else static data stays private, and is refused as an address.
 *
 * Signals are blocked meanwhile. A variable that another thread writes just while its page
 * changes, for some microseconds of the first init and the last finalize, may lose that
 * write. What the kernel was told of the pages before, as mlock or registration with a
 * device, is lost.
 *
 * A process that is made by fork() gets private copies, as they were when fork() was
 * called. One that is made by clone() or vfork() itself shares the variables with its
 * parent until it calls exec; system(), popen() and posix_spawn() do no more than that.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_DATA_H
#define GSH_HEAP_DATA_H

#include "boot/boot.h"

#include <stdbool.h>

/* Collective: finds the data of this PE, and that all have the same. Then
 * gsh_data_bytes() is the size of the data area; 0: there is none. */
int gsh_data_plan(struct gsh_boot *boot);
size_t gsh_data_bytes(void);

/* Into the data area at gsh.data_off of the own window, and back. */
int gsh_data_open(void);
void gsh_data_close(void);

/* The offset in the window of [sym, sym + bytes), when it is symmetric static data. */
bool gsh_data_offset(const void *sym, size_t bytes, size_t *off);

/* For messages: where a variable is, as "ring+0x4010"; false when it is none. */
bool gsh_data_place(const void *sym, char *text, size_t bytes);

/* For messages: why [sym, sym + bytes) is not symmetric; "" when it is no static data. */
void gsh_data_explain(const void *sym, size_t bytes, char *text, size_t room);

#endif /* GSH_HEAP_DATA_H */
