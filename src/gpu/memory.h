/* memory.h - the memory that kernels on a GPU reach: opens it in the GPU stage, and describes it
 * to them. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_MEMORY_H
#define GSH_GPU_MEMORY_H

#include "gpu/gpu.h"

#include <gshmem/impl/state.h>

/* Collective over all PEs, whose GPUs these are. The first words_bytes of the device windows
 * are zeroed, and no part of the heap. */
int gsh_gpu_memory_open(const struct gsh_gpu_card *cards, size_t words_bytes);
void gsh_gpu_memory_close(void);

/* What kernels need to know of both kinds. */
int gsh_gpu_memory_describe(struct gsh_device_window windows[GSH_WINDOWS]);

#endif /* GSH_GPU_MEMORY_H */
