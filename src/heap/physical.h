/* physical.h - how much memory this machine can still give. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_PHYSICAL_H
#define GSH_HEAP_PHYSICAL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that are free or can be freed, within the limit of the control group. */
size_t gsh_physical_free(void);
bool gsh_physical_has(size_t bytes);

#endif /* GSH_HEAP_PHYSICAL_H */
