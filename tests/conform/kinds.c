/* Symmetric memory of both kinds, the device's and the host's, does what symmetric memory
 * does, from one kind to the other as well, and NVSHMEM_HEAP_KIND says which of them
 * nvshmem_malloc gives. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <stdbool.h>

enum { N = 1000, KINDS = 2 };

static const enum nvshmemx_kind kinds[KINDS] = { NVSHMEMX_KIND_DEVICE, NVSHMEMX_KIND_HOST };
static const char *const names[KINDS] = { "device", "host" };

/* What a PE has of one kind. */
struct area {
    int *data;
    int *out;
    uint64_t *signal;
};

static struct area take(int kind)
{
    struct area a = { (int *)nvshmemx_malloc_kind(N * sizeof(int), kinds[kind]),
                      (int *)nvshmemx_malloc_kind(N * sizeof(int), kinds[kind]),
                      (uint64_t *)nvshmemx_malloc_kind(sizeof(uint64_t), kinds[kind]) };

    CHECK(a.data && a.out && a.signal, "%s: %s", names[kind], nvshmemx_last_error());
    *a.signal = 0;
    return a;
}

static void give(struct area *a)
{
    nvshmem_free(a->data);
    nvshmem_free(a->out);
    nvshmem_free(a->signal);
}

static void one_sided(struct area *from, struct area *to)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, last = (me + n - 1) % n;

    for (int i = 0; i < N; i++)
        from->data[i] = me * N + i;
    *to->signal = 0;
    nvshmem_barrier_all();
    nvshmem_int_put_signal(to->out, from->data, N, to->signal, 7, NVSHMEM_SIGNAL_SET, next);
    nvshmem_signal_wait_until(to->signal, NVSHMEM_CMP_EQ, 7);
    for (int i = 0; i < N; i++)
        CHECK(to->out[i] == last * N + i, "element %d is %d", i, to->out[i]);
    nvshmem_barrier_all();
    nvshmem_int_get(to->out, from->data, N, last);
    for (int i = 0; i < N; i++)
        CHECK(to->out[i] == last * N + i, "element %d got is %d", i, to->out[i]);
    nvshmem_barrier_all();
    to->out[0] = 0;
    nvshmem_barrier_all();
    nvshmem_int_atomic_add(to->out, from->data[0] - me * N + me + 1, 0);
    nvshmem_barrier_all();
    CHECK(nvshmem_int_g(to->out, 0) == n * (n + 1) / 2, "the sum is %d", nvshmem_int_g(to->out, 0));
    nvshmem_barrier_all();
}

static void aliases(struct area *a)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    for (int pe = 0; pe < n; pe++) {
        int *there = (int *)nvshmem_ptr(a->data, pe);

        if (there)
            there[me] = 100 + me;
        else
            nvshmem_int_p(&a->data[me], 100 + me, pe);
    }
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        CHECK(a->data[pe] == 100 + pe, "pe %d has stored %d", pe, a->data[pe]);
    CHECK(nvshmem_ptr(a->data, me) == a->data, "own alias");
    nvshmem_barrier_all();
}

static void collectives(struct area *from, struct area *to)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    for (int i = 0; i < N; i++)
        from->data[i] = i + me;
    nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, to->out, from->data, N);
    for (int i = 0; i < N; i++)
        CHECK(to->out[i] == n * i + n * (n - 1) / 2, "element %d of the sum is %d", i, to->out[i]);
    nvshmem_barrier_all(); /* nobody looks at the last result any more */
    nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, to->out, from->data, N, n - 1);
    for (int i = 0; i < N; i++)
        CHECK(to->out[i] == i + n - 1, "element %d of the broadcast is %d", i, to->out[i]);
    nvshmem_barrier_all();
    nvshmem_int_fcollect(NVSHMEM_TEAM_WORLD, to->out, from->data, 3);
    for (int i = 0; i < 3 * n; i++)
        CHECK(to->out[i] == i % 3 + i / 3, "element %d collected is %d", i, to->out[i]);
    nvshmem_barrier_all();
}

