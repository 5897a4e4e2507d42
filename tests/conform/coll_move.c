/* broadcast, fcollect and alltoall move exactly what they name: every type, every root, sizes
 * from nothing to beyond 256 KiB, and the source may be written again on return. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

typedef int spread_fn(nvshmem_team_t team, void *dest, const void *source, size_t n, int root);
typedef int gather_fn(nvshmem_team_t team, void *dest, const void *source, size_t n);

struct family {
    const char *name;
    size_t size; /* of an element */
    spread_fn *broadcast;
    gather_fn *fcollect, *alltoall;
};

/* clang-format off */
#define COLLECTIVES(name, type, a) \
    static int name##_broadcast(nvshmem_team_t t, void *d, const void *s, size_t n, int root) \
    { return nvshmem_##name##_broadcast(t, (type *)d, (const type *)s, n, root); } \
    static int name##_fcollect(nvshmem_team_t t, void *d, const void *s, size_t n) \
    { return nvshmem_##name##_fcollect(t, (type *)d, (const type *)s, n); } \
    static int name##_alltoall(nvshmem_team_t t, void *d, const void *s, size_t n) \
    { return nvshmem_##name##_alltoall(t, (type *)d, (const type *)s, n); }
GSH_RMA_TYPES(COLLECTIVES, _)
#undef COLLECTIVES
/* clang-format on */

static const struct family families[] = {
#define ROW(name, type, a) \
    { #name, sizeof(type), name##_broadcast, name##_fcollect, name##_alltoall },
    GSH_RMA_TYPES(ROW, _)
#undef ROW
        { "mem", 1, nvshmem_broadcastmem, nvshmem_fcollectmem, nvshmem_alltoallmem },
};

enum {
    FAMILIES = sizeof(families) / sizeof(families[0]),
    BIG = 300007, /* bytes of the largest broadcast and of the largest result */
    GUARD = 64,
    SENTINEL = 0xee,
};

static int me, n_pes;
static unsigned char *dest, *source; /* symmetric */

static void prepare(size_t bytes)
{
    memset(dest, SENTINEL, bytes + GUARD);
    nvshmem_sync_all();
}

/* The guard is whole and the source can go: the call is over on this PE. */
static void check_end(const struct family *f, size_t dest_bytes, size_t source_bytes)
{
    CHECK(differs_from(dest + dest_bytes, GUARD, SENTINEL) == GUARD, "%s: behind dest", f->name);
    memset(source, 0, source_bytes);
    nvshmem_sync_all();
}

static void check_broadcast(const struct family *f, size_t n, int root)
{
    size_t bytes = n * f->size;
    unsigned seed = mix((unsigned)bytes, root);

    prepare(bytes);
    fill(source, bytes, me == root ? seed : seed + 13);
    CHECK(f->broadcast(NVSHMEM_TEAM_WORLD, dest, source, n, root) == 0, "%s", f->name);
    CHECK(differs(dest, bytes, seed) == bytes, "%s: %zu from root %d", f->name, n, root);
    check_end(f, bytes, bytes);
}

static void check_fcollect(const struct family *f, size_t n)
{
    size_t bytes = n * f->size;
    unsigned seed = mix((unsigned)bytes, 77);

    prepare(bytes * n_pes);
    fill(source, bytes, mix(seed, me));
    CHECK(f->fcollect(NVSHMEM_TEAM_WORLD, dest, source, n) == 0, "%s", f->name);
    for (int pe = 0; pe < n_pes; pe++)
        CHECK(differs(dest + pe * bytes, bytes, mix(seed, pe)) == bytes, "%s: %zu from pe %d",
              f->name, n, pe);
    check_end(f, bytes * n_pes, bytes);
}

static void check_alltoall(const struct family *f, size_t n)
{
    size_t bytes = n * f->size;
    unsigned seed = mix((unsigned)bytes, 78);

    prepare(bytes * n_pes);
    for (int pe = 0; pe < n_pes; pe++)
        fill(source + pe * bytes, bytes, mix(seed, me * n_pes + pe));
    CHECK(f->alltoall(NVSHMEM_TEAM_WORLD, dest, source, n) == 0, "%s", f->name);
    for (int pe = 0; pe < n_pes; pe++)
        CHECK(differs(dest + pe * bytes, bytes, mix(seed, pe * n_pes + me)) == bytes,
              "%s: %zu from pe %d", f->name, n, pe);
    check_end(f, bytes * n_pes, bytes * n_pes);
}

static void every_type(void)
{
    static const size_t counts[] = { 0, 1, 7, 200 };

    for (int i = 0; i < FAMILIES; i++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            check_broadcast(&families[i], counts[c], (int)(i + c) % n_pes);
            check_fcollect(&families[i], counts[c]);
            check_alltoall(&families[i], counts[c]);
        }
        fact("%s broadcast, fcollect and alltoall", families[i].name);
    }
}

static void every_size(void)
{
    static const size_t sizes[] = {
        0,    1,    2,    3,    7,     8,     15,    16,    63,    64,
        65,   255,  256,  257,  511,   1023,  1024,  1025,  2048,  4095,
        4097, 8191, 8192, 8193, 16384, 16385, 32769, 65535, 65536, 65537
    };
    const struct family *mem = &families[FAMILIES - 1];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int root = 0; root < n_pes; root++)
            check_broadcast(mem, sizes[i], root);
        if (sizes[i] * n_pes > BIG)
            continue;
        check_fcollect(mem, sizes[i]);
        check_alltoall(mem, sizes[i]);
    }
    fact("broadcast from every root, fcollect and alltoall, of 0 to 64 KiB");
    for (int root = 0; root < n_pes; root++)
        check_broadcast(mem, BIG - root, root);
    check_fcollect(mem, BIG / n_pes);
    check_alltoall(mem, BIG / n_pes);
    fact("broadcast from every root, fcollect and alltoall, beyond 256 KiB");
}

/* Parts of larger objects, at addresses that no element but a byte may have. */
static void odd_addresses(void)
{
    const struct family *mem = &families[FAMILIES - 1];
    unsigned char *dest_was = dest, *source_was = source;

    for (int i = 1; i < 16; i++) {
        dest = dest_was + i;
        source = source_was + i * 5 % 16;
        check_broadcast(mem, 100 + i, i % n_pes);
        check_fcollect(mem, 100 + i);
        check_alltoall(mem, 100 + i);
    }
    dest = dest_was;
    source = source_was;
    fact("bytes at odd addresses");
}

int main(void)
{
    int status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n_pes = nvshmem_n_pes();
    dest = (unsigned char *)need(BIG + GUARD + 16);
    source = (unsigned char *)need(BIG + 16);
    every_type();
    every_size();
    odd_addresses();
    status = finish();
    nvshmem_finalize();
    return status;
}
