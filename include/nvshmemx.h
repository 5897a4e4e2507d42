/* nvshmemx.h - the NVSHMEM extensions: all of them come with nvshmem.h. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef NVSHMEMX_H
#define NVSHMEMX_H

#include <nvshmem.h>

#endif /* NVSHMEMX_H */
