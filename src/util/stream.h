/* stream.h - a copy that goes past the caches, for data that does not fit in them anyway:
 * the lines of the destination are not read first. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_STREAM_H
#define GSH_UTIL_STREAM_H

#include <stddef.h>
#include <string.h>

/* As memcpy(); in order with later stores. */
void *gsh_stream_copy(void *dest, const void *source, size_t bytes);

/* Whether so many bytes fill the last cache. */
int gsh_stream_pays(size_t bytes);

#define GSH_BIG_COPY ((size_t)16 << 20) /* bytes from which gsh_copy() looks closer */

void gsh_copy_big(void *dest, const void *source, size_t bytes);

/* As memmove(), past the caches when it pays. */
static inline void gsh_copy(void *dest, const void *source, size_t bytes)
{
    if (__builtin_expect(bytes >= GSH_BIG_COPY, 0))
        gsh_copy_big(dest, source, bytes);
    else
        memmove(dest, source, bytes);
}

#endif /* GSH_UTIL_STREAM_H */
