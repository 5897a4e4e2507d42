/* Symmetric memory is device memory to the CUDA runtime, and the PEs of a machine have a
 * device each. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gate.cuh"

#include <nvshmem.h>
#include <nvshmemx.h>

int main()
{
    cudaPointerAttributes attributes;
    int devices = 0, value = 3, *at;

    nvshmem_init();
    int mine = nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE),
        here = nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE);
    tap_ok(!cudaGetDeviceCount(&devices) && devices == here && !cudaSetDevice(mine),
           "a PE takes the device of its number on the machine");
    at = (int *)nvshmem_malloc(2 * sizeof(*at));
    tap_ok(!cudaPointerGetAttributes(&attributes, at) && attributes.type == cudaMemoryTypeDevice &&
               attributes.device == mine,
           "symmetric memory is device memory");
    cudaMemcpy(at, &value, sizeof(value), cudaMemcpyHostToDevice);
    add<<<1, 1>>>(at, 4);
    cudaMemcpy(&value, at, sizeof(value), cudaMemcpyDeviceToHost);
    tap_ok(value == 7, "it can be copied to and from, and kernels use it");
    tap_ok(cudaFree(at) == cudaErrorInvalidValue, "cudaFree() does not free it");
    nvshmem_free(at);
    nvshmem_finalize();
    return tap_end();
}
