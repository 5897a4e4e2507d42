/* stream.h - copies of much data, faster than memmove(): those that do not read the lines
 * they fill, and those that go past the caches when the data cannot stay there. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_STREAM_H
#define GSH_UTIL_STREAM_H

#include <stddef.h>
#include <string.h>

/* As memcpy(); in order with later stores. */
void *gsh_stream_copy(void *dest, const void *source, size_t bytes);

/* Whether so many bytes fill the last cache. */
int gsh_stream_pays(size_t bytes);

/* Where gsh_copy() looks closer: data that the first cache holds, and much data. */
#define GSH_NEAR_COPY ((size_t)2 << 10)
#define GSH_NEAR_COPY_END ((size_t)16 << 10)
#define GSH_BIG_COPY ((size_t)512 << 10)

void gsh_copy_near(void *dest, const void *source, size_t bytes);
void gsh_copy_big(void *dest, const void *source, size_t bytes);

/* As memmove(), in the fastest way for this size. */
static inline void gsh_copy(void *dest, const void *source, size_t bytes)
{
    if (__builtin_expect(bytes >= GSH_BIG_COPY, 0))
        gsh_copy_big(dest, source, bytes);
    else if (bytes >= GSH_NEAR_COPY && bytes <= GSH_NEAR_COPY_END)
        gsh_copy_near(dest, source, bytes);
    else
        memmove(dest, source, bytes);
}

#endif /* GSH_UTIL_STREAM_H */
