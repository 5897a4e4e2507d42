/* pin.h - the host's heap for kernels of a GPU: mapped for the device at the addresses that it
 * has for the host, in the windows of all PEs of this machine, as the heap grows.
 *
 * Each growth is a registration of its own with the driver. Its copies want memory that lies
 * in one of them, so that no block of the heap may cross from one into the next: see
 * gsh_alloc_set_seams().
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_PIN_H
#define GSH_HEAP_PIN_H

#include <stdbool.h>
#include <stddef.h>

/* Maps what the heap has. Nothing is done, here and in more(), on a device that has other
 * addresses for the host's memory than the host. */
int gsh_pin_open(void);
void gsh_pin_close(void);

/* Kernels reach the host's heap. */
bool gsh_pin_is_open(void);

/* ... and [at, at + bytes) of it. */
bool gsh_pin_has(const void *at, size_t bytes);

/* [off, off + bytes) of the windows, and back. -ENOMEM after gsh_miss(). */
int gsh_pin_more(size_t off, size_t bytes);
void gsh_pin_less(size_t off);

#endif /* GSH_HEAP_PIN_H */
