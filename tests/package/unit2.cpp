/* unit2.cpp - the other. */
// SPDX-License-Identifier: BSD-3-Clause
#include <bootstrap_device_host/nvshmem_uniqueid.h>
#include <nvshmem.h>
#include <nvshmem_host.h>
#include <nvshmemx.h>

int pes();

int pes()
{
    return nvshmem_n_pes();
}
