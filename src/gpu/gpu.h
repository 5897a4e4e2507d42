/* gpu.h - every call to the accelerator that the library makes, on one page.
 *
 * The driver is loaded at run time; where it is missing or too old gsh_gpu_open() says so
 * and the CPU device serves. All calls but open work on the device that select() took, in
 * its primary or the program's own context, from any thread. They return 0 or a negative
 * errno after gsh_fail() with the driver's words.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_GPU_H
#define GSH_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loads the driver; -ENODEV, with the reason in gsh_last_error(), when there is none. */
int gsh_gpu_open(void);
void gsh_gpu_close(void);

/* Takes the device that the calling thread has chosen, else the first one. */
int gsh_gpu_select(void);
/* The program has chosen a device in this thread. */
bool gsh_gpu_is_chosen(void);

/* What the others need to know of the device taken. */
struct gsh_gpu_card {
    char uuid[16];
    char name[64];
    uint64_t memory; /* bytes */
    int32_t compute; /* capability: 90 is 9.0 */
    int32_t multiprocessors;
};
int gsh_gpu_describe(struct gsh_gpu_card *card);
/* This device can load from and store to the one with this uuid, which may be itself. */
bool gsh_gpu_reaches(const char uuid[16]);

/* Address space for device memory, a multiple of gsh_gpu_granularity(). */
int gsh_gpu_reserve(size_t bytes, char **at);
void gsh_gpu_unreserve(char *at, size_t bytes);
size_t gsh_gpu_granularity(void);

/* Memory that others can map: made here, told by a file descriptor, mapped at an address
 * of reserved space. The descriptor is the caller's to close. */
struct gsh_gpu_chunk {
    uint64_t handle;
    size_t bytes;
};
int gsh_gpu_chunk_make(struct gsh_gpu_chunk *chunk, size_t bytes, int *fd);
int gsh_gpu_chunk_take(struct gsh_gpu_chunk *chunk, size_t bytes, int fd);
int gsh_gpu_chunk_map(const struct gsh_gpu_chunk *chunk, char *at);
void gsh_gpu_chunk_drop(struct gsh_gpu_chunk *chunk, char *at); /* at NULL: never mapped */

/* Memory of this PE's kernels alone; zeroed. */
int gsh_gpu_take(size_t bytes, void **at);
void gsh_gpu_give(void *at);
/* A page that host and kernels see; zeroed. The address is the same for both. */
int gsh_gpu_page(void **at);
void gsh_gpu_page_free(void *at);

/* Bytes free on the device, and in all. */
int gsh_gpu_memory(size_t *available, size_t *all);

/* Copies between any two memories, and sets bytes; done when the call returns. Kernels of
 * the program are not waited for. */
int gsh_gpu_copy(void *to, const void *from, size_t bytes);
int gsh_gpu_set(void *at, int byte, size_t bytes);

/* --- Streams of the program; NULL is the legacy default one. --- */

struct CUstream_st;

/* These do not wait. */
int gsh_gpu_copy_on(struct CUstream_st *stream, void *to, const void *from, size_t bytes);

/* Writes a word after all that the stream did, or waits until one has a value, without a
 * kernel. -ENOTSUP without a message when the device cannot, or not in a capture. */
int gsh_gpu_write_on(struct CUstream_st *stream, uint64_t *word, uint64_t value);
int gsh_gpu_wait_on(struct CUstream_st *stream, const uint64_t *word, uint64_t value);

bool gsh_gpu_is_capturing(struct CUstream_st *stream);

/* These do wait: for one stream, and for all that the device was given. */
int gsh_gpu_wait_for(struct CUstream_st *stream);
int gsh_gpu_drain(void);

/* The stream of the library itself. */
struct CUstream_st *gsh_gpu_own_stream(void);

/* --- Modules of kernels --- */

struct CUmod_st;
struct CUlib_st;

int gsh_gpu_module_load(const void *image, struct CUmod_st **module);
void gsh_gpu_module_unload(struct CUmod_st *module); /* NULL is nothing */

/* Writes bytes to a variable of a module; -ENOENT, without a message, when there is none. */
int gsh_gpu_module_set(struct CUmod_st *module, const char *name, const void *value, size_t bytes);
int gsh_gpu_library_set(struct CUlib_st *library, const char *name, const void *value,
                        size_t bytes);

struct CUfunc_st;

int gsh_gpu_kernel_find(struct CUmod_st *module, const char *name, struct CUfunc_st **kernel);
int gsh_gpu_kernel_launch(struct CUfunc_st *kernel, unsigned blocks, unsigned threads, void **args,
                          struct CUstream_st *stream);

/* Memory of a device: loads and stores of the host cannot reach it. */
bool gsh_gpu_owns(const void *at);

#endif /* GSH_GPU_GPU_H */
