/* kill.cu - the last PE dies while the kernels of the others wait for it: the job is over
 * within seconds, and the next one finds the GPU in order. */
// SPDX-License-Identifier: BSD-3-Clause
#include "../device/device.cuh"

#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

__global__ void wait_for_ever(uint64_t *word)
{
    nvshmem_signal_wait_until(word, NVSHMEM_CMP_EQ, 1);
}

int main()
{
    nvshmem_init();
    choose_device();
    uint64_t *word = (uint64_t *)nvshmem_calloc(1, sizeof(*word));

    if (nvshmem_my_pe() == nvshmem_n_pes() - 1) {
        usleep(500 * 1000);
        raise(SIGKILL);
    }
    wait_for_ever<<<1, 1>>>(word);
    printf("PE %d: %s\n", nvshmem_my_pe(), cudaGetErrorString(cudaDeviceSynchronize()));
    nvshmem_finalize();
    return 0;
}
