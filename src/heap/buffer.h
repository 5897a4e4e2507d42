/* buffer.h - memory of the program that it has told us about: nvshmemx_buffer_register().
 *
 * Ranges may overlap, and be registered several times; each registration is undone by one call.
 * Host memory is mapped for the GPU by whole pages, each page once, as long as a range is
 * on it. Memory that the driver knows already, and all memory on the CPU device, needs nothing.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_BUFFER_H
#define GSH_HEAP_BUFFER_H

/* In the GPU stage: maps what was registered before, and at its end unmaps all. */
void gsh_buffer_open_device(void);
void gsh_buffer_close_device(void);

/* Forgets all. */
void gsh_buffer_close(void);

#endif /* GSH_HEAP_BUFFER_H */
