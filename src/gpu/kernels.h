/* kernels.h - the library's own kernels: loaded in the GPU stage, launched in any stream.
 *
 * They know the job by a copy of struct gsh_device_state in their module. Where the library
 * was built without nvcc there are none, and who launches one gets -ENOTSUP.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_KERNELS_H
#define GSH_GPU_KERNELS_H

#include "gpu/cuda/kernels.h"
#include "stream/op.h"

#include <gshmem/impl/state.h>

/* A fat binary, or NULL. */
extern const char *const gsh_kernels_image;

int gsh_kernels_open(const struct gsh_device_state *state);
void gsh_kernels_close(void);

struct CUstream_st;

/* In a stream; does not wait. */
int gsh_kernels_launch(enum gsh_kernel kernel, const struct gsh_op *op, unsigned blocks,
                       unsigned threads, struct CUstream_st *stream);

/* Blocks of `threads` for so many elements, when each thread has `each`. */
unsigned gsh_kernels_blocks(size_t n, size_t each, unsigned threads);

#endif /* GSH_GPU_KERNELS_H */
