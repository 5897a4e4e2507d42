/* bodies.cuh - all bodies: where device code is compiled, and nowhere else. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_BODIES_CUH
#define GSHMEM_IMPL_BODIES_CUH

#if defined(__CUDA_ARCH__) || defined(GSHMEM_TARGET_CPU)
#include <gshmem/impl/amo.cuh>
#include <gshmem/impl/move.cuh>
#include <gshmem/impl/order.cuh>
#include <gshmem/impl/reduce.cuh>
#include <gshmem/impl/rma.cuh>
#include <gshmem/impl/signal.cuh>
#include <gshmem/impl/sync.cuh>
#include <gshmem/impl/team.cuh>
#include <gshmem/impl/tma.cuh>
#include <gshmem/impl/wait.cuh>
#endif

#endif /* GSHMEM_IMPL_BODIES_CUH */
