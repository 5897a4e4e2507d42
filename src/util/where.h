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

/* The public call of this library that the caller is in, as the program has called it, and its
 * return address. They stay as they are where that cannot be seen: in a program that has the
 * library in itself. Slow; for messages. */
void gsh_where_entered(const char **call, const void **where);

#endif /* GSH_UTIL_WHERE_H */
