/* Whoever sees a signal sees the whole payload that it was put with, for every form of
 * put_signal and both operations, over many rounds. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

typedef void signal_fn(void *dest, const void *source, size_t nelems, uint64_t *sig_addr,
                       uint64_t signal, int sig_op, int pe);

struct form {
    const char *name;
    size_t size; /* of an element */
    signal_fn *put_signal, *put_signal_nbi;
};

/* clang-format off */
#define PUTS(name, type, a) \
    static void name##_put_signal(void *d, const void *s, size_t n, \
    uint64_t *sig, uint64_t v, int op, int pe) \
    { nvshmem_##name##_put_signal((type *)d, (const type *)s, n, sig, v, op, pe); } \
    static void name##_put_signal_nbi(void *d, const void *s, size_t n, \
    uint64_t *sig, uint64_t v, int op, int pe) \
    { nvshmem_##name##_put_signal_nbi((type *)d, (const type *)s, n, sig, v, op, pe); }
GSH_RMA_TYPES(PUTS, _)
#undef PUTS
/* clang-format on */

static const struct form forms[] = {
#define ROW(name, type, a) { #name, sizeof(type), name##_put_signal, name##_put_signal_nbi },
    GSH_RMA_TYPES(ROW, _)
#undef ROW
#define ROW(bits, a) \
    { #bits, bits / 8, nvshmem_put##bits##_signal, nvshmem_put##bits##_signal_nbi },
        GSH_SIZES(ROW, _)
#undef ROW
            { "mem", 1, nvshmem_putmem_signal, nvshmem_putmem_signal_nbi },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]), ELEMS = 37, SLOT = (ELEMS + 1) * 16 };
enum { WORDS = 8192, SHARED = 512 };

static int me, n_pes, next, prev;
static uint64_t *sigs;  /* symmetric: one a PE, and one to give the buffer back */
static uint64_t *words; /* symmetric: the payload of the rounds */
static char *slots;     /* symmetric: one slot a PE */

static void check_form(const struct form *f, signal_fn *put, const char *suffix, unsigned seed)
{
    static char out[SLOT] __attribute__((aligned(16)));
    size_t bytes = ELEMS * f->size;

    memset(slots, 0, (size_t)n_pes * SLOT);
    memset(sigs, 0, (n_pes + 1) * sizeof(*sigs));
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++) {
        nvshmem_quiet();
        fill(out, bytes, mix(seed, me * n_pes + pe));
        put(slots + me * SLOT, out, ELEMS, &sigs[me], 1000 + me, NVSHMEM_SIGNAL_SET, pe);
    }
    for (int pe = 0; pe < n_pes; pe++) {
        uint64_t seen = nvshmem_signal_wait_until(&sigs[pe], NVSHMEM_CMP_NE, 0);

        CHECK(seen == 1000u + pe, "%s%s: signal %llu of pe %d", f->name, suffix,
              (unsigned long long)seen, pe);
        CHECK(differs(slots + pe * SLOT, bytes, mix(seed, pe * n_pes + me)) == bytes,
              "%s%s: payload of pe %d", f->name, suffix, pe);
        CHECK(differs_from(slots + pe * SLOT + bytes, SLOT - bytes, 0) == SLOT - bytes,
              "%s%s: behind the payload of pe %d", f->name, suffix, pe);
    }
    nvshmem_barrier_all();
}

static void all_forms(void)
{
    for (int i = 0; i < FORMS; i++) {
        check_form(&forms[i], forms[i].put_signal, "_put_signal", mix(i, 1));
        check_form(&forms[i], forms[i].put_signal_nbi, "_put_signal_nbi", mix(i, 2));
        fact("%s put_signal and put_signal_nbi carry payload and signal", forms[i].name);
    }
}

static size_t words_not(const uint64_t *p, size_t n, uint64_t value)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += p[i] != value;
    return wrong;
}

/* Round k goes round the ring, stamped with k; the reader gives the buffer back. */
static void stamped_rounds(int rounds, int op, signal_fn *put)
{
    static const size_t sizes[] = { 1, 2, 63, 512, 4001, WORDS };
    static uint64_t out[WORDS];
    uint64_t *sig = &sigs[0], *back = &sigs[n_pes];

    *sig = *back = 0;
    nvshmem_barrier_all();
    for (int k = 1; k <= rounds; k++) {
        size_t n = k % 16 ? sizes[k % 4] : sizes[4 + k / 16 % 2];

        for (size_t i = 0; i < n; i++)
            out[i] = (uint64_t)k;
        put(words, out, n * sizeof(*out), sig, op == NVSHMEM_SIGNAL_SET ? (uint64_t)k : 1, op,
            next);
        nvshmem_signal_wait_until(sig, NVSHMEM_CMP_GE, (uint64_t)k);
        CHECK(words_not(words, n, (uint64_t)k) == 0, "round %d, %zu words", k, n);
        nvshmemx_signal_op(back, 1, NVSHMEM_SIGNAL_ADD, prev);
        nvshmem_signal_wait_until(back, NVSHMEM_CMP_EQ, (uint64_t)k);
        nvshmem_quiet();
    }
    nvshmem_barrier_all();
}

