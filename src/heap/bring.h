/* bring.h - symmetric memory that the program brings: each PE its own buffer, of one size.
 *
 * A buffer of the host becomes a second view of a block of the host's heap: its contents are
 * copied there, and the block's pages mapped in the place of its own. Unregistering gives it
 * pages of its own again, with the contents. A buffer of a GPU, that was made so that it can be
 * handed over, is mapped a second time, at one offset in the device windows of all PEs, behind
 * the heap.
 *
 * Records are equal on all PEs. The same buffers, or parts of them, may be registered again:
 * they are counted.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_BRING_H
#define GSH_HEAP_BRING_H

#include <stdbool.h>
#include <stddef.h>

/* The GPU's buffers come to lie from offset `off` of the device windows on. */
int gsh_bring_open_device(size_t off);
void gsh_bring_close_device(void);

/* Unregisters all: each PE for itself. */
void gsh_bring_close(void);

/* Is [at, at + bytes) in the own view of a GPU's buffer? */
bool gsh_bring_has(const void *at, size_t bytes);

/* Is it a place in a registered buffer, by its alias? */
bool gsh_bring_holds(const void *at);

#endif /* GSH_HEAP_BRING_H */
