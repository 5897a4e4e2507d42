/* OpenSHMEM 1.5, sections 9.6 and 9.7: put, get, p, g, iput, iget, ibput and ibget of every type
 * and size, blocking or not, with a context or not, move exactly the elements they should. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { N = 24, ROOM = 2 * N * 16 };

static int me, n_pes, next, prev;
static shmem_ctx_t ctx;
static char *far;                                     /* symmetric, ROOM bytes */
static char fixed[ROOM] __attribute__((aligned(16))); /* symmetric */
static char near_[ROOM] __attribute__((aligned(16))); /* used as local */

/* What the test calls, with elements as bytes. */
typedef void move(void *dest, const void *source, size_t nelems, int pe);
typedef void stride(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,
                    int pe);
typedef void block(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                   size_t nblocks, int pe);

struct form {
    const char *name;
    size_t size;
    move *put[4], *get[4]; /* plain, nbi, ctx, ctx nbi */
    stride *iput[2], *iget[2];
    block *ibput[2], *ibget[2];
};

/* clang-format off */
#define MOVE(name, type, call) \
    static void name##_##call(void *d, const void *s, size_t n, int pe) \
    { shmem_##name##_##call((type *)d, (const type *)s, n, pe); } \
    static void name##_ctx_##call(void *d, const void *s, size_t n, int pe) \
    { shmem_ctx_##name##_##call(ctx, (type *)d, (const type *)s, n, pe); }
#define STRIDE(name, type, call) \
    static void name##_##call(void *d, const void *s, ptrdiff_t a, ptrdiff_t b, size_t n, int pe) \
    { shmem_##name##_##call((type *)d, (const type *)s, a, b, n, pe); } \
    static void name##_ctx_##call(void *d, const void *s, ptrdiff_t a, ptrdiff_t b, size_t n, int pe) \
    { shmem_ctx_##name##_##call(ctx, (type *)d, (const type *)s, a, b, n, pe); }
#define BLOCK(name, type, call) \
    static void name##_##call(void *d, const void *s, ptrdiff_t a, ptrdiff_t b, size_t m, size_t n, int pe) \
    { shmem_##name##_##call((type *)d, (const type *)s, a, b, m, n, pe); } \
    static void name##_ctx_##call(void *d, const void *s, ptrdiff_t a, ptrdiff_t b, size_t m, size_t n, int pe) \
    { shmem_ctx_##name##_##call(ctx, (type *)d, (const type *)s, a, b, m, n, pe); }
#define ALL(name, type, a) \
    MOVE(name, type, put) MOVE(name, type, put_nbi) MOVE(name, type, get) MOVE(name, type, get_nbi) \
    STRIDE(name, type, iput) STRIDE(name, type, iget) BLOCK(name, type, ibput) BLOCK(name, type, ibget)
GSH_SHMEM_RMA_TYPES(ALL, _)
#undef ALL
#define CTX(call) \
    static void c_##call(void *d, const void *s, size_t n, int pe) { shmem_ctx_##call(ctx, d, s, n, pe); }
#define CTXS(bits, a) \
    CTX(put##bits) CTX(put##bits##_nbi) CTX(get##bits) CTX(get##bits##_nbi) \
    static void c_iput##bits(void *d, const void *s, ptrdiff_t x, ptrdiff_t y, size_t n, int pe) \
    { shmem_ctx_iput##bits(ctx, d, s, x, y, n, pe); } \
    static void c_iget##bits(void *d, const void *s, ptrdiff_t x, ptrdiff_t y, size_t n, int pe) \
    { shmem_ctx_iget##bits(ctx, d, s, x, y, n, pe); } \
    static void c_ibput##bits(void *d, const void *s, ptrdiff_t x, ptrdiff_t y, size_t m, size_t n, int pe) \
    { shmem_ctx_ibput##bits(ctx, d, s, x, y, m, n, pe); } \
    static void c_ibget##bits(void *d, const void *s, ptrdiff_t x, ptrdiff_t y, size_t m, size_t n, int pe) \
    { shmem_ctx_ibget##bits(ctx, d, s, x, y, m, n, pe); }
GSH_SIZES(CTXS, _)
CTX(putmem) CTX(putmem_nbi) CTX(getmem) CTX(getmem_nbi)

static const struct form forms[] = {
#define ROW(name, type, a) { #name, sizeof(type), \
    { name##_put, name##_put_nbi, name##_ctx_put, name##_ctx_put_nbi }, \
    { name##_get, name##_get_nbi, name##_ctx_get, name##_ctx_get_nbi }, \
    { name##_iput, name##_ctx_iput }, { name##_iget, name##_ctx_iget }, \
    { name##_ibput, name##_ctx_ibput }, { name##_ibget, name##_ctx_ibget } },
    GSH_SHMEM_RMA_TYPES(ROW, _)
#undef ROW
#define ROW(bits, a) { #bits, bits / 8, \
    { shmem_put##bits, shmem_put##bits##_nbi, c_put##bits, c_put##bits##_nbi }, \
    { shmem_get##bits, shmem_get##bits##_nbi, c_get##bits, c_get##bits##_nbi }, \
    { shmem_iput##bits, c_iput##bits }, { shmem_iget##bits, c_iget##bits }, \
    { shmem_ibput##bits, c_ibput##bits }, { shmem_ibget##bits, c_ibget##bits } },
    GSH_SIZES(ROW, _)
#undef ROW
    { "mem", 1, { shmem_putmem, shmem_putmem_nbi, c_putmem, c_putmem_nbi },
      { shmem_getmem, shmem_getmem_nbi, c_getmem, c_getmem_nbi }, { 0 }, { 0 }, { 0 }, { 0 } },
};
/* clang-format on */

/* dest is to have the first m of each `dst` elements from source's first m of each `sst`, n
 * times, and zeroes else. */
static int is_block(const char *dest, unsigned seed, const struct form *f, size_t dst, size_t sst,
                    size_t m, size_t n)
{
    static char source[ROOM], want[ROOM];

    fill(source, sizeof(source), seed);
    memset(want, 0, sizeof(want));
    for (size_t i = 0; i < n; i++)
        memcpy(want + i * dst * f->size, source + i * sst * f->size, m * f->size);
    return !memcmp(dest, want, sizeof(want));
}

static void clear(void)
{
    memset(far, 0, ROOM);
    memset(fixed, 0, ROOM);
    shmem_barrier_all();
}

/* Puts from near_ to far and fixed of the next PE. */
static void puts_of(const struct form *f)
{
    for (int i = 0; i < 4; i++) {
        char *dest = i % 3 ? fixed : far;

        clear();
        fill(near_, ROOM, mix(me, i));
        f->put[i](dest, near_, N, next);
        if (i > 1)
            shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        CHECK(is_block(dest, mix(prev, i), f, N, N, N, 1), "%s put %d", f->name, i);
    }
    for (int i = 0; i < 2 && f->iput[i]; i++) {
        clear();
        fill(near_, ROOM, mix(me, i));
        f->iput[i](far, near_, 3, 2, 7, next);
        f->ibput[i](fixed, near_, 5, 4, 3, 4, next);
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        CHECK(is_block(far, mix(prev, i), f, 3, 2, 1, 7), "%s iput %d", f->name, i);
        CHECK(is_block(fixed, mix(prev, i), f, 5, 4, 3, 4), "%s ibput %d", f->name, i);
    }
}

/* Gets from far and fixed of the next PE to near_. */
static void gets_of(const struct form *f)
{
    shmem_barrier_all();
    fill(far, ROOM, mix(me, 77));
    fill(fixed, ROOM, mix(me, 78));
    shmem_barrier_all();
    for (int i = 0; i < 4; i++) {
        memset(near_, 0, ROOM);
        f->get[i](near_, i % 2 ? fixed : far, N, next);
        shmem_quiet();
        shmem_ctx_quiet(ctx);
        CHECK(is_block(near_, mix(next, 77 + i % 2), f, N, N, N, 1), "%s get %d", f->name, i);
    }
    for (int i = 0; i < 2 && f->iget[i]; i++) {
        memset(near_, 0, ROOM);
        f->iget[i](near_, far, 2, 3, 7, next);
        CHECK(is_block(near_, mix(next, 77), f, 2, 3, 1, 7), "%s iget %d", f->name, i);
        memset(near_, 0, ROOM);
        f->ibget[i](near_, fixed, 4, 5, 3, 4, next);
        CHECK(is_block(near_, mix(next, 78), f, 4, 5, 3, 4), "%s ibget %d", f->name, i);
    }
    shmem_barrier_all();
}

/* One element by value. */
#define SINGLE(name, type, a) \
    static void name##_single(void) \
    { \
        type *word = (type *)(void *)far; \
        clear(); \
        shmem_##name##_p(&word[0], (type)(me + 1), next); \
        shmem_ctx_##name##_p(ctx, &word[1], (type)(me + 2), next); \
        shmem_ctx_quiet(ctx); \
        shmem_barrier_all(); \
        CHECK(word[0] == (type)(prev + 1) && word[1] == (type)(prev + 2), #name "_p"); \
        CHECK(shmem_##name##_g(word, next) == (type)(me + 1), #name "_g"); \
        CHECK(shmem_ctx_##name##_g(ctx, &word[1], next) == (type)(me + 2), #name "_g"); \
        shmem_barrier_all(); \
    }
GSH_SHMEM_RMA_TYPES(SINGLE, _)

/* Blocks that fill several messages between nodes, or are too large for one; a byte between them
 * stays as it was. */
static void blocks_of(size_t bytes, size_t n)
{
    size_t all = n * (bytes + 1), wrong = 0;
    unsigned char *there = shmem_calloc(all, 1);
    char *here = calloc(all, 1), *back = calloc(all, 1);

    fill(here, n * bytes, mix(me, 5));
    shmem_ibput8(there, here, (ptrdiff_t)bytes + 1, (ptrdiff_t)bytes, bytes, n, next);
    shmem_barrier_all();
    for (size_t i = 0; i < all; i++) {
        size_t at = i % (bytes + 1), from = i / (bytes + 1) * bytes + at;

        wrong += there[i] != (at < bytes ? byte_of(mix(prev, 5), from) : 0);
    }
    CHECK(!wrong, "%zu blocks of %zu put: %zu bytes", n, bytes, wrong);
    shmem_ibget8(back, there, (ptrdiff_t)bytes, (ptrdiff_t)bytes + 1, bytes, n, next);
    CHECK(!memcmp(back, here, n * bytes), "%zu blocks of %zu got", n, bytes);
    shmem_barrier_all();
    shmem_free(there);
    free(here);
    free(back);
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    next = (me + 1) % n_pes;
    prev = (me + n_pes - 1) % n_pes;
    far = need(ROOM);
    shmem_ctx_create(0, &ctx);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        puts_of(&forms[i]);
        gets_of(&forms[i]);
        fact("%s: put and get, nbi, strided, blocks, with and without context", forms[i].name);
    }
#define CALL(name, type, a) name##_single();
    GSH_SHMEM_RMA_TYPES(CALL, _)
    fact("p and g of all types, with and without context");
    blocks_of(300, 100);
    blocks_of(4090, 3);
    blocks_of(5000, 3);
    fact("blocks of hundreds and of thousands of bytes");
    shmem_ctx_destroy(ctx);
    status = finish();
    shmem_finalize();
    return status;
}
