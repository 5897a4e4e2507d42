/* Every typed and sized put, get, p, g, iput, iget and their _nbi forms move exactly the
 * elements they name, between all pairs of PEs, and touch nothing else. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

struct family {
    const char *name;
    size_t size; /* of an element */
    void (*put)(void *dest, const void *source, size_t nelems, int pe);
    void (*get)(void *dest, const void *source, size_t nelems, int pe);
    void (*put_nbi)(void *dest, const void *source, size_t nelems, int pe);
    void (*get_nbi)(void *dest, const void *source, size_t nelems, int pe);
    void (*iput)(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe);
    void (*iget)(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe);
    void (*p)(void *dest, const void *value, int pe);
    void (*g)(void *value, const void *source, int pe);
};

/* clang-format off */
#define BLOCKS(name, type, a) \
    static void name##_put(void *d, const void *s, size_t n, int pe) \
    { nvshmem_##name##_put((type *)d, (const type *)s, n, pe); } \
    static void name##_get(void *d, const void *s, size_t n, int pe) \
    { nvshmem_##name##_get((type *)d, (const type *)s, n, pe); } \
    static void name##_put_nbi(void *d, const void *s, size_t n, int pe) \
    { nvshmem_##name##_put_nbi((type *)d, (const type *)s, n, pe); } \
    static void name##_get_nbi(void *d, const void *s, size_t n, int pe) \
    { nvshmem_##name##_get_nbi((type *)d, (const type *)s, n, pe); }
GSH_RMA_TYPES(BLOCKS, _)
#undef BLOCKS

#define ELEMENTS(name, type, a) \
    static void name##_iput(void *d, const void *s, ptrdiff_t x, ptrdiff_t y, size_t n, int pe) \
    { nvshmem_##name##_iput((type *)d, (const type *)s, x, y, n, pe); } \
    static void name##_iget(void *d, const void *s, ptrdiff_t x, ptrdiff_t y, size_t n, int pe) \
    { nvshmem_##name##_iget((type *)d, (const type *)s, x, y, n, pe); } \
    static void name##_p(void *d, const void *v, int pe) \
    { nvshmem_##name##_p((type *)d, *(const type *)v, pe); } \
    static void name##_g(void *v, const void *s, int pe) \
    { *(type *)v = nvshmem_##name##_g((const type *)s, pe); }
GSH_RMA_TYPES(ELEMENTS, _)
#undef ELEMENTS
/* clang-format on */

static const struct family families[] = {
#define ENTRY(name, type, a) \
    { #name,          sizeof(type), name##_put,  name##_get, name##_put_nbi, \
      name##_get_nbi, name##_iput,  name##_iget, name##_p,   name##_g },
    GSH_RMA_TYPES(ENTRY, _)
#undef ENTRY
#define ENTRY(bits, a) \
    { #bits, \
      bits / 8, \
      nvshmem_put##bits, \
      nvshmem_get##bits, \
      nvshmem_put##bits##_nbi, \
      nvshmem_get##bits##_nbi, \
      nvshmem_iput##bits, \
      nvshmem_iget##bits, \
      NULL, \
      NULL },
        GSH_SIZES(ENTRY, _)
#undef ENTRY
            { "mem", 1, nvshmem_putmem, nvshmem_getmem, nvshmem_putmem_nbi, nvshmem_getmem_nbi,
              NULL, NULL, NULL, NULL },
};

/* A way to move n elements: element i goes from i * sst to i * dst. */
struct way {
    const char *name;
    int dst, sst;
    void (*move)(const struct family *f, const struct way *w, char *d, const char *s, size_t n,
                 int pe);
    int (*has)(const struct family *f);
};

/* clang-format off */
#define MOVE(verb) static void by_##verb( \
    const struct family *f, const struct way *w, char *d, const char *s, size_t n, int pe)
MOVE(put) { (void)w; f->put(d, s, n, pe); }
MOVE(get) { (void)w; f->get(d, s, n, pe); }
MOVE(put_nbi) { (void)w; f->put_nbi(d, s, n, pe); }
MOVE(get_nbi) { (void)w; f->get_nbi(d, s, n, pe); }
MOVE(iput) { f->iput(d, s, w->dst, w->sst, n, pe); }
MOVE(iget) { f->iget(d, s, w->dst, w->sst, n, pe); }
MOVE(p) { (void)w; for (size_t i = 0; i < n; i++) f->p(d + i * f->size, s + i * f->size, pe); }
MOVE(g) { (void)w; for (size_t i = 0; i < n; i++) f->g(d + i * f->size, s + i * f->size, pe); }
/* clang-format on */

static int always(const struct family *f)
{
    return f != NULL;
}

static int has_strides(const struct family *f)
{
    return f->iput != NULL;
}

static int has_single(const struct family *f)
{
    return f->p != NULL;
}

static const struct way puts_[] = {
    { "put", 1, 1, by_put, always },        { "put_nbi", 1, 1, by_put_nbi, always },
    { "p", 1, 1, by_p, has_single },        { "iput", 1, 1, by_iput, has_strides },
    { "iput", 3, 2, by_iput, has_strides }, { "iput", 1, 3, by_iput, has_strides },
};

static const struct way gets_[] = {
    { "get", 1, 1, by_get, always },        { "get_nbi", 1, 1, by_get_nbi, always },
    { "g", 1, 1, by_g, has_single },        { "iget", 1, 1, by_iget, has_strides },
    { "iget", 2, 3, by_iget, has_strides }, { "iget", 3, 1, by_iget, has_strides },
};

enum {
    ELEMS = 72,            /* at most, a move: more than go between nodes at once */
    SLOT = ELEMS * 3 * 16, /* room for them with the widest stride and element */
    SENTINEL = 0xee,
};

static const size_t counts[] = { 0, 1, 2, 7, ELEMS };
enum { COUNTS = sizeof(counts) / sizeof(counts[0]), ROW = COUNTS * SLOT };

static char *slots; /* symmetric: for each PE one slot a count */
static char *local; /* not symmetric: likewise */

/* The slot holds the n elements that were moved from contents `seed`, and the
 * sentinel everywhere else. */
static void check_slot(const struct family *f, const struct way *w, const char *slot, size_t n,
                       unsigned seed, int pe)
{
    size_t wrong = 0;

    for (size_t b = 0; b < SLOT; b++) {
        size_t elem = b / f->size, i = elem / w->dst;
        size_t from = i * w->sst * f->size + b % f->size;
        int moved = elem % w->dst == 0 && i < n;

        wrong += (unsigned char)slot[b] != (moved ? byte_of(seed, from) : SENTINEL);
    }
    CHECK(wrong == 0, "%s %s of %zu, strides %d %d, pe %d: %zu bytes", f->name, w->name, n, w->dst,
          w->sst, pe, wrong);
}

static unsigned seed_of(const struct family *f, int from, int to, size_t count)
{
    return mix(mix(from, to), (unsigned)(f->size * COUNTS + count));
}

static void check_put(const struct family *f, const struct way *w)
{
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();

    memset(slots, SENTINEL, (size_t)n_pes * ROW);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        for (size_t c = 0; c < COUNTS; c++) {
            char *from = local + pe * ROW + c * SLOT;

            fill(from, SLOT, seed_of(f, me, pe, c));
            w->move(f, w, slots + me * ROW + c * SLOT, from, counts[c], pe);
            if (w->move != by_put_nbi)
                memset(from, 0, SLOT);
        }
    nvshmem_quiet();
    memset(local, 0, (size_t)n_pes * ROW);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        for (size_t c = 0; c < COUNTS; c++)
            check_slot(f, w, slots + pe * ROW + c * SLOT, counts[c], seed_of(f, pe, me, c), pe);
    nvshmem_sync_all();
}

static void check_get(const struct family *f, const struct way *w)
{
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes();

    for (int pe = 0; pe < n_pes; pe++)
        for (size_t c = 0; c < COUNTS; c++)
            fill(slots + pe * ROW + c * SLOT, SLOT, seed_of(f, me, pe, c));
    memset(local, SENTINEL, (size_t)n_pes * ROW);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n_pes; pe++)
        for (size_t c = 0; c < COUNTS; c++) {
            char *to = local + pe * ROW + c * SLOT;

            w->move(f, w, to, slots + me * ROW + c * SLOT, counts[c], pe);
            if (w->move != by_get_nbi)
                check_slot(f, w, to, counts[c], seed_of(f, pe, me, c), pe);
        }
    nvshmem_quiet();
    for (int pe = 0; pe < n_pes; pe++)
        for (size_t c = 0; c < COUNTS; c++)
            check_slot(f, w, local + pe * ROW + c * SLOT, counts[c], seed_of(f, pe, me, c), pe);
    nvshmem_sync_all();
}

int main(void)
{
    int status;

    nvshmem_init();
    slots = (char *)need((size_t)nvshmem_n_pes() * ROW);
    local = (char *)aligned_alloc(64, (size_t)nvshmem_n_pes() * ROW);
    for (size_t t = 0; t < sizeof(families) / sizeof(families[0]); t++) {
        const struct family *f = &families[t];

        for (size_t w = 0; w < sizeof(puts_) / sizeof(puts_[0]); w++)
            if (puts_[w].has(f))
                check_put(f, &puts_[w]);
        fact("%s puts between all pairs of PEs", f->name);
        for (size_t w = 0; w < sizeof(gets_) / sizeof(gets_[0]); w++)
            if (gets_[w].has(f))
                check_get(f, &gets_[w]);
        fact("%s gets between all pairs of PEs", f->name);
    }
    status = finish();
    free(local);
    nvshmem_finalize();
    return status;
}
