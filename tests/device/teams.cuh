/* teams.cuh - teams of all shapes for the tests of kernels, and what those tests share.
 *
 * A test is a kernel of one block, which fills, calls, checks and counts what is wrong.
 * try_all() launches it on each team, as `kernel(struct place)`.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_TEAMS_CUH
#define GSH_TESTS_TEAMS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../conform/check.h"
#include "device.cuh"

enum {
    BLOCK = 128, /* threads of the kernels */
    AREA = 1 << 20,
    SCOPES = 3, /* one thread, a warp, the block */
};

/* Where a kernel works. */
struct place {
    nvshmem_team_t team;
    int rank, n;
    char *dest, *source; /* symmetric, AREA bytes each */
    unsigned *wrong;     /* count of details */
};

struct shape {
    const char *name;
    nvshmem_team_t team;
};

static struct shape shapes[8];
static int n_shapes;
static char *test_dest, *test_source;
static unsigned *test_wrong;

static void add_shape(const char *name, nvshmem_team_t team)
{
    shapes[n_shapes].name = name;
    shapes[n_shapes++].team = team;
}

static void split(const char *name, int start, int stride, int size)
{
    nvshmem_team_t team;

    if (nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team))
        CHECK(0, "%s: %s", name, nvshmemx_last_error());
    add_shape(name, team);
}

/* The PEs in an order that no stride gives. */
static void irregular(int n)
{
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    nvshmem_team_t team;
    int me = nvshmem_my_pe();

    config.uniqueid = 77;
    if (nvshmemx_team_init(&team, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, n,
                           me < 2 ? 1 - me : me))
        CHECK(0, "irregular: %s", nvshmemx_last_error());
    add_shape("in no order", team);
}

static void make_shapes(void)
{
    int n = nvshmem_n_pes();

    choose_device();
    test_dest = (char *)need(AREA);
    test_source = (char *)need(AREA);
    test_wrong = (unsigned *)need(sizeof(*test_wrong));
    add_shape("the world", NVSHMEM_TEAM_WORLD);
    split("one PE", n - 1, 1, 1);
    if (n < 2)
        return;
    split("reversed", n - 1, -1, n);
    split("every other PE", 1, 2, n / 2);
    if (n > 2)
        irregular(n);
}

/* Adds to the details that are wrong those of the kernel. */
static void look_at(const char *team, const char *what)
{
    cudaError_t err = cudaDeviceSynchronize();
    unsigned wrong = 0, zero = 0;

    nvshmem_getmem(&wrong, test_wrong, sizeof(wrong), nvshmem_my_pe());
    CHECK(err == cudaSuccess && wrong == 0, "%s on %s: %u wrong, %s", what, team, wrong,
          cudaGetErrorString(err));
    nvshmem_putmem(test_wrong, &zero, sizeof(zero), nvshmem_my_pe());
    nvshmem_barrier_all();
}

/* launch(place) on each team that this PE is in; all PEs go through all teams. */
template <class Launch> void try_all(Launch launch, const char *what)
{
    for (int i = 0; i < n_shapes; i++) {
        nvshmem_team_t team = shapes[i].team;
        struct place at = {
            team,      nvshmem_team_my_pe(team), nvshmem_team_n_pes(team), test_dest, test_source,
            test_wrong
        };

        if (team != NVSHMEM_TEAM_INVALID)
            launch(at);
        look_at(shapes[i].name, what);
    }
}

/* --- In kernels --- */

/* One thread, one warp, all. */
__device__ inline bool calls(int scope)
{
    unsigned t = threadIdx.x;

    return scope == 0 ? t == 70 : scope == 1 ? t / 32 == 1 : true;
}

__device__ inline unsigned device_mix(unsigned a, unsigned b)
{
    unsigned x = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;

    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 13;
}

__device__ inline void expect(const struct place &at, bool good)
{
    if (!good)
        atomicAdd(at.wrong, 1u);
}

#endif /* GSH_TESTS_TEAMS_CUH */
