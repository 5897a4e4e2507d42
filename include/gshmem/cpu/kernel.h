/* kernel.h - what the library of the CPU device's CUDA runtime knows of the kernels of the
 * program and of launches that are being made. Plain C; launch.h is made of it. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_KERNEL_H
#define GSHMEM_CPU_KERNEL_H

#include <gshmem/attr.h>
#include <gshmem/cpu/engine.h>

GSH_BEGIN_C

/* What is between <<< and >>>. */
struct gsh_cuda_config {
    struct gsh_cpu_dim grid, block;
    size_t shared_bytes;
    struct CUstream_st *stream;
    struct gsh_cuda_config *outer; /* the launch whose arguments this one computes */
};

/* A kernel, or one instance of a template. */
struct gsh_cuda_kernel_info {
    const char *name;
    const void *function; /* its address */
    size_t n_parameters;
    const size_t *sizes;            /* of the parameters */
    void *(*pack)(void **pointers); /* copies what these point to, a pointer a parameter */
    void (*run)(void *packed);      /* one thread, for struct gsh_cpu_grid */
    void (*release)(void *packed);
    struct gsh_cuda_kernel_info *next;
};

/* Pushes and removes a configuration; the second is harmless when a kernel took it. */
GSH_API void gsh_cuda_configure(struct gsh_cuda_config *config);
GSH_API void gsh_cuda_unconfigure(struct gsh_cuda_config *config);
/* The last configuration, which is removed. Without one the program ends: kernel `name`
 * was called like a function. */
GSH_API struct gsh_cuda_config *gsh_cuda_configured(const char *name);

GSH_API void gsh_cuda_add_kernel(struct gsh_cuda_kernel_info *info);
GSH_API void gsh_cuda_remove_kernel(struct gsh_cuda_kernel_info *info);
/* NULL when there is no kernel at that address. */
GSH_API const struct gsh_cuda_kernel_info *gsh_cuda_find_kernel(const void *function);

GSH_END_C

#endif /* GSHMEM_CPU_KERNEL_H */
