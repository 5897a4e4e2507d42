/* where.h - the place in the user's source that an address of code stands for. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_WHERE_H
#define GSH_UTIL_WHERE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "function at file.c:41" for a return address, or what less there is to
 * know: "function (program)", "program+0x1234". Of a call in one of our own headers that
 * the compiler has put into the user's function, it tells the user's line. Returns false
 * when there is none, as all of it is ours. Slow; for messages. */
bool gsh_where(const void *address, char *text, size_t bytes);

#endif /* GSH_UTIL_WHERE_H */
