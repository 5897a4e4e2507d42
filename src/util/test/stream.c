/* gsh_copy() moves what memmove() moves: all sizes around its limits, alignments, overlaps. */
// SPDX-License-Identifier: BSD-3-Clause
#include "util/stream.h"
#include "util/test/tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { ROOM = 96 << 20 };

static unsigned char *from, *to, *want;

static void fill(unsigned char *at, size_t bytes, uint32_t seed)
{
    for (size_t i = 0; i < bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = (unsigned char)(seed >> 24);
    }
}

/* Copies to `at` and looks at the bytes and at those around them. */
static bool copies(size_t at, size_t source, size_t bytes)
{
    memset(to + at - 64, 0xee, bytes + 128);
    gsh_copy(to + at, from + source, bytes);
    for (size_t i = 1; i <= 64; i++)
        if (to[at - i] != 0xee || to[at + bytes + i - 1] != 0xee)
            return false;
    return !memcmp(to + at, from + source, bytes);
}

static bool copies_all_alignments(size_t bytes)
{
    static const size_t shifts[] = { 0, 1, 8, 63 };
    bool good = true;

    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            good &= copies(64 + shifts[i], shifts[k], bytes);
    return good;
}

/* Copies within one buffer, by `shift` bytes. */
static bool overlaps(size_t bytes, ptrdiff_t shift)
{
    unsigned char *at = to + 4096;

    fill(to, bytes + 8192, 7);
    memcpy(want, to, bytes + 8192);
    memmove(want + 4096 + shift, want + 4096, bytes);
    gsh_copy(at + shift, at, bytes);
    return !memcmp(to, want, bytes + 8192);
}

int main(void)
{
    from = malloc(ROOM);
    to = malloc(ROOM);
    want = malloc(ROOM);
    if (!from || !to || !want)
        return 77;
    fill(from, ROOM, 1);
    tap_ok(copies_all_alignments(0) && copies_all_alignments(1) && copies_all_alignments(4097),
           "small copies are complete and touch nothing else");
    tap_ok(copies_all_alignments(GSH_NEAR_COPY) && copies_all_alignments(GSH_NEAR_COPY + 1) &&
               copies_all_alignments(GSH_NEAR_COPY_END - 65) &&
               copies_all_alignments(GSH_NEAR_COPY_END),
           "copies within the first cache are complete and touch nothing else");
    tap_ok(copies_all_alignments(GSH_BIG_COPY - 1) && copies_all_alignments(GSH_BIG_COPY) &&
               copies_all_alignments(GSH_BIG_COPY + 77),
           "copies around the size of big ones are complete and touch nothing else");
    tap_ok(copies(64, 3, 80 << 20) && copies(71, 0, (80 << 20) + 5),
           "copies past the caches are complete and touch nothing else");
    tap_ok(overlaps(4096, 1) && overlaps(4096, -1) && overlaps(5001, 300) && overlaps(1 << 20, 1) &&
               overlaps(1 << 20, -1) && overlaps(1 << 20, 4000) && overlaps(80 << 20, -9) &&
               overlaps(80 << 20, 100),
           "copies within themselves are those of memmove()");
    free(from);
    free(to);
    free(want);
    return tap_end();
}
