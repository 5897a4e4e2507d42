/* kernels.h - the kernels of kernels.cu. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CUDA_KERNELS_H
#define GSH_GPU_CUDA_KERNELS_H

/* X(name) */
#define GSH_KERNELS(X) X(sync) X(move) X(reduce) X(strided) X(word) X(wait)

enum gsh_kernel {
#define ROW(name) GSH_KERNEL_##name,
    GSH_KERNELS(ROW)
#undef ROW
};

#endif /* GSH_GPU_CUDA_KERNELS_H */
