/* words.h - waiting for words of this PE, whatever their type. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_WORDS_H
#define GSH_CORE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct gsh_words {
    const char *call;
    const char *ivars;
    size_t n;
    size_t size; /* of an element */
    bool is_signed;
    const int *status; /* NULL: none is skipped */
    int cmp;
    const char *values; /* one for all, or [n] when vector */
    bool vector;
    const void *where; /* return address of the call */
    /* For wait_until.c: where the words are in GPU memory, and the copy of them. */
    const char *device;
    char *seen;
};

/* Until all elements fulfil the comparison; `where` is the return address of the call. */
void gsh_words_wait_all(struct gsh_words *words, const void *where);

#endif /* GSH_CORE_WORDS_H */
