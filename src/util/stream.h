/* stream.h - a copy that goes past the caches, for data that does not fit in them anyway:
 * the lines of the destination are not read first. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_STREAM_H
#define GSH_UTIL_STREAM_H

#include <stddef.h>

/* As memcpy(); in order with later stores. */
void *gsh_stream_copy(void *dest, const void *source, size_t bytes);

/* Whether so many bytes, read and written together by all PEs, are well beyond the last cache. */
int gsh_stream_pays(size_t bytes);

#endif /* GSH_UTIL_STREAM_H */