static void pairs(struct area *a)
{
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++) {
            one_sided(&a[from], &a[to]);
            fact("put, get, signals and atomics from %s to %s memory", names[from], names[to]);
            collectives(&a[from], &a[to]);
            fact("collectives from %s to %s memory", names[from], names[to]);
        }
}

static void frees(void)
{
    for (int k = 0; k < KINDS; k++) {
        void *first = nvshmemx_malloc_kind(100, kinds[k]), *other = need(100);

        nvshmem_free(first);
        CHECK(nvshmemx_malloc_kind(100, kinds[k]) == first, "%s: elsewhere", names[k]);
        nvshmem_free(first);
        nvshmem_free(other);
    }
    CHECK(!nvshmemx_malloc_kind(0, NVSHMEMX_KIND_HOST), "0 bytes");
    fact("memory of both kinds is freed and taken again");
    CHECK(!nvshmemx_malloc_kind(8, (enum nvshmemx_kind)5), "kind 5");
    CHECK(strstr(nvshmemx_last_error(), "kind 5"), "%s", nvshmemx_last_error());
    fact("a kind that is none gives NULL and a text");
}

static size_t distance(const void *a, const void *b)
{
    return a < b ? (size_t)((const char *)b - (const char *)a)
                 : (size_t)((const char *)a - (const char *)b);
}

/* nvshmem_malloc() gives memory beside that of this kind. */
static void gives(const char *setting, int kind)
{
    void *of[KINDS], *p;

    if (setting)
        setenv("NVSHMEM_HEAP_KIND", setting, 1);
    nvshmem_init();
    for (int k = 0; k < KINDS; k++)
        of[k] = nvshmemx_malloc_kind(64, kinds[k]);
    p = need(64);
    CHECK(distance(p, of[kind]) < distance(p, of[!kind]), "%s", setting ? setting : "unset");
    fact("NVSHMEM_HEAP_KIND %s: nvshmem_malloc gives %s memory", setting ? setting : "unset",
         names[kind]);
    for (int k = 0; k < KINDS; k++)
        nvshmem_free(of[k]);
    nvshmem_free(p);
    nvshmem_finalize();
}

/* Of a heap that does not grow. */
static void whole(void)
{
    void *of[KINDS];

    setenv("NVSHMEM_DISABLE_CUDA_VMM", "1", 1);
    setenv("NVSHMEM_SYMMETRIC_SIZE", "3000001", 1);
    nvshmem_init();
    for (int k = 0; k < KINDS; k++) {
        of[k] = nvshmemx_malloc_kind(3000001, kinds[k]);
        CHECK(of[k], "%s: %s", names[k], nvshmemx_last_error());
    }
    fact("each kind has NVSHMEM_SYMMETRIC_SIZE, as one block");
    for (int k = 0; k < KINDS; k++) {
        char text[40];

        snprintf(text, sizeof(text), "67108864 bytes of %s memory", names[k]);
        CHECK(!nvshmemx_malloc_kind(64 << 20, kinds[k]), "%s: 64 MiB more", names[k]);
        CHECK(strstr(nvshmemx_last_error(), text), "%s", nvshmemx_last_error());
    }
    fact("a full heap gives NULL and names the kind");
    for (int k = 0; k < KINDS; k++)
        nvshmem_free(of[k]);
    nvshmem_finalize();
}

int main(void)
{
    bool unset = !getenv("NVSHMEM_HEAP_KIND");
    struct area a[KINDS];
    int status;

    nvshmem_init();
    for (int k = 0; k < KINDS; k++)
        a[k] = take(k);
    pairs(a);
    for (int k = 0; k < KINDS; k++)
        aliases(&a[k]);
    fact("both kinds have aliases at all PEs");
    for (int k = 0; k < KINDS; k++)
        give(&a[k]);
    frees();
    nvshmem_finalize();

    if (unset)
        gives(NULL, 1);
    gives("SYSMEM", 1);
    gives("DEVICE", 0);
    whole();
    nvshmem_init();
    status = finish();
    nvshmem_finalize();
    return status;
}
