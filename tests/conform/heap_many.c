/* Allocation and free in random order keep all live objects apart and intact, give
 * freed memory back, and a new object at an old address is whole. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { LIVE = 64, STEPS = 600 };

struct object {
    unsigned char *p;
    size_t bytes;
    unsigned seed;
};

static size_t draw_size(unsigned *state)
{
    switch (draw(state, 4)) {
    case 0:
        return 1 + draw(state, 600);
    case 1:
        return 1 + draw(state, 20000);
    case 2:
        return 512 * (1 + draw(state, 8));
    default:
        return 1 + draw(state, 200000);
    }
}

static void check_object(const struct object *o)
{
    CHECK(differs(o->p, o->bytes, o->seed) == o->bytes, "%zu bytes", o->bytes);
}

static void random_order(unsigned seed)
{
    struct object live[LIVE] = { { 0 } };
    unsigned state = seed;

    for (int step = 0; step < STEPS; step++) {
        struct object *o = &live[draw(&state, LIVE)];
        size_t alignment = draw(&state, 3) ? 512 : (size_t)8 << draw(&state, 12);

        if (o->p) {
            check_object(o);
            nvshmem_free(o->p);
            o->p = NULL;
            continue;
        }
        o->bytes = draw_size(&state);
        o->seed = mix(state, nvshmem_my_pe());
        o->p = (unsigned char *)nvshmem_align(alignment, o->bytes);
        CHECK(o->p && (size_t)o->p % alignment == 0, "%zu bytes", o->bytes);
        if (o->p)
            fill(o->p, o->bytes, o->seed);
    }
    for (int i = 0; i < LIVE; i++) {
        if (live[i].p)
            check_object(&live[i]);
        nvshmem_free(live[i].p);
    }
}

/* After all is freed the same calls give the same addresses. */
static void no_growth(void)
{
    char *first[8], *p[8];

    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 8; i++)
            p[i] = (char *)nvshmem_malloc((size_t)(i + 1) * 70001);
        if (round == 0)
            memcpy(first, p, sizeof(p));
        for (int i = 0; i < 8; i++)
            CHECK(p[i] == first[i], "object %d of round %d", i, round);
        for (int i = 0; i < 8; i++)
            nvshmem_free(p[(i * 3 + round) % 8]);
    }
    fact("equal allocations after all was freed give equal addresses, 50 times");
}

/* A small object, used by the peers and freed; then a larger one at its place. */
static void grown_object(void)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    static unsigned char out[65536];
    unsigned char *p;

    for (int round = 0; round < 20; round++) {
        size_t bytes = round % 2 ? 65536 : 4096;
        unsigned seed = mix(round, 7);

        p = (unsigned char *)need(bytes);
        fill(out, bytes, mix(seed, me));
        nvshmem_putmem(p, out, bytes, next);
        nvshmem_barrier_all();
        CHECK(differs(p, bytes, mix(seed, prev)) == bytes, "%zu bytes, round %d", bytes, round);
        nvshmem_free(p);
    }
    fact("a larger object at the address of a freed one is reached up to its tail");
}

int main(void)
{
    int status;

    nvshmem_init();
    for (unsigned seed = 1; seed <= 3; seed++)
        random_order(seed);
    fact("objects allocated and freed in random order are aligned, apart and intact");
    no_growth();
    grown_object();
    status = finish();
    nvshmem_finalize();
    return status;
}
