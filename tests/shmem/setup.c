/* OpenSHMEM 1.5, sections 9.1, 9.2 and 10: a program can start, ask who it is, which release and
 * thread level it has and what it can reach, start again within, and end. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static int number; /* symmetric */

static void before(void)
{
    int initialized = 7;

    shmem_query_initialized(&initialized);
    CHECK(!initialized, "%d before init", initialized);
}

static void who(int provided)
{
    int major = -1, minor = -1, level = -1;
    char name[SHMEM_MAX_NAME_LEN];

    CHECK(shmem_n_pes() == nvshmem_n_pes() && shmem_n_pes() > 0, "%d PEs", shmem_n_pes());
    CHECK(shmem_my_pe() == nvshmem_my_pe(), "PE %d", shmem_my_pe());
    fact("n_pes and my_pe are those of the job");
    shmem_info_get_version(&major, &minor);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && minor >= 5, "%d.%d",
          major, minor);
    memset(name, 'x', sizeof(name));
    shmem_info_get_name(name);
    CHECK(!strcmp(name, SHMEM_VENDOR_STRING), "%s", name);
    CHECK(_SHMEM_MAJOR_VERSION == major && _SHMEM_MAX_NAME_LEN == sizeof(name), "old names");
    fact("version and name are those of the header");
    shmem_query_thread(&level);
    CHECK(provided == SHMEM_THREAD_MULTIPLE && level == provided, "%d, %d", provided, level);
    CHECK(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED &&
              SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
              SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE,
          "the levels rise");
    fact("the thread level asked for is provided");
}

static void again(void)
{
    int initialized = 0;

    shmem_init();
    shmem_finalize();
    shmem_query_initialized(&initialized);
    CHECK(initialized, "%d after an inner finalize", initialized);
    shmem_barrier_all();
    fact("init and finalize nest");
    shmem_pcontrol(0);
    shmem_pcontrol(1, "with", 2.0);
    fact("pcontrol takes any arguments");
}

static void reach(void)
{
    int n = shmem_n_pes(), local;
    int *heap = shmem_malloc(sizeof(*heap));

    for (int pe = 0; pe < n; pe++) {
        int *theirs = shmem_ptr(heap, pe);

        CHECK(shmem_pe_accessible(pe), "PE %d", pe);
        CHECK(shmem_addr_accessible(heap, pe) && shmem_addr_accessible(&number, pe), "PE %d", pe);
        CHECK(!shmem_addr_accessible(&local, pe), "a local variable, PE %d", pe);
        CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, heap, pe) == theirs, "PE %d", pe);
        CHECK(pe != shmem_my_pe() || theirs == heap, "own address");
    }
    CHECK(!shmem_pe_accessible(n) && !shmem_pe_accessible(-1), "PEs that are not");
    CHECK(!shmem_addr_accessible(heap, n), "an address on no PE");
    CHECK(!shmem_team_ptr(SHMEM_TEAM_INVALID, heap, 0), "a team that is not");
    CHECK(!shmem_ptr(heap, n), "a PE that is not");
    fact("heap and static variables are accessible on every PE, others are not");
    shmem_barrier_all();
    if (shmem_ptr(heap, (shmem_my_pe() + 1) % n))
        *(int *)shmem_ptr(heap, (shmem_my_pe() + 1) % n) = shmem_my_pe();
    else
        shmem_int_p(heap, shmem_my_pe(), (shmem_my_pe() + 1) % n);
    shmem_barrier_all();
    CHECK(*heap == (shmem_my_pe() + n - 1) % n, "%d", *heap);
    fact("what is stored through shmem_ptr is there");
    shmem_free(heap);
}

int main(void)
{
    int provided = -1, status;

    before();
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "init");
    fact("query_initialized is 0 before init");
    who(provided);
    again();
    reach();
    status = finish();
    shmem_finalize();
    return status;
}
