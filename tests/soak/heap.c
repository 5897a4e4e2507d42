/* heap.c - blocks of the symmetric heap come and go; each PE's block has contents of its own. */
// SPDX-License-Identifier: BSD-3-Clause
#include "soak.h"

#include <stdlib.h>

enum { BLOCKS = 24, LARGE = 4 << 20 };

static struct block {
    unsigned char *at;
    size_t bytes;
    uint64_t name;
} blocks[BLOCKS];
static int n_blocks;

static uint64_t name_at(const struct block *block, int pe)
{
    return name_of(block->name, (uint64_t)pe);
}

static void allocate(struct dice *dice)
{
    struct block *block = &blocks[n_blocks++];
    size_t align = (size_t)8 << draw(dice, 10);

    block->bytes = 1 + (draw(dice, 12) ? draw_size(dice, 200000) : draw(dice, LARGE));
    block->name = dice->state;
    switch (draw(dice, 4)) {
    case 0:
        block->at = shmem_calloc(1, block->bytes);
        if (block->at)
            expect_value(block->at, block->bytes, 0, "calloc");
        break;
    case 1:
        block->at = shmem_align(align, block->bytes);
        if ((uintptr_t)block->at % align)
            soak_fail("%p is no multiple of %zu", (void *)block->at, align);
        break;
    case 2:
        block->at = shmem_malloc_with_hints(block->bytes, SHMEM_MALLOC_ATOMICS_REMOTE);
        break;
    default:
        block->at = shmem_malloc(block->bytes);
    }
    if (!block->at)
        soak_fail("no %zu bytes: %s", block->bytes, nvshmemx_last_error());
    fill(block->at, block->bytes, name_at(block, me));
}

static void resize(struct block *block, struct dice *dice)
{
    size_t bytes = 1 + draw_size(dice, 200000);
    size_t kept = bytes < block->bytes ? bytes : block->bytes;

    block->at = shmem_realloc(block->at, bytes);
    if (!block->at)
        soak_fail("no %zu bytes: %s", bytes, nvshmemx_last_error());
    expect(block->at, kept, name_at(block, me), 0, "realloc");
    block->bytes = bytes;
    fill(block->at, bytes, name_at(block, me));
}

static void release(struct block *block)
{
    expect(block->at, block->bytes, name_at(block, me), 0, "block to be freed");
    shmem_free(block->at);
    *block = blocks[--n_blocks];
}

/* Each PE writes the whole block of the PE `by` on. */
static void rewrite(struct block *block, struct dice *dice)
{
    int by = (int)draw(dice, (unsigned)n_pes);
    unsigned char *out = need_private(block->bytes);

    block->name = dice->state;
    fill(out, block->bytes, name_at(block, (me + by) % n_pes));
    shmem_putmem_nbi(block->at, out, block->bytes, (me + by) % n_pes);
    meet(dice);
    free(out);
    expect(block->at, block->bytes, name_at(block, me), 0, "block after a put");
}

static void look(const struct block *block)
{
    struct dice own = soak_dice(me);
    int pe = (int)draw(&own, (unsigned)n_pes);
    size_t from = draw(&own, (unsigned)block->bytes);
    size_t bytes = draw_size(&own, block->bytes - from);
    unsigned char *in = need_private(bytes + 1);
    const unsigned char *direct = shmem_ptr(block->at, pe);

    shmem_getmem(in, block->at + from, bytes, pe);
    expect(in, bytes, name_at(block, pe), from, "block of a peer");
    if (direct)
        expect(direct + from, bytes, name_at(block, pe), from, "block through shmem_ptr");
    free(in);
}

void heap_round(void)
{
    struct dice dice = soak_dice(-1);
    struct block *block;
    unsigned what = draw(&dice, 7);

    if (!n_blocks || (what < 3 && n_blocks < BLOCKS)) {
        allocate(&dice);
        shmem_barrier_all();
        return;
    }
    block = &blocks[draw(&dice, (unsigned)n_blocks)];
    if (what < 3)
        release(block);
    else if (what == 3)
        resize(block, &dice);
    else if (what == 4)
        rewrite(block, &dice);
    else if (what == 5)
        look(block);
    else
        release(block);
    shmem_barrier_all();
}
