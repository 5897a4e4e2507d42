/* guard.c - guard words and leaks. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/guard.h"
#include "core/log.h"
#include "util/where.h"

#include <stdint.h>
#include <string.h>

/* Not a value that programs write. */
static unsigned char pattern(size_t i)
{
    return (unsigned char)(0xa5 ^ i * 29);
}

size_t gsh_guard_front(size_t align)
{
    return align < GSH_ALLOC_UNIT ? GSH_ALLOC_UNIT : align;
}

void gsh_guard_set(char *start, size_t front, size_t bytes)
{
    memcpy(start, &front, sizeof(front));
    for (size_t i = sizeof(front); i < front; i++)
        start[i] = (char)pattern(i);
    for (size_t i = 0; i < GSH_GUARD_BACK; i++)
        start[front + bytes + i] = (char)pattern(i);
}

size_t gsh_guard_front_of(const char *start)
{
    size_t front;

    memcpy(&front, start, sizeof(front));
    return front;
}

_Noreturn static void damaged(const char *side, size_t distance, size_t bytes, const void *where)
{
    char place[256];

    gsh_where(where, place, sizeof(place));
    gsh_die("heap check: byte %zu %s the block of %zu bytes allocated by %s has been written to",
            distance, side, bytes, place);
}

void gsh_guard_check(const char *start, size_t total, const void *where)
{
    size_t front = gsh_guard_front_of(start);
    size_t bytes;

    if (front < GSH_ALLOC_UNIT || front > total - GSH_GUARD_BACK || front & (front - 1))
        damaged("in front of", 1, total, where);
    bytes = total - front - GSH_GUARD_BACK;
    for (size_t i = front; i > sizeof(front); i--)
        if ((unsigned char)start[i - 1] != pattern(i - 1))
            damaged("in front of", front - i + 1, bytes, where);
    for (size_t i = 0; i < GSH_GUARD_BACK; i++)
        if ((unsigned char)start[front + bytes + i] != pattern(i))
            damaged("behind", i + 1, bytes, where);
}

static void report(void *heap, size_t off, size_t total, const void *where)
{
    char place[256];

    gsh_where(where, place, sizeof(place));
    gsh_log(GSH_WARN, GSH_HEAP, "heap check: %zu bytes allocated by %s were not freed",
            total - gsh_guard_front_of((char *)heap + off) - GSH_GUARD_BACK, place);
}

void gsh_guard_leaks(const struct gsh_alloc *arena, char *heap)
{
    gsh_alloc_each(arena, report, heap);
}
