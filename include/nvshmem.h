/* nvshmem.h - the NVSHMEM interface: umbrella of gshmem/ headers. Where kernels are
 * compiled the device part comes with it. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef NVSHMEM_H
#define NVSHMEM_H

#ifdef GSHMEM_TARGET_CPU
#include <gshmem/impl/labels.cuh> /* before the names are declared */
#endif

#include <gshmem/amo.h>
#include <gshmem/coll.h>
#include <gshmem/launch.h>
#include <gshmem/memory.h>
#include <gshmem/rma.h>
#include <gshmem/setup.h>
#include <gshmem/signal.h>
#include <gshmem/stream.h>
#include <gshmem/team.h>
#include <gshmem/wait.h>

#ifdef __CUDACC__
#include <gshmem/device.h>
#endif

#endif /* NVSHMEM_H */
