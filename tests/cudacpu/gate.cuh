/* gate.cuh - for tests of streams: a host function that blocks its stream until the test
 * opens the gate, and a kernel that leaves a mark. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_GATE_CUH
#define GSH_TESTS_GATE_CUH

#include <atomic>
#include <cuda_runtime.h>
#include <unistd.h>

#include "../../src/util/test/tap.h"

struct gate {
    std::atomic<bool> open{ false };
    std::atomic<int> passed{ 0 };
};

static inline void pass(void *arg)
{
    gate *g = static_cast<gate *>(arg);

    while (!g->open)
        usleep(100);
    g->passed++;
}

__global__ void append(int *list, int *n, int value)
{
    list[(*n)++] = value;
}

__global__ void add(int *at, int value)
{
    atomicAdd(at, value);
}

#endif /* GSH_TESTS_GATE_CUH */
