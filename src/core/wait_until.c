/* wait_until.c - the public waits and tests.
 *
 * One body serves every type: an operand is read as a 64-bit key in which the
 * order of the type is that of unsigned numbers (sign bit flipped for signed
 * types), so that a comparison needs neither type nor sign.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/init.h"
#include "core/log.h"
#include "core/names.h"
#include "core/remote.h"
#include "core/words.h"
#include "gpu/gpu.h"
#include "heap/device.h"
#include "watch/stuck.h"

#include <gshmem/shmem/deprecated.h>
#include <gshmem/shmem/signal.h>
#include <gshmem/shmem/wait.h>
#include <gshmem/signal.h>
#include <gshmem/wait.h>

#include <stdio.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t key(uint64_t bits, size_t size, bool is_signed)
{
    return is_signed ? bits ^ UINT64_C(1) << (size * 8 - 1) : bits;
}

/* Pairs with the release of signals, flags and fences. */
INLINE uint64_t load(const void *at, size_t size)
{
    switch (size) {
    case 2:
        return __atomic_load_n((const uint16_t *)at, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
    }
}

INLINE uint64_t plain(const void *at, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, at, size);
    return bits;
}

INLINE bool holds(uint64_t a, int cmp, uint64_t b)
{
    switch (cmp) {
    case NVSHMEM_CMP_EQ:
        return a == b;
    case NVSHMEM_CMP_NE:
        return a != b;
    case NVSHMEM_CMP_GT:
        return a > b;
    case NVSHMEM_CMP_LE:
        return a <= b;
    case NVSHMEM_CMP_LT:
        return a < b;
    default:
        return a >= b;
    }
}

INLINE bool fulfilled(const struct gsh_words *w, size_t i)
{
    uint64_t have = load(w->ivars + i * w->size, w->size);
    uint64_t want = plain(w->values + (w->vector ? i : 0) * w->size, w->size);

    if (!holds(key(have, w->size, w->is_signed), w->cmp, key(want, w->size, w->is_signed)))
        return false;
    if (gsh_unlikely(gsh_race_on))
        gsh_race_observe(w->ivars + i * w->size, w->size, w->where);
    return true;
}

/* Words in GPU memory are looked at in a copy, which this renews. */
INLINE void look(const struct gsh_words *w)
{
    if (gsh_unlikely(w->device != NULL) && gsh_gpu_copy(w->seen, w->device, w->n * w->size))
        gsh_die("%s: %s", w->call, gsh_last_error());
}

/* Nobody rings for those: the waiter gives up its core, but does not sleep. */
INLINE void pause(const struct gsh_words *w, struct gsh_wait *wait)
{
    if (gsh_unlikely(w->device != NULL))
        wait->polls = gsh.spin;
    gsh_pause(wait);
}

INLINE bool skipped(const struct gsh_words *w, size_t i)
{
    return w->status && w->status[i];
}

/* Checks the arguments; then the words are looked at where they are, or in a copy, which
 * done() frees. */
static void check(struct gsh_words *w)
{
    if (!gsh.n_init)
        gsh_remote_refuse(w->call, w->ivars, w->size, 0);
    if (w->cmp < NVSHMEM_CMP_EQ || w->cmp > NVSHMEM_CMP_GE)
        gsh_die("%s: comparison %d is none of NVSHMEM_CMP_EQ (0) to NVSHMEM_CMP_GE (5)", w->call,
                w->cmp);
    if ((uintptr_t)w->ivars % w->size)
        gsh_die("%s: %p is not aligned to its %zu bytes", w->call, (const void *)w->ivars, w->size);
    if (gsh_likely(!gsh_device_heap_has(w->ivars, 0)))
        return;
    w->seen = malloc(w->n * w->size + 1);
    if (!w->seen)
        gsh_die("%s: no memory for a copy of %zu words", w->call, w->n);
    w->device = w->ivars;
    w->ivars = w->seen;
}

INLINE void done(struct gsh_words *w)
{
    if (gsh_unlikely(w->device != NULL))
        free(w->seen);
}

