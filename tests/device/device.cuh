/* device.cuh - the device of a test: PEs of a machine take its devices in turn. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_DEVICE_CUH
#define GSH_TESTS_DEVICE_CUH

#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

/* After init, before anything is allocated. */
static inline void choose_device(void)
{
    int devices = 1;

    cudaGetDeviceCount(&devices);
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);
}

#endif /* GSH_TESTS_DEVICE_CUH */
