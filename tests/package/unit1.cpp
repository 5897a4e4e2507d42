/* unit1.cpp - one of two units that both include the headers. */
// SPDX-License-Identifier: BSD-3-Clause
#include <device_host/nvshmem_types.h>
#include <host/nvshmem_api.h>
#include <host/nvshmemx_api.h>
#include <nvshmem.h>
#include <nvshmemx.h>

int pes();

int main()
{
    nvshmem_init();
    int n = pes();
    nvshmem_barrier_all();
    nvshmem_finalize();
    return n < 1;
}
