/* boot.h - makes the job of a run: by a unique id, that PE 0 makes and hands on in the file
 * where the PEs meet. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef BENCH_GPU_BOOT_H
#define BENCH_GPU_BOOT_H

#include "meet.h"

#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdio.h>
#include <stdlib.h>

inline void boot(int rank, int pes)
{
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;

    if (cudaSetDevice(0) != cudaSuccess) {
        fprintf(stderr, "PE %d: %s\n", rank, cudaGetErrorString(cudaGetLastError()));
        exit(3);
    }
    if (rank == 0 && nvshmemx_get_uniqueid(&id))
        exit(3);
    meet_share(&id, sizeof(id));
    nvshmemx_set_attr_uniqueid_args(rank, pes, &id, &attr);
    if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr))
        exit(3);
}

#endif /* BENCH_GPU_BOOT_H */
