/* OpenSHMEM 1.5, section 9.9: whoever sees a signal sees the data it came with, for all forms of
 * put_signal; signals go alone as well. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { N = 33, ROOM = N * 16 };

static int me, n_pes, next, prev;
static shmem_ctx_t ctx;
static char data[ROOM] __attribute__((aligned(16))), out[ROOM] __attribute__((aligned(16)));
static uint64_t sig, ready; /* symmetric, as data is */

typedef void put(void *dest, const void *source, size_t n, uint64_t signal, int op, int pe);

/* clang-format off */
#define PUT(name, type, call) \
    static void name##_##call(void *d, const void *s, size_t n, uint64_t v, int op, int pe) \
    { shmem_##name##_##call((type *)d, (const type *)s, n, &sig, v, op, pe); } \
    static void name##_ctx_##call(void *d, const void *s, size_t n, uint64_t v, int op, int pe) \
    { shmem_ctx_##name##_##call(ctx, (type *)d, (const type *)s, n, &sig, v, op, pe); }
#define PUTS(name, type, a) PUT(name, type, put_signal) PUT(name, type, put_signal_nbi)
GSH_SHMEM_RMA_TYPES(PUTS, _)
#define SIZED(size, call) \
    static void call(void *d, const void *s, size_t n, uint64_t v, int op, int pe) \
    { shmem_##call(d, s, n, &sig, v, op, pe); } \
    static void ctx_##call(void *d, const void *s, size_t n, uint64_t v, int op, int pe) \
    { shmem_ctx_##call(ctx, d, s, n, &sig, v, op, pe); }
#define SIZES(size, a) SIZED(size, put##size##_signal) SIZED(size, put##size##_signal_nbi)
GSH_SIZES(SIZES, _)
SIZES(mem, _)

static const struct form {
    const char *name;
    size_t size;
    put *puts[4];
} forms[] = {
#define ROW(name, type, a) { #name, sizeof(type), { name##_put_signal, name##_put_signal_nbi, \
    name##_ctx_put_signal, name##_ctx_put_signal_nbi } },
    GSH_SHMEM_RMA_TYPES(ROW, _)
#undef ROW
#define ROW_OF(size, bytes) { #size, bytes, { put##size##_signal, put##size##_signal_nbi, \
    ctx_put##size##_signal, ctx_put##size##_signal_nbi } },
#define ROW(bits, a) ROW_OF(bits, bits / 8)
    GSH_SIZES(ROW, _) ROW_OF(mem, 1)
};
/* clang-format on */

/* The owner tells when its buffer may be written again. */
static void round_of(const struct form *f, int i)
{
    static uint64_t rounds, expected;
    size_t bytes = f->size * N;

    shmem_signal_wait_until(&ready, SHMEM_CMP_EQ, rounds++);
    fill(out, bytes, mix(me, i));
    if (i % 2)
        f->puts[i](data, out, N, 3, SHMEM_SIGNAL_ADD, next);
    else
        f->puts[i](data, out, N, 1000 * (expected / 1000 + 1), SHMEM_SIGNAL_SET, next);
    expected = i % 2 ? expected + 3 : 1000 * (expected / 1000 + 1);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, expected) == expected, "%s %d", f->name, i);
    CHECK(shmem_signal_fetch(&sig) == expected, "%s %d", f->name, i);
    CHECK(differs(data, bytes, mix(prev, i)) == bytes, "%s %d: data", f->name, i);
    shmem_signal_set(&ready, rounds, prev);
}

static void alone(void)
{
    shmem_barrier_all();
    sig = 0;
    shmem_barrier_all();
    shmem_signal_set(&sig, 10, next);
    shmem_barrier_all();
    CHECK(sig == 10, "%llu", (unsigned long long)sig);
    shmem_barrier_all();
    shmem_ctx_signal_set(ctx, &sig, 20, next);
    shmem_ctx_quiet(ctx);
    shmem_fence();
    shmem_signal_add(ctx, &sig, 4, next);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(sig == 24, "%llu", (unsigned long long)sig);
    shmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        shmem_signal_add(&sig, 100, pe);
    shmem_barrier_all();
    CHECK(sig == 24 + 100u * (unsigned)n_pes, "%llu", (unsigned long long)sig);
    fact("signal_set and signal_add reach the word without data");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    next = (me + 1) % n_pes;
    prev = (me + n_pes - 1) % n_pes;
    shmem_ctx_create(0, &ctx);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        for (int k = 0; k < 4; k++)
            round_of(&forms[i], k);
        fact("%s: put_signal and put_signal_nbi, set and add", forms[i].name);
    }
    alone();
    shmem_ctx_destroy(ctx);
    status = finish();
    shmem_finalize();
    return status;
}
