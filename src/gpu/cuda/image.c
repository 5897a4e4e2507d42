/* image.c - kernels.cu as nvcc made it, within the library. Built without nvcc there is none.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/kernels.h"

#ifdef GSH_KERNELS_FILE
extern const char gsh_kernels_start[] __attribute__((visibility("hidden")));

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".hidden gsh_kernels_start\n"
        ".globl gsh_kernels_start\n"
        "gsh_kernels_start:\n"
        ".incbin \"" GSH_KERNELS_FILE "\"\n"
        ".popsection\n");

const char *const gsh_kernels_image = gsh_kernels_start;
#else
const char *const gsh_kernels_image = NULL;
#endif
