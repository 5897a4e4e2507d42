/* Initialisation nests by counting, can be repeated after the last finalize, and the
 * queries answer the same on all PEs and what the interface promises. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static int put_works(void)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    int *from = (int *)need(sizeof(*from));
    int got;

    nvshmem_int_p(from, me + 1, (me + 1) % n);
    nvshmem_barrier_all();
    got = *from;
    nvshmem_free(from);
    return got == (me + n - 1) % n + 1;
}

static void counting(void)
{
    int me, n;

    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED, "before init");
    nvshmem_init();
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_IS_INITIALIZED, "after init");
    CHECK(nvshmemid_init_status() == NVSHMEM_STATUS_IS_INITIALIZED, "after init");
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    CHECK(me >= 0 && me < n, "pe %d of %d", me, n);
    fact("init_status tells whether the library is initialised");

    nvshmem_init();
    CHECK(nvshmem_my_pe() == me && nvshmem_n_pes() == n, "second init");
    CHECK(nvshmemx_init_attr(0, NULL) == 0, "third init: %s", nvshmemx_last_error());
    CHECK(nvshmem_my_pe() == me && nvshmem_n_pes() == n, "third init");
    nvshmem_finalize();
    nvshmem_finalize();
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_IS_INITIALIZED, "two of three finalized");
    CHECK(put_works(), "put with one init left");
    fact("inits share one world, which lives until the last finalize");

    nvshmem_finalize();
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED, "after the last finalize");
    for (int i = 0; i < 3; i++) {
        nvshmem_init();
        CHECK(nvshmem_my_pe() == me && nvshmem_n_pes() == n, "init again, round %d", i);
        CHECK(put_works(), "put after init again, round %d", i);
        nvshmem_finalize();
    }
    fact("init, finalize and init again works");
}

static void thread_levels(void)
{
    int granted, queried;

    for (int level = NVSHMEM_THREAD_SINGLE; level <= NVSHMEM_THREAD_MULTIPLE; level++) {
        granted = queried = -1;
        CHECK(nvshmem_init_thread(level, &granted) == 0, "level %d", level);
        nvshmem_query_thread(&queried);
        CHECK(granted >= NVSHMEM_THREAD_SERIALIZED && granted <= NVSHMEM_THREAD_MULTIPLE,
              "level %d granted for %d", granted, level);
        CHECK(queried == granted, "queried %d, granted %d", queried, granted);
        CHECK(put_works(), "put at level %d", granted);
        nvshmem_finalize();
    }
    fact("every thread level is served with SERIALIZED or better, and queried as granted");
}

static void hostlib(void)
{
    nvshmemi_version_t version = { 0, 0, 0 };
    int granted = -1;

    CHECK(nvshmemx_hostlib_init_attr(0, NULL) == 0, "%s", nvshmemx_last_error());
    CHECK(put_works(), "put");
    nvshmemx_hostlib_finalize();
    nvshmemx_vendor_get_version_info(&version.major, &version.minor, &version.patch);
    CHECK(nvshmemid_hostlib_init_attr(NVSHMEM_THREAD_SINGLE, &granted, 0, NULL, version, NULL) == 0,
          "%s", nvshmemx_last_error());
    CHECK(granted >= NVSHMEM_THREAD_SERIALIZED, "level %d granted", granted);
    CHECK(put_works(), "put");
    nvshmemid_hostlib_finalize(NULL, NULL);
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED, "after finalize");
    fact("the host library's own init and finalize do the same");
}

static void info(void)
{
    int major = -1, minor = -1, patch = -1;
    char name[NVSHMEM_MAX_NAME_LEN + 1];

    nvshmem_info_get_version(&major, &minor);
    CHECK(major == 1 && minor == 3, "version %d.%d", major, minor);
    CHECK(major == NVSHMEM_MAJOR_VERSION && minor == NVSHMEM_MINOR_VERSION, "as in the header");
    memset(name, 'x', sizeof(name));
    nvshmem_info_get_name(name);
    CHECK(memchr(name, 0, NVSHMEM_MAX_NAME_LEN) != NULL, "the name ends in time");
    CHECK(strncmp(name, NVSHMEM_VENDOR_STRING, sizeof(name)) == 0, "name %.80s", name);
    nvshmemx_vendor_get_version_info(&major, &minor, &patch);
    CHECK(major == NVSHMEM_VENDOR_MAJOR_VERSION && minor == NVSHMEM_VENDOR_MINOR_VERSION &&
              patch == NVSHMEM_VENDOR_PATCH_VERSION,
          "vendor version %d.%d.%d", major, minor, patch);
    CHECK(nvshmemx_last_error() != NULL, "the last error is a text");
    fact("name, version 1.3 and vendor version are those of the header");
}

static void ranks(void)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    int *seen = (int *)need(n * sizeof(*seen));

    for (int pe = 0; pe < n; pe++)
        nvshmem_int_p(&seen[me], n, pe);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        CHECK(seen[pe] == n, "pe %d says %d PEs", pe, seen[pe]);
    nvshmem_free(seen);
    fact("each PE number is there once and all agree on the number of PEs");
}

int main(void)
{
    int status;

    info();
    counting();
    thread_levels();
    hostlib();
    nvshmem_init();
    info();
    ranks();
    status = finish();
    nvshmem_finalize();
    return status;
}
