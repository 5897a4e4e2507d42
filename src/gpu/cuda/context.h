/* context.h - the device's context, around each call of the driver. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CUDA_CONTEXT_H
#define GSH_GPU_CUDA_CONTEXT_H

#include <stdbool.h>

/* Makes the context current; the way back is leave(). What the library does for itself is
 * not for a capture that the thread has begun, and does it no harm. */
int gsh_cuda_enter(void);

/* Restores the thread's context; passes on what happened in between. */
int gsh_cuda_leave(int error, const char *what);

/* In the context: what can be done with memory of this device. */
int gsh_cuda_memory_open(int device);

/* Streams of the device can write and wait for 64-bit words. */
bool gsh_cuda_writes_words(void);
void gsh_cuda_write_no_words(void);

#endif /* GSH_GPU_CUDA_CONTEXT_H */
