/* tma.h - bulk copies between global and shared memory in kernels, by the GPU's copy engine.
 *
 * One thread starts a copy, and the engine makes it while the thread goes on. Any thread of the
 * block waits for loads, by a counter of 8 bytes in shared memory; the thread that started
 * them waits for stores. Addresses and bytes are multiples of NVSHMEMX_TMA_ALIGN, bytes are
 * not 0. Global memory is what the thread can load and store: memory of its own GPU, and, by the
 * address that nvshmem_ptr() gives, symmetric memory of other PEs. For memory with any
 * alignment, or of PEs that nvshmem_ptr() does not reach, there are nvshmem_putmem() and
 * nvshmem_getmem(), which use the engine themselves.
 *
 * nvshmemx_tma_init() makes a counter: one thread, before the first load; before other threads
 * wait, a barrier of the block. nvshmemx_tma_load() starts a load; the next one of the same
 * counter when this one has been waited for. nvshmemx_tma_wait() waits until load `turn` of the
 * counter is there; the first one is 0. nvshmemx_tma_end() comes before the memory of the counter
 * is used for something else.
 *
 * nvshmemx_tma_store() starts a store. nvshmemx_tma_wait_read() waits until the stores of this
 * thread have read shared memory, which may then be written again; nvshmemx_tma_wait_all() until
 * they are complete. Then they count as puts of this thread: nvshmem_fence() and nvshmem_quiet()
 * order them.
 *
 * The engine sees what the starting thread wrote before, and what others wrote before a barrier
 * with it. A counter is used by the block whose memory it is in.
 *
 * The engine is that of sm_90 and newer. On older GPUs and on the CPU device the starting thread
 * copies by itself: the same program runs, only slower.
 *
 * Errors: what is not aligned, and 0 bytes, end the kernel and the job with a message.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_TMA_H
#define GSHMEM_TMA_H

enum { NVSHMEMX_TMA_ALIGN = 16 };

#endif /* GSHMEM_TMA_H */
