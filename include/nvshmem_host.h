/* nvshmem_host.h - the host interface alone. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef NVSHMEM_HOST_H
#define NVSHMEM_HOST_H

#include <nvshmem.h>

#endif /* NVSHMEM_HOST_H */
