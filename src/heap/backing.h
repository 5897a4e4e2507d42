/* backing.h - where the memory of a heap comes from when the heap grows.
 *
 * Who needs more asks has(), on every PE; when all PEs have said so extend() makes
 * the memory usable, else it takes back what the question prepared. `committed` is what
 * the heap has before.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_BACKING_H
#define GSH_HEAP_BACKING_H

#include <stdbool.h>
#include <stddef.h>

struct gsh_backing {
    bool (*has)(size_t committed, size_t bytes);
    int (*extend)(bool all, size_t committed, size_t bytes);
    void (*tell_free)(char *text, size_t bytes); /* for messages: how much there still is */
};

extern const struct gsh_backing gsh_backing_host; /* the window, from gsh.heap_off on */
extern const struct gsh_backing gsh_backing_cpu;  /* the window, from gsh.device_off on */
extern const struct gsh_backing gsh_backing_gpu;  /* heap/device.h */

#endif /* GSH_HEAP_BACKING_H */
