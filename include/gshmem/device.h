/* device.h - the interface inside kernels; comes with nvshmem.h wherever kernels are
 * compiled: by nvcc, with and without -rdc, or for the CPU device. There is nothing to
 * link: all of it is in these headers.
 *
 * What there is. The calls of the host headers that one PE makes alone: put and get, p and
 * g, atomics, signals, waits and tests, fence and quiet, queries (rma.h, amo.h, signal.h,
 * wait.h, coll.h, team.h, memory.h); the collectives; each also as nvshmemx_..._warp and
 * nvshmemx_..._block where threads can share the work; atomic add of half and bfloat16;
 * nvshmemx_qp_... (qp.h); nvshmemx_tma_... (tma.h).
 *
 * Scopes. nvshmem_int_put() is a call of one thread. nvshmemx_int_put_warp() is made by all
 * 32 lanes of a warp, nvshmemx_int_put_block() by all threads of a block, with the same
 * arguments; they do it once, together, and meet before they return. They do not meet at
 * the beginning: what threads of the group have just written to the source needs a
 * __syncwarp() or __syncthreads() before the call.
 *
 * Completion is that of the host calls: a put returns when its source may be written
 * again, a get when the data is here; nvshmem_fence() orders, nvshmem_quiet() completes,
 * also for what other threads wrote before a barrier of the block. Whoever sees the signal
 * of a put_signal sees all of its data. After a wait what was written before the awaited
 * value is visible to the thread, and to those that it then meets in a barrier. The local
 * operand is any memory: global, shared, local, constant.
 *
 * Kernels that wait for other PEs must run on all PEs at once, all of their blocks.
 *
 * Errors. With GSHMEM_CHECK an address that is not symmetric, a wrong PE and a misaligned
 * word are found before they do harm. What cannot go on prints PE, call, block and thread,
 * and ends the kernel and the job.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_DEVICE_H
#define GSHMEM_DEVICE_H

#include <gshmem/qp.h>
#include <gshmem/tma.h>
#include <gshmem/types.h>

#ifdef __CUDACC__
#include <gshmem/impl/arch.cuh>

#include <gshmem/impl/bind.cuh>
#include <gshmem/impl/bodies.cuh>
#include <gshmem/impl/names.cuh>
#endif

#endif /* GSHMEM_DEVICE_H */