static int print_value(const struct gsh_words *w, const void *at, char *text, size_t bytes)
{
    uint64_t bits = plain(at, w->size);
    unsigned unused = (unsigned)(64 - w->size * 8);

    if (w->is_signed)
        return snprintf(text, bytes, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    return snprintf(text, bytes, "%llu", (unsigned long long)bits);
}

/* The first word that is still waited for, with what is there and what is wanted.
 * Hopeless when all other PEs have ended and this one runs nothing else: nobody is left to
 * write it. */
static bool describe(const struct gsh_wait *wait, char *text, size_t bytes)
{
    static const char *const names[] = {
#define ROW(name, value) [value] = #name,
        GSH_COMPARISONS(ROW)
#undef ROW
    };
    const struct gsh_words *w = wait->arg;
    char have[32], want[32], place[64];
    size_t i = 0;
    bool alone = gsh_stuck_alone();

    while (i + 1 < w->n && (skipped(w, i) || fulfilled(w, i)))
        i++;
    print_value(w, w->ivars + i * w->size, have, sizeof(have));
    print_value(w, w->values + (w->vector ? i : 0) * w->size, want, sizeof(want));
    for (int pe = 0; pe < gsh.n_pes && alone; pe++)
        alone = pe == gsh.my_pe || gsh_pe_state(pe) > GSH_PE_RUNNING;
    gsh_place((w->device ? w->device : w->ivars) + i * w->size, place, sizeof(place));
    snprintf(text, bytes, "for word %zu of %zu (%s) to be %s %s; it is %s%s", i, w->n, place,
             names[w->cmp], want, have, alone ? ", and every other PE has ended" : "");
    return alone;
}

static bool all(const struct gsh_words *w, size_t *from)
{
    look(w);
    for (; *from < w->n; ++*from)
        if (!skipped(w, *from) && !fulfilled(w, *from))
            return false;
    return true;
}

static bool looks_at_none(const struct gsh_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (!skipped(w, i))
            return false;
    return true;
}

/* Where the next search begins, so that no element is starved. */
static _Atomic size_t rotor;

static size_t any(const struct gsh_words *w)
{
    look(w);
    size_t start = w->n ? atomic_fetch_add_explicit(&rotor, 1, memory_order_relaxed) % w->n : 0;

    for (size_t k = 0; k < w->n; k++) {
        size_t i = start + k < w->n ? start + k : start + k - w->n;

        if (!skipped(w, i) && fulfilled(w, i))
            return i;
    }
    return SIZE_MAX;
}

static size_t some(const struct gsh_words *w, size_t *indices)
{
    size_t n = 0;

    look(w);
    for (size_t i = 0; i < w->n; i++)
        if (!skipped(w, i) && fulfilled(w, i))
            indices[n++] = i;
    return n;
}

static struct gsh_wait begin(const struct gsh_words *w, const void *where)
{
    return (struct gsh_wait){ .call = w->call, .where = where, .describe = describe, .arg = w };
}

void gsh_words_wait_all(struct gsh_words *w, const void *where)
{
    struct gsh_wait wait = begin(w, where);
    size_t from = 0;

    check(w);
    while (!all(w, &from))
        pause(w, &wait);
    gsh_wait_end(&wait);
    done(w);
}

static size_t wait_any(struct gsh_words *w, const void *where)
{
    struct gsh_wait wait = begin(w, where);
    size_t i = SIZE_MAX;

    check(w);
    while (!looks_at_none(w) && (i = any(w)) == SIZE_MAX)
        pause(w, &wait);
    gsh_wait_end(&wait);
    done(w);
    return i;
}

static size_t wait_some(struct gsh_words *w, size_t *indices, const void *where)
{
    struct gsh_wait wait = begin(w, where);
    size_t n = 0;

    check(w);
    while (!looks_at_none(w) && !(n = some(w, indices)))
        pause(w, &wait);
    gsh_wait_end(&wait);
    done(w);
    return n;
}

/* Who tests again and again would else leave it to a thread to receive what it tests for. */
static void check_test(struct gsh_words *w)
{
    check(w);
    if (gsh_unlikely(gsh.remote))
        gsh_tr_progress();
}

INLINE int test_all(struct gsh_words *w)
{
    bool holds_all;

    check_test(w);
    holds_all = all(w, &(size_t){ 0 });
    done(w);
    return holds_all;
}

static size_t test_any(struct gsh_words *w)
{
    size_t i;

    check_test(w);
    i = any(w);
    done(w);
    return i;
}

static size_t test_some(struct gsh_words *w, size_t *indices)
{
    size_t n;

    check_test(w);
    n = some(w, indices);
    done(w);
    return n;
}

/* The commonest wait, one word, with size and sign known: no call until it has to
 * sleep. */
INLINE uint64_t wait_one(struct gsh_words *w, size_t size, bool is_signed, const void *where)
{
    struct gsh_wait wait = { 0 };
    uint64_t want = key(plain(w->values, size), size, is_signed);
    uint64_t have;

    check(w);
    wait = begin(w, where);
    while (have = load(w->ivars, size), !holds(key(have, size, is_signed), w->cmp, want))
        gsh_pause(&wait);
    gsh_wait_end(&wait);
    if (gsh_unlikely(gsh_race_on))
        gsh_race_observe(w->ivars, size, where);
    return have;
}

#define WORDS(text, type, ivars_, n_, status_, values_, vector_) \
    (struct gsh_words) \
    { \
        text, (const char *)(ivars_), (n_), sizeof(type), (type)-1 < 1, (status_), cmp, \
            (const char *)(values_), (vector_), HERE, NULL, NULL \
    }
#define HERE __builtin_return_address(0)

/* X for both interfaces. */
#define EACH(X, ...) GSH_WAIT_TYPES(X, NV, __VA_ARGS__) GSH_WAIT_TYPES(X, OS, __VA_ARGS__)

#define DEF(name, type, F, a) \
    void F##_NAME(name##_wait_until)(type * ivar, int cmp, type value) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_wait_until), type, ivar, 1, NULL, &value, false); \
        wait_one(&w, sizeof(type), (type)-1 < 1, HERE); \
    } \
    F##_WEAK(name##_wait_until) int F##_NAME(name##_test)(type * ivar, int cmp, type value) \
    { \
        struct gsh_words w = WORDS(F##_TEXT(name##_test), type, ivar, 1, NULL, &value, false); \
        return test_all(&w); \
    } \
    F##_WEAK(name##_test)
EACH(DEF, _)
#undef DEF

/* suffix, parameter, expression of the values, whether there is one each */
#define FORMS(X, name, type, F) \
    X(name, type, F, , type value, &value, false) \
    X(name, type, F, _vector, F##_CONST type *values, values, true)

#define WAIT_FORM(name, type, F, suffix, param, expr, vector) \
    void F##_NAME(name##_wait_until_all##suffix)(type * ivars, size_t n, const int *status, \
                                                 int cmp, param) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_wait_until_all##suffix), type, ivars, n, status, expr, vector); \
        gsh_words_wait_all(&w, HERE); \
    } \
    F##_WEAK(name##_wait_until_all##suffix) size_t F##_NAME(name##_wait_until_any##suffix)( \
        type * ivars, size_t n, const int *status, int cmp, param) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_wait_until_any##suffix), type, ivars, n, status, expr, vector); \
        return wait_any(&w, HERE); \
    } \
    F##_WEAK(name##_wait_until_any##suffix) size_t F##_NAME(name##_wait_until_some##suffix)( \
        type * ivars, size_t n, size_t * indices, const int *status, int cmp, param) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_wait_until_some##suffix), type, ivars, n, status, expr, vector); \
        return wait_some(&w, indices, HERE); \
    } \
    F##_WEAK(name##_wait_until_some##suffix)

