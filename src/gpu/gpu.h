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

/* The driver's devices have the numbers that the program knows them by. Once it is loaded they
 * can be asked, and none has to be taken. */
int gsh_gpu_count(void);
int gsh_gpu_taken(void);        /* -1: none */
int gsh_gpu_cuda_version(void); /* that the driver supports: 12040 is 12.4 */

/* What the others need to know of a device. */
struct gsh_gpu_card {
    char uuid[16]; /* of a MIG instance, its own */
    char name[64];
    char bus[16];    /* its address: "0000:1b:00.0" */
    uint64_t memory; /* bytes */
    int32_t compute; /* capability: 90 is 9.0 */
    int32_t multiprocessors;
    bool exports; /* its memory goes to other processes as file descriptors */
    int32_t copy_engines;
    bool mps; /* contexts are shared through MPS */
};
int gsh_gpu_describe(int device, struct gsh_gpu_card *card);

/* How a device can load from and store to another one, or itself. */
enum gsh_gpu_access {
    GSH_GPU_SAME,
    GSH_GPU_PEER,
    GSH_GPU_PEER_BARE, /* without atomics */
    GSH_GPU_REFUSED,
    GSH_GPU_HIDDEN, /* this process does not see the other one */
};
enum gsh_gpu_access gsh_gpu_access(int device, const char uuid[16]);

/* Multiprocessors that kernels of this thread's device may use, of so many: MPS can limit them. */
int gsh_gpu_share(int multiprocessors);

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
/* The same of memory that the program made so; its owner keeps it. -EINVAL or -ENOTSUP
 * after gsh_miss() where that cannot be. */
int gsh_gpu_chunk_of(struct gsh_gpu_chunk *chunk, const void *at, size_t bytes, int *fd);
int gsh_gpu_chunk_take(struct gsh_gpu_chunk *chunk, size_t bytes, int fd);
int gsh_gpu_chunk_map(const struct gsh_gpu_chunk *chunk, char *at);
void gsh_gpu_chunk_drop(struct gsh_gpu_chunk *chunk, char *at); /* at NULL: never mapped */

/* Where memory has no descriptors: what gsh_gpu_take() gave, for other processes, who have it
 * at an address that the driver picks. All must detach before it is given back. */
struct gsh_gpu_ticket {
    char bytes[64];
};
int gsh_gpu_offer(const void *at, struct gsh_gpu_ticket *ticket);
int gsh_gpu_attach(const struct gsh_gpu_ticket *ticket, char **at);
void gsh_gpu_detach(char *at);

/* Whole pages of host memory, for kernels at the same addresses. pin() returns -ENOMEM after
 * gsh_miss() when it cannot be. False: this device has other addresses for the host's memory. */
bool gsh_gpu_pins(void);
int gsh_gpu_pin(void *at, size_t bytes);
void gsh_gpu_unpin(void *at);

/* Memory of this PE's kernels alone; zeroed. */
int gsh_gpu_take(size_t bytes, void **at);
void gsh_gpu_give(void *at);
/* Memory of the host that kernels see; zeroed. The address is the same for both. */
int gsh_gpu_take_host(size_t bytes, void **at);
void gsh_gpu_give_host(void *at);

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
/* Whether the kernel was compiled for GPUs that can begin it early; then it waits itself. */
bool gsh_gpu_kernel_waits(struct CUfunc_st *kernel);

/* `early`: it may come to the GPU while what is in front of it in the stream still runs, which
 * hides the time that takes. The kernel has to wait for that itself: see above. */
int gsh_gpu_kernel_launch(struct CUfunc_st *kernel, unsigned blocks, unsigned threads, bool early,
                          void **args, struct CUstream_st *stream);

/* What the driver knows of an address. */
enum gsh_gpu_kind { GSH_GPU_UNKNOWN, GSH_GPU_HOST, GSH_GPU_DEVICE, GSH_GPU_MANAGED };
enum gsh_gpu_kind gsh_gpu_kind_of(const void *at);

/* Memory of a device: loads and stores of the host may not reach it. */
static inline bool gsh_gpu_owns(const void *at)
{
    return gsh_gpu_kind_of(at) >= GSH_GPU_DEVICE;
}

#endif /* GSH_GPU_GPU_H */
