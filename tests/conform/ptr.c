/* nvshmem_ptr gives an alias of a symmetric object that loads and stores work on, and NULL
 * for everything that is not symmetric, before and after other objects are freed. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static const int a_constant = 1;

static void check_null(const void *p, const char *what)
{
    for (int pe = 0; pe < nvshmem_n_pes(); pe++)
        CHECK(nvshmem_ptr(p, pe) == NULL, "%s, pe %d", what, pe);
    CHECK(nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, p) == NULL, "%s, multicast", what);
}

static void not_symmetric(void *plain)
{
    int local = 0;

    check_null(&local, "stack");
    check_null(&a_constant, "constant variable");
    check_null(plain, "malloc");
    check_null(NULL, "NULL");
    check_null("a constant", "constant");
}

static void aliases(int *p, size_t n_ints)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    CHECK(nvshmem_ptr(p, me) == p, "own object");
    CHECK(nvshmem_ptr(p + n_ints - 1, me) == p + n_ints - 1, "its last element");
    CHECK(nvshmem_ptr(p, -1) == NULL && nvshmem_ptr(p, n) == NULL &&
              nvshmem_ptr(p, 1 << 20) == NULL,
          "PE out of range");
    fact("the own object is its own alias, and a PE out of range has none");
    for (int pe = 0; pe < n; pe++) {
        int *there = (int *)nvshmem_ptr(p, pe);

        if (there)
            there[me] = 100 + me;
        else
            nvshmem_int_p(&p[me], 100 + me, pe);
    }
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        int *there = (int *)nvshmem_ptr(p, pe);

        CHECK(p[pe] == 100 + pe, "pe %d stores %d here", pe, p[pe]);
        for (int i = 0; there && i < n; i++)
            CHECK(there[i] == 100 + i, "pe %d has %d from pe %d", pe, there[i], i);
    }
    nvshmem_barrier_all();
    fact("stores through an alias are seen by the owner, and loads see what others stored");
}

int main(void)
{
    enum { INTS = 1000 };
    void *plain = malloc(64);
    void *other;
    int status;
    int *p;

    nvshmem_init();
    other = need(1 << 20);
    p = (int *)need(INTS * sizeof(*p));
    not_symmetric(plain);
    fact("what is not symmetric has no alias");
    aliases(p, INTS);
    nvshmem_free(other);
    not_symmetric(plain);
    CHECK(nvshmem_ptr(p, nvshmem_my_pe()) == p, "own object");
    nvshmem_free(p);
    not_symmetric(plain);
    fact("so it is after objects were freed");
    status = finish();
    nvshmem_finalize();
    free(plain);
    return status;
}
