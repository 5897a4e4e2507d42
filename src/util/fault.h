/* fault.h - faults to inject, for tests: the text of GSHMEM_FAULT.
 *
 * The text is a comma separated list of
 *     point            switches a fault point of the list below on
 *     point:value      the same with a number, where the point takes one
 *     fail:name[:k]    the k-th call (the first, when left out) of
 *                      gsh_fault_fails("name") says true, and only that one
 * Nothing is injected, at the cost of one load, when the text is empty.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_FAULT_H
#define GSH_UTIL_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* X(point, name, help): every fault point. */
/* clang-format off */
#define GSH_FAULTS(X) \
    X(IO_SHORT, "io.short", "every read and write of a boot connection moves one byte") \
    X(IO_DELAY, "io.delay", "a random pause of up to 200 us (or the value) before each of them")
/* clang-format on */

enum gsh_fault {
#define POINT(point, name, help) GSH_FAULT_##point,
    GSH_FAULTS(POINT)
#undef POINT
        GSH_FAULT_COUNT
};

/* Takes over `text` and forgets the one before. Returns 0, or -EINVAL with the
 * first word that is not understood in bad[bytes]. */
int gsh_fault_open(const char *text, char *bad, size_t bytes);

/* The number given with the point, 1 when none was given, 0 when it is off. */
long gsh_fault_value(enum gsh_fault fault);

/* Counts a call of the step `name`; true, with EIO in errno, when this one is to fail. */
bool gsh_fault_fails(const char *name);

#endif /* GSH_UTIL_FAULT_H */
