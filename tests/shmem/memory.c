/* OpenSHMEM 1.5, section 9.3: blocks of the symmetric heap are aligned as asked, zeroed when
 * asked, keep their contents through realloc, and stay the same object on all PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <stdint.h>

enum { SMALL = 1000, LARGE = 300000 };

static int me, n_pes;

/* The same object on all PEs: what is put to it arrives in it. */
static void is_symmetric(int *p, const char *what)
{
    shmem_barrier_all();
    shmem_int_p(p, me + 5, (me + 1) % n_pes);
    shmem_barrier_all();
    CHECK(*p == (me + n_pes - 1) % n_pes + 5, "%s: %d", what, *p);
    shmem_barrier_all();
}

static void blocks(void)
{
    int *a = shmem_malloc(SMALL), *b = shmem_calloc(LARGE, 3), *c = shmem_align(4096, SMALL);
    int *d = shmem_malloc_with_hints(SMALL, SHMEM_MALLOC_ATOMICS_REMOTE);
    int *e = shmem_malloc_with_hints(SMALL, SHMEM_MALLOC_SIGNAL_REMOTE);

    CHECK(a && b && c && d && e, "five blocks");
    CHECK(differs_from(b, 3 * LARGE, 0) == 3 * LARGE, "calloc");
    CHECK((uintptr_t)c % 4096 == 0, "%p", (void *)c);
    is_symmetric(a, "malloc");
    is_symmetric(b, "calloc");
    is_symmetric(c, "align");
    is_symmetric(d, "for atomics");
    is_symmetric(e, "for signals");
    CHECK(!shmem_malloc(0) && !shmem_calloc(0, 8), "size 0");
    shmem_free(NULL);
    shmem_free(c);
    shmem_free(a);
    shmem_free(e);
    shmem_free(b);
    shmem_free(d);
    fact("malloc, calloc, align and malloc_with_hints give symmetric blocks");
}

static void resizing(void)
{
    char *p = shmem_realloc(NULL, SMALL), *q;

    CHECK(p != NULL, "realloc of NULL");
    fill(p, SMALL, (unsigned)me);
    q = shmem_malloc(64); /* so that p cannot grow where it is */
    p = shmem_realloc(p, LARGE);
    CHECK(p && differs(p, SMALL, (unsigned)me) == SMALL, "grown");
    fill(p, LARGE, (unsigned)me + 9);
    is_symmetric((int *)(void *)(p + LARGE - sizeof(int)), "grown");
    fill(p, LARGE, (unsigned)me + 9);
    p = shmem_realloc(p, SMALL / 2);
    CHECK(p && differs(p, SMALL / 2, (unsigned)me + 9) == SMALL / 2, "shrunk");
    is_symmetric((int *)(void *)p, "shrunk");
    CHECK(!shmem_realloc(p, 0), "size 0 frees");
    shmem_free(q);
    fact("realloc keeps contents, grows, shrinks, allocates and frees");
}

int main(void)
{
    int status;

    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    blocks();
    resizing();
    status = finish();
    shmem_finalize();
    return status;
}