/* All PEs add to one signal of PE 0; when it is complete, so are all their slices. */
static void added_signals(int rounds)
{
    static uint64_t out[SHARED];
    uint64_t *sig = &sigs[0];

    *sig = 0;
    nvshmem_barrier_all();
    for (int k = 1; k <= rounds; k++) {
        size_t n = 1 + mix(k, 5) % SHARED;

        for (size_t i = 0; i < n; i++)
            out[i] = (uint64_t)k;
        nvshmem_uint64_put_signal(words + me * SHARED, out, n, sig, 1, NVSHMEM_SIGNAL_ADD, 0);
        if (me == 0) {
            nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, (uint64_t)k * n_pes);
            for (int pe = 0; pe < n_pes; pe++)
                CHECK(words_not(words + pe * SHARED, n, (uint64_t)k) == 0, "round %d, pe %d", k,
                      pe);
        }
        nvshmem_sync_all();
    }
    nvshmem_barrier_all();
    fact("when the added signals of all PEs are there, so are all their payloads");
}

/* Many slices without signal, a fence, and one slice with it. */
static void last_slice_signals(int rounds)
{
    enum { SLICES = 32, SLICE = 16 };
    static uint64_t out[SLICES * SLICE];
    uint64_t *sig = &sigs[0];

    *sig = 0;
    nvshmem_barrier_all();
    for (int k = 1; k <= rounds; k++) {
        for (int i = 0; i < SLICES * SLICE; i++)
            out[i] = (uint64_t)k;
        for (int s = 1; s < SLICES; s++)
            nvshmem_uint64_put_nbi(words + s * SLICE, out + s * SLICE, SLICE, next);
        nvshmem_fence();
        nvshmem_uint64_put_signal_nbi(words, out, SLICE, sig, (uint64_t)k, NVSHMEM_SIGNAL_SET,
                                      next);
        nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, (uint64_t)k);
        CHECK(words_not(words, SLICES * SLICE, (uint64_t)k) == 0, "round %d", k);
        nvshmem_barrier_all();
    }
    fact("a signal behind a fence comes after all slices that were put before");
}

/* The reader stores 0 to the word itself and waits for the next 1. */
static void plain_reset(int rounds)
{
    uint64_t *sig = &sigs[0];
    uint64_t value;

    *sig = 0;
    nvshmem_barrier_all();
    for (int k = 1; k <= rounds; k++) {
        value = (uint64_t)k;
        nvshmem_putmem_signal(words, &value, sizeof(value), sig, 1, NVSHMEM_SIGNAL_SET, next);
        nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, 1);
        CHECK(words[0] == (uint64_t)k, "round %d", k);
        *sig = 0;
        nvshmem_sync_all();
    }
    nvshmem_barrier_all();
    fact("a signal word that the reader resets by a plain store can be used again");
}

static void values(void)
{
    uint64_t *sig = &sigs[0];
    uint64_t one = 1;

    *sig = 7;
    nvshmem_barrier_all();
    nvshmem_uint64_put_signal(words, &one, 1, sig, 0, NVSHMEM_SIGNAL_SET, next);
    CHECK(nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, 0) == 0, "value 0");
    CHECK(nvshmem_signal_fetch(sig) == 0, "fetch");
    nvshmem_barrier_all();
    nvshmem_uint64_put_signal(words, &one, 0, sig, 5, NVSHMEM_SIGNAL_ADD, next);
    CHECK(nvshmem_signal_wait_until(sig, NVSHMEM_CMP_NE, 0) == 5, "empty payload");
    nvshmem_barrier_all();
    nvshmemx_signal_op(sig, UINT64_MAX, NVSHMEM_SIGNAL_SET, next);
    CHECK(nvshmem_signal_wait_until(sig, NVSHMEM_CMP_GT, 5) == UINT64_MAX, "the largest value");
    nvshmem_barrier_all();
    nvshmemx_signal_op(sig, 3, NVSHMEM_SIGNAL_ADD, next);
    CHECK(nvshmem_signal_wait_until(sig, NVSHMEM_CMP_LT, 100) == 2, "it wraps around");
    CHECK(nvshmem_signal_fetch(sig) == 2, "fetch");
    nvshmem_barrier_all();
    fact("0, an empty payload, the largest value and wrap-around are signals as others are");
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    next = (me + 1) % n_pes;
    prev = (me + n_pes - 1) % n_pes;
    sigs = (uint64_t *)need((n_pes + 1) * sizeof(*sigs));
    words = (uint64_t *)need((WORDS + (size_t)n_pes * SHARED) * sizeof(*words));
    slots = (char *)need((size_t)n_pes * SLOT);
    all_forms();
    stamped_rounds(600, NVSHMEM_SIGNAL_SET, nvshmem_putmem_signal);
    fact("the payload of round k is complete when signal k is seen, set");
    stamped_rounds(600, NVSHMEM_SIGNAL_ADD, nvshmem_putmem_signal);
    fact("the payload of round k is complete when signal k is seen, added");
    stamped_rounds(600, NVSHMEM_SIGNAL_SET, nvshmem_putmem_signal_nbi);
    fact("the payload of round k is complete when signal k is seen, nbi");
    added_signals(200);
    last_slice_signals(100);
    plain_reset(100);
    values();
    status = finish();
    nvshmem_finalize();
    return status;
}