#define TEST_FORM(name, type, F, suffix, param, expr, vector) \
    int F##_NAME(name##_test_all##suffix)(type * ivars, size_t n, const int *status, int cmp, \
                                          param) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_test_all##suffix), type, ivars, n, status, expr, vector); \
        return test_all(&w); \
    } \
    F##_WEAK(name##_test_all##suffix) size_t F##_NAME(name##_test_any##suffix)( \
        type * ivars, size_t n, const int *status, int cmp, param) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_test_any##suffix), type, ivars, n, status, expr, vector); \
        return test_any(&w); \
    } \
    F##_WEAK(name##_test_any##suffix) size_t F##_NAME(name##_test_some##suffix)( \
        type * ivars, size_t n, size_t * indices, const int *status, int cmp, param) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(name##_test_some##suffix), type, ivars, n, status, expr, vector); \
        return test_some(&w, indices); \
    } \
    F##_WEAK(name##_test_some##suffix)

#define DEF(name, type, F, a) FORMS(WAIT_FORM, name, type, F) FORMS(TEST_FORM, name, type, F)
EACH(DEF, _)
#undef DEF

#define DEF(F) \
    uint64_t F##_NAME(signal_wait_until)(uint64_t * sig_addr, int cmp, uint64_t value) \
    { \
        struct gsh_words w = \
            WORDS(F##_TEXT(signal_wait_until), uint64_t, sig_addr, 1, NULL, &value, false); \
        return wait_one(&w, 8, false, HERE); \
    } \
    F##_WEAK(signal_wait_until)
DEF(NV)
DEF(OS)
#undef DEF

/* The deprecated names. */
void pshmem_wait_until(long *ivar, int cmp, long value)
{
    struct gsh_words w = WORDS("shmem_wait_until", long, ivar, 1, NULL, &value, false);

    wait_one(&w, sizeof(long), true, HERE);
}
OS_WEAK(wait_until)

#define WAIT(call, type) \
    void OS_NAME(call)(type * ivar, type value) \
    { \
        int cmp = NVSHMEM_CMP_NE; \
        struct gsh_words w = WORDS(OS_TEXT(call), type, ivar, 1, NULL, &value, false); \
        wait_one(&w, sizeof(type), true, HERE); \
    } \
    OS_WEAK(call)
#define DEF(name, type, a) WAIT(name##_wait, type)
WAIT(wait, long)
GSH_OLD_INT_TYPES(DEF, _)
