/* A unique id starts a world of one PE from attributes that the caller left
 * uninitialised, and a second init that contradicts the first is an error. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static void start(nvshmemx_uniqueid_t *id)
{
    nvshmemx_init_attr_t attr;

    memset(id, 0x5a, sizeof(*id));
    memset(&attr, 0xa5, sizeof(attr));
    CHECK(nvshmemx_get_uniqueid(id) == 0, "%s", nvshmemx_last_error());
    CHECK(nvshmemx_set_attr_uniqueid_args(0, 1, id, &attr) == 0, "%s", nvshmemx_last_error());
    CHECK(attr.args.uid_args.id == id && attr.args.uid_args.myrank == 0 &&
              attr.args.uid_args.nranks == 1,
          "the arguments stand in the attributes");
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0, "%s", nvshmemx_last_error());
    CHECK(nvshmem_my_pe() == 0 && nvshmem_n_pes() == 1, "pe %d of %d", nvshmem_my_pe(),
          nvshmem_n_pes());
}

static int put_works(void)
{
    int *word = (int *)need(sizeof(*word));
    int got;

    nvshmem_int_p(word, 17, 0);
    nvshmem_barrier_all();
    got = *word;
    nvshmem_free(word);
    return got == 17;
}

static void versions_written(void)
{
    nvshmemx_init_attr_t a, b;
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;

    memset(&a, 0x00, sizeof(a));
    memset(&b, 0xff, sizeof(b));
    CHECK(nvshmemx_set_attr_uniqueid_args(3, 7, &id, &a) == 0, "a");
    CHECK(nvshmemx_set_attr_uniqueid_args(3, 7, &id, &b) == 0, "b");
    CHECK(a.version == b.version && a.mpi_comm == b.mpi_comm, "attributes");
    CHECK(a.args.version == b.args.version && a.args.cuda_device_id == b.args.cuda_device_id,
          "arguments");
    CHECK(a.args.uid_args.version == b.args.uid_args.version && a.args.uid_args.id == &id &&
              b.args.uid_args.id == &id && b.args.uid_args.myrank == 3 &&
              b.args.uid_args.nranks == 7,
          "unique id arguments");
    fact("set_attr_uniqueid_args writes every member, whatever was there");

    CHECK(nvshmemx_set_attr_mpi_comm_args(&id, NULL) == -1, "no attributes");
    memset(&a, 0x00, sizeof(a));
    memset(&b, 0xff, sizeof(b));
    CHECK(nvshmemx_set_attr_mpi_comm_args(&id, &a) == 0, "a");
    CHECK(nvshmemx_set_attr_mpi_comm_args(&id, &b) == 0, "b");
    CHECK(a.mpi_comm == &id && b.mpi_comm == &id && a.version == b.version, "attributes");
    fact("set_attr_mpi_comm_args writes the pointer and fails with -1 without attributes");
}

static void contradiction(nvshmemx_uniqueid_t *id)
{
    nvshmemx_init_attr_t attr;

    CHECK(nvshmemx_set_attr_uniqueid_args(0, 1, id, &attr) == 0, "same");
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0, "%s", nvshmemx_last_error());
    CHECK(nvshmemx_set_attr_uniqueid_args(0, 2, id, &attr) == 0, "another size");
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) != 0, "a world of two");
    CHECK(nvshmemx_last_error()[0] != 0, "the error has a text");
    CHECK(nvshmem_n_pes() == 1 && put_works(), "the world goes on");
    nvshmem_finalize();
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_IS_INITIALIZED, "one init left");
    CHECK(put_works(), "the world goes on");
    fact("a second init with another size is an error that says so, and the world goes on");
}

int main(void)
{
    nvshmemx_uniqueid_t id;
    int status;

    versions_written();
    for (int round = 0; round < 3; round++) {
        start(&id);
        CHECK(put_works(), "put in round %d", round);
        nvshmem_finalize();
        CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED, "finalized");
    }
    fact("unique id, init, finalize and again works");
    start(&id);
    contradiction(&id);
    status = finish();
    nvshmem_finalize();
    return status;
}
