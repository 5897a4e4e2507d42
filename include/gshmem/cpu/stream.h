/* stream.h - work that is not the CUDA runtime's own, in its streams on the CPU device. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_STREAM_H
#define GSHMEM_CPU_STREAM_H

#include <gshmem/cpu/cuda_runtime_api.h>

GSH_BEGIN_C

/* Queues fn(arg), in the order of the stream; in a capture it becomes a node of the graph,
 * a kernel to all who ask, and runs at each launch of that. It may wait as long as it
 * likes, but must not call the runtime. A result other than 0 breaks the device, as a kernel
 * that fails does. `name` and `where`, the program's call, are for messages; the name must stay
 * valid. arg belongs to the
 * stream from here on, also when this fails; release, which may be NULL, gets it when fn
 * will not be called again. */
GSH_API cudaError_t gsh_cuda_stream_do(cudaStream_t stream, const char *name, const void *where,
                                       int (*fn)(void *arg), void *arg, void (*release)(void *arg));

/* Waits for what all streams were given; those that are being captured take no part, and are
 * captured on. */
GSH_API cudaError_t gsh_cuda_stream_drain(void);

GSH_END_C

#endif /* GSHMEM_CPU_STREAM_H */
