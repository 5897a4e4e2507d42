/* fault.c - parses GSHMEM_FAULT and answers whether a fault is on.
 *
 * The tables are written by gsh_fault_open() alone, before the threads that
 * read them start; what a late reader may still touch is atomic.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "util/fault.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 16

/* A step that is to fail: in `left` calls from now. */
struct step {
    char name[48];
    atomic_long left;
};

static const char *const point_names[] = {
#define POINT(point, name, help) [GSH_FAULT_##point] = name,
    GSH_FAULTS(POINT)
#undef POINT
};

static atomic_long points[GSH_FAULT_COUNT];
static struct step steps[MAX_STEPS];
static atomic_int n_steps;

long gsh_fault_value(enum gsh_fault fault)
{
    return atomic_load_explicit(&points[fault], memory_order_relaxed);
}

bool gsh_fault_fails(const char *name)
{
    int n = atomic_load_explicit(&n_steps, memory_order_acquire);

    for (int i = 0; i < n; i++) {
        if (strcmp(steps[i].name, name) || atomic_fetch_sub(&steps[i].left, 1) != 1)
            continue;
        errno = EIO;
        return true;
    }
    return false;
}

/* Reads ":number" at `text`; an empty text is 1. */
static int number(const char *text, long *value)
{
    char *end;

    *value = 1;
    if (!*text)
        return 0;
    if (*text != ':')
        return -EINVAL;
    *value = strtol(text + 1, &end, 10);
    return end == text + 1 || *end || *value < 1 ? -EINVAL : 0;
}

static int add_step(const char *word)
{
    int n = atomic_load(&n_steps);
    size_t length = strcspn(word, ":");
    long k;

    if (n == MAX_STEPS || !length || length >= sizeof(steps[n].name) || number(word + length, &k))
        return -EINVAL;
    memcpy(steps[n].name, word, length);
    steps[n].name[length] = '\0';
    atomic_store(&steps[n].left, k);
    atomic_store_explicit(&n_steps, n + 1, memory_order_release);
    return 0;
}

static int add_word(const char *word)
{
    if (!strncmp(word, "fail:", 5))
        return add_step(word + 5);
    for (int i = 0; i < GSH_FAULT_COUNT; i++) {
        size_t length = strlen(point_names[i]);
        long value;

        if (strncmp(word, point_names[i], length) || number(word + length, &value))
            continue;
        atomic_store(&points[i], value);
        return 0;
    }
    return -EINVAL;
}

int gsh_fault_open(const char *text, char *bad, size_t bytes)
{
    char word[96];

    atomic_store(&n_steps, 0);
    for (int i = 0; i < GSH_FAULT_COUNT; i++)
        atomic_store(&points[i], 0);
    while (text && *text) {
        size_t length = strcspn(text, ",");

        snprintf(word, sizeof(word), "%.*s", (int)length, text);
        if (length && (length >= sizeof(word) || add_word(word))) {
            snprintf(bad, bytes, "%s", word);
            return -EINVAL;
        }
        text += length + (text[length] == ',');
    }
    return 0;
}
