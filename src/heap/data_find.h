/* data_find.h - which memory of this process holds variables that can be symmetric.
 *
 * The writable data (data and bss) of the executable, and of each shared library that
 * names libgshmem among the libraries it needs. So the C library, the C++ and sanitizer
 * runtimes, all that they need, and libgshmem itself are left alone, whatever
 * their names. Where libgshmem.a is linked into the executable, its own variables
 * are among the executable's.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_DATA_FIND_H
#define GSH_HEAP_DATA_FIND_H

#include <stddef.h>
#include <stdint.h>

/* Whole pages of one object, all writable. */
struct gsh_range {
    char *at;
    size_t bytes;
    size_t file_bytes; /* of them the first ones, whose contents may be in the file still */
    size_t off;        /* in the data area of a window */
    uintptr_t load;    /* where the object begins */
    char *snapshot;    /* for a fork that is under way */
    char name[40];     /* of the object */
};

struct gsh_ranges {
    struct gsh_range *all; /* by address; their offsets follow each other */
    size_t n;
    size_t bytes;
    uint64_t hash;       /* equal where the same objects are loaded in the same order */
    const char *why_not; /* there can be none; NULL: there can */
};

int gsh_ranges_find(struct gsh_ranges *ranges);
void gsh_ranges_free(struct gsh_ranges *ranges);

/* For messages: what else lies at an address that is in no range, and why it is in none;
 * "" when it is in no object. `why_not` is as above. */
void gsh_ranges_explain(const void *at, const char *why_not, char *text, size_t bytes);

#endif /* GSH_HEAP_DATA_FIND_H */
