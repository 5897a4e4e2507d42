/* memory.c - memcpy and its like as the program calls them: gshcc --race links with
 * --wrap for each, so that only the program's own calls come here. */
// SPDX-License-Identifier: BSD-3-Clause
#include "watching.h"

#define PLACE __builtin_return_address(0)

static void tell(const void *at, size_t bytes, enum gsh_race_kind kind, const void *where)
{
    if (bytes && gsh_race_watching())
        gsh_race_access(at, bytes, kind, where);
}

#define COPY(name) \
    void *__real_##name(void *to, const void *from, size_t bytes); \
    void *__wrap_##name(void *to, const void *from, size_t bytes); \
    void *__wrap_##name(void *to, const void *from, size_t bytes) \
    { \
        tell(from, bytes, GSH_RACE_READ, PLACE); \
        tell(to, bytes, GSH_RACE_WRITE, PLACE); \
        return __real_##name(to, from, bytes); \
    }
COPY(memcpy)
COPY(memmove)

void *__real_memset(void *to, int value, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes)
{
    tell(to, bytes, GSH_RACE_WRITE, PLACE);
    return __real_memset(to, value, bytes);
}
