/* stream.h - communication in streams: what src/stream offers.
 *
 *     api.c     the public names: each fills a struct gsh_op
 *     queue.c   checks it and gives it to the stream: of the CPU device, or of a GPU
 *     run.c     does it on the host, called by a stream of the CPU device
 *     gpu.c     puts it into a stream of a GPU, as copies and kernels
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_STREAM_STREAM_H
#define GSH_STREAM_STREAM_H

#include "stream/op.h"

#include <gshmem/stream.h>

#include <stdbool.h>

/* Puts the operation into the stream, which copies it. 0 or NVSHMEMX_ERROR_*, after a line
 * that names the call. A wrong PE or address ends the job. */
int gsh_stream_put(const struct gsh_op *op, cudaStream_t stream);

/* Puts a get of one element into the stream and waits for it. Not in a capture. */
int gsh_stream_get_now(const struct gsh_op *op, cudaStream_t stream);

/* All that streams were given is done: before memory is used anew, and at the end. */
void gsh_stream_drain(void);

/* run.c: 0, or an error that has been said. */
int gsh_stream_run(const struct gsh_op *op);

/* gpu.c: 0 or a negative errno. */
int gsh_stream_gpu(const struct gsh_op *op, cudaStream_t stream);

/* The members' operands of a reduction in GPU memory are combined, as far as it is this PE's
 * part, before it returns; all members have come, and meet afterwards. */
int gsh_stream_combine(const struct gsh_op *op);

#endif /* GSH_STREAM_STREAM_H */
