/* alloc.c - first fit by address over offsets.
 *
 * The blocks, free and taken, cover the arena without gaps. They are linked in
 * address order, so that a freed block finds its neighbours, and are the nodes of
 * a treap by offset, in which each node knows the largest free block below it:
 * the lowest block that fits, and the block at an offset, are found in
 * logarithmic time. Priorities are a hash of the offset, not random, so that all
 * PEs hold the same tree. No two free blocks are neighbours, but at a seam.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/alloc.h"

#include "core/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct block {
    size_t off;
    size_t span;  /* bytes to the next block */
    size_t bytes; /* as requested; 0 when free */
    const void *tag;
    struct block *prev; /* by address */
    struct block *next;
    struct block *left; /* by offset */
    struct block *right;
    size_t largest; /* free block in this subtree */
    uint32_t priority;
    bool taken;
    bool apart; /* a free block in front does not join it */
};

struct gsh_alloc {
    pthread_mutex_t lock; /* while blocks change, or are looked up: see alloc.h */
    struct block *root;
    struct block *first;
    struct block *last;
    size_t used;
    size_t committed;
    size_t n_blocks;
    bool seams; /* what the arena grows by stays apart */
};

static size_t max(size_t a, size_t b)
{
    return a > b ? a : b;
}

static uint32_t hash(size_t off)
{
    uint64_t x = off / GSH_ALLOC_UNIT * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

static void update(struct block *b)
{
    b->largest = b->taken ? 0 : b->span;
    if (b->left)
        b->largest = max(b->largest, b->left->largest);
    if (b->right)
        b->largest = max(b->largest, b->right->largest);
}

/* Splits a tree: what is below `off`, and the rest. */
static void split(struct block *tree, size_t off, struct block **low, struct block **high)
{
    if (!tree) {
        *low = *high = NULL;
        return;
    }
    if (tree->off < off) {
        split(tree->right, off, &tree->right, high);
        *low = tree;
    } else {
        split(tree->left, off, low, &tree->left);
        *high = tree;
    }
    update(tree);
}

/* One tree of two; all of `low` is below all of `high`. */
static struct block *join(struct block *low, struct block *high)
{
    struct block *top;

    if (!low || !high)
        return low ? low : high;
    if (low->priority > high->priority) {
        low->right = join(low->right, high);
        top = low;
    } else {
        high->left = join(low, high->left);
        top = high;
    }
    update(top);
    return top;
}

/* Where the tree with this node hangs after the node's own fields have changed. */
static void refresh(struct block *tree, const struct block *b)
{
    if (tree != b)
        refresh(b->off < tree->off ? tree->left : tree->right, b);
    update(tree);
}

static void insert(struct gsh_alloc *a, struct block *b, struct block *after)
{
    struct block *low, *high;

    b->prev = after;
    b->next = after ? after->next : a->first;
    *(b->prev ? &b->prev->next : &a->first) = b;
    *(b->next ? &b->next->prev : &a->last) = b;

    update(b);
    split(a->root, b->off, &low, &high);
    a->root = join(join(low, b), high);
}

static void drop(struct gsh_alloc *a, struct block *b)
{
    struct block *low, *high;

    *(b->prev ? &b->prev->next : &a->first) = b->next;
    *(b->next ? &b->next->prev : &a->last) = b->prev;

    split(a->root, b->off, &low, &high);
    split(high, b->off + 1, &b, &high);
    a->root = join(low, high);
    free(b);
}

static struct block *create(size_t off, size_t span)
{
    struct block *b = calloc(1, sizeof(*b));

    if (b)
        *b = (struct block){ .off = off, .span = span, .priority = hash(off) };
    return b;
}

/* Rounds up to a multiple of `to`, a power of two; SIZE_MAX when that overflows. */
static size_t round_up(size_t value, size_t to)
{
    return value > SIZE_MAX - (to - 1) ? SIZE_MAX : (value + to - 1) & ~(to - 1);
}

struct gsh_alloc *gsh_alloc_create(void)
{
    struct gsh_alloc *a = calloc(1, sizeof(*a));

    if (a)
        pthread_mutex_init(&a->lock, NULL);
    return a;
}

void gsh_alloc_destroy(struct gsh_alloc *a)
{
    struct block *next;

    if (!a)
        return;
    for (struct block *b = a->first; b; b = next) {
        next = b->next;
        free(b);
    }
    pthread_mutex_destroy(&a->lock);
    free(a);
}

static int grow(struct gsh_alloc *a, size_t bytes)
{
    struct block *b;

    if (a->last && !a->last->taken && !a->seams) {
        a->last->span += bytes;
        refresh(a->root, a->last);
    } else {
        b = create(a->committed, bytes);
        if (!b)
            return gsh_fail(-ENOMEM, "no memory for the record of a block of %zu bytes", bytes);
        b->apart = a->seams;
        insert(a, b, a->last);
    }
    a->committed += bytes;
    return 0;
}

int gsh_alloc_grow(struct gsh_alloc *a, size_t bytes)
{
    int err;

    if (bytes % GSH_ALLOC_UNIT || bytes > SIZE_MAX / 2 - a->committed)
        return gsh_fail(-EINVAL, "a heap of %zu bytes cannot grow by %zu", a->committed, bytes);
    if (!bytes)
        return 0;
    pthread_mutex_lock(&a->lock);
    err = grow(a, bytes);
    pthread_mutex_unlock(&a->lock);
    return err;
}

void gsh_alloc_set_seams(struct gsh_alloc *a)
{
    a->seams = true;
}

/* Where an object of `bytes` would lie in this free block; GSH_ALLOC_NONE. */
static size_t place(const struct block *b, size_t align, size_t bytes)
{
    size_t at = round_up(b->off, align);

    if (b->taken || at == SIZE_MAX || at - b->off > b->span || bytes > b->span - (at - b->off))
        return GSH_ALLOC_NONE;
    return at;
}

/* The lowest block in which it fits. */
static struct block *fit(struct block *tree, size_t align, size_t bytes)
{
    struct block *b;

    if (!tree || tree->largest < bytes)
        return NULL;
    b = fit(tree->left, align, bytes);
    if (b)
        return b;
    if (place(tree, align, bytes) != GSH_ALLOC_NONE)
        return tree;
    return fit(tree->right, align, bytes);
}

size_t gsh_alloc_shortage(const struct gsh_alloc *a, size_t align, size_t bytes)
{
    size_t start = a->last && !a->last->taken && !a->seams ? a->last->off : a->committed;

    align = max(align, GSH_ALLOC_UNIT);
    bytes = round_up(bytes, GSH_ALLOC_UNIT);
    if (fit(a->root, align, bytes))
        return 0;
    start = round_up(start, align);
    if (start == SIZE_MAX || bytes > SIZE_MAX - start)
        return SIZE_MAX;
    return start + bytes - a->committed;
}

/* Cuts a free block at `off`; what is above becomes a block of its own. */
static struct block *cut(struct gsh_alloc *a, struct block *b, size_t off)
{
    struct block *rest = create(off, b->off + b->span - off);

    if (!rest)
        return NULL;
    b->span = off - b->off;
    refresh(a->root, b);
    insert(a, rest, b);
    return rest;
}

static void absorb_next(struct gsh_alloc *a, struct block *b)
{
    b->span += b->next->span;
    drop(a, b->next);
    refresh(a->root, b);
}

/* A free block joins its free neighbours. */
static void coalesce(struct gsh_alloc *a, struct block *b)
{
    if (b->next && !b->next->taken && !b->next->apart)
        absorb_next(a, b);
    if (b->prev && !b->prev->taken && !b->apart)
        absorb_next(a, b->prev);
}

static size_t take(struct gsh_alloc *a, size_t align, size_t bytes, const void *tag)
{
    size_t span = round_up(bytes, GSH_ALLOC_UNIT);
    struct block *b;
    size_t off;

    align = max(align, GSH_ALLOC_UNIT);
    b = fit(a->root, align, span);
    if (!b)
        return GSH_ALLOC_NONE;
    off = place(b, align, span);
    if (off > b->off)
        b = cut(a, b, off);
    if (b && b->span > span && !cut(a, b, off + span)) {
        coalesce(a, b);
        b = NULL;
    }
    if (!b)
        return GSH_ALLOC_NONE;
    b->taken = true;
    b->bytes = bytes;
    b->tag = tag;
    refresh(a->root, b);
    a->used += span;
    a->n_blocks++;
    return off;
}

size_t gsh_alloc_take(struct gsh_alloc *a, size_t align, size_t bytes, const void *tag)
{
    size_t off;

    pthread_mutex_lock(&a->lock);
    off = take(a, align, bytes, tag);
    pthread_mutex_unlock(&a->lock);
    return off;
}

/* The block, free or taken, that holds this offset. */
static struct block *block_at(const struct gsh_alloc *a, size_t off)
{
    struct block *b = a->root;

    while (b && (off < b->off || off - b->off >= b->span))
        b = off < b->off ? b->left : b->right;
    return b;
}

int gsh_alloc_give(struct gsh_alloc *a, size_t off)
{
    struct block *b = block_at(a, off);

    if (!b || !b->taken || b->off != off)
        return -EINVAL;
    pthread_mutex_lock(&a->lock);
    a->used -= b->span;
    a->n_blocks--;
    b->taken = false;
    b->bytes = 0;
    refresh(a->root, b);
    coalesce(a, b);
    pthread_mutex_unlock(&a->lock);
    return 0;
}

int gsh_alloc_find(struct gsh_alloc *a, size_t off, size_t *start, size_t *bytes, const void **tag)
{
    const struct block *b;
    int found;

    pthread_mutex_lock(&a->lock);
    b = block_at(a, off);
    found = b && b->taken;
    if (found) {
        *start = b->off;
        *bytes = b->bytes;
        *tag = b->tag;
    }
    pthread_mutex_unlock(&a->lock);
    return found;
}

void gsh_alloc_stats(const struct gsh_alloc *a, struct gsh_alloc_stats *stats)
{
    *stats = (struct gsh_alloc_stats){ .used = a->used,
                                       .committed = a->committed,
                                       .largest = a->root ? a->root->largest : 0,
                                       .n_blocks = a->n_blocks };
}

void gsh_alloc_each(const struct gsh_alloc *a,
                    void (*each)(void *arg, size_t off, size_t bytes, const void *tag), void *arg)
{
    for (const struct block *b = a->first; b; b = b->next)
        if (b->taken)
            each(arg, b->off, b->bytes, b->tag);
}
