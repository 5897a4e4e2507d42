/* stream.c - gpu.h over the CUDA driver: work in streams, and modules of kernels. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"
#include "gpu/cuda/context.h"
#include "gpu/cuda/driver.h"
#include "gpu/gpu.h"

#include <errno.h>

enum { NOT_FOUND = 500 /* CUDA's error for a name */ };

int gsh_gpu_copy_on(struct CUstream_st *stream, void *to, const void *from, size_t bytes)
{
    int err = bytes && to != from ? gsh_cuda_enter() : 0;

    if (err || !bytes || to == from)
        return err;
    return gsh_cuda_leave(gsh_cuda.copy((uintptr_t)to, (uintptr_t)from, bytes, stream),
                          "cannot put a copy into the stream");
}

bool gsh_gpu_is_capturing(struct CUstream_st *stream)
{
    int status = CUDA_CAPTURE_NONE;

    if (gsh_cuda_enter())
        return false;
    /* It refuses the default stream while others are captured: that one is not. */
    if (gsh_cuda.stream_capturing(stream, &status))
        status = CUDA_CAPTURE_NONE;
    gsh_cuda_leave(CUDA_SUCCESS, "");
    return status != CUDA_CAPTURE_NONE;
}

/* The driver may refuse some memory: then kernels do it, from now on. */
static int by_the_stream(struct CUstream_st *stream,
                         int (*call)(struct CUstream_st *, uint64_t, uint64_t, unsigned),
                         const uint64_t *word, uint64_t value, unsigned flags)
{
    int error, err;

    if (!gsh_cuda_writes_words() || gsh_gpu_is_capturing(stream))
        return -ENOTSUP;
    err = gsh_cuda_enter();
    if (err)
        return err;
    error = call(stream, (uintptr_t)word, value, flags);
    gsh_cuda_leave(CUDA_SUCCESS, "");
    if (!error)
        return 0;
    gsh_log(GSH_INFO, GSH_GPU, "streams cannot write and wait for words (CUDA error %d)", error);
    gsh_cuda_write_no_words();
    return -ENOTSUP;
}

int gsh_gpu_write_on(struct CUstream_st *stream, uint64_t *word, uint64_t value)
{
    return by_the_stream(stream, gsh_cuda.write_value, word, value, 0);
}

int gsh_gpu_wait_on(struct CUstream_st *stream, const uint64_t *word, uint64_t value)
{
    return by_the_stream(stream, gsh_cuda.wait_value, word, value, CUDA_WAIT_EQ);
}

int gsh_gpu_wait_for(struct CUstream_st *stream)
{
    int err = gsh_cuda_enter();

    return err ? err
               : gsh_cuda_leave(gsh_cuda.stream_sync(stream), "what a stream has to do failed");
}

/* To give memory back waits for all streams, as the context's synchronization does, but that ends
 * captures: it is for a GPU that is full. */
int gsh_gpu_drain(void)
{
    uint64_t at = 0;
    int error, err = gsh_cuda_enter();

    if (err)
        return err;
    error = gsh_cuda.alloc(&at, 1) ? gsh_cuda.context_sync() : gsh_cuda.free(at);
    return gsh_cuda_leave(error, "what the GPU has to do failed");
}

int gsh_gpu_module_load(const void *image, struct CUmod_st **module)
{
    int err = gsh_cuda_enter();

    return err ? err
               : gsh_cuda_leave(gsh_cuda.module_load(module, image),
                                "cannot load the library's kernels");
}

void gsh_gpu_module_unload(struct CUmod_st *module)
{
    if (module && !gsh_cuda_enter())
        gsh_cuda_leave(gsh_cuda.module_unload(module), "cannot unload the library's kernels");
}

/* Writes the variable whose lookup has ended with this error. */
static int set(int error, uint64_t at, size_t has, const char *name, const void *value,
               size_t bytes)
{
    if (error == NOT_FOUND)
        return gsh_cuda_leave(CUDA_SUCCESS, ""), -ENOENT;
    error = gsh_cuda_leave(error, "cannot look for a variable of a module");
    if (error)
        return error;
    if (has != bytes)
        return gsh_fail(-EPROTO,
                        "%s has %zu bytes in the module, %zu in this library; compile "
                        "the module with this library's headers",
                        name, has, bytes);
    return gsh_gpu_copy((void *)(uintptr_t)at, value, bytes);
}

int gsh_gpu_module_set(struct CUmod_st *module, const char *name, const void *value, size_t bytes)
{
    uint64_t at = 0;
    size_t has = 0;
    int error, err = gsh_cuda_enter();

    if (err)
        return err;
    error = gsh_cuda.module_global(&at, &has, module, name);
    return set(error, at, has, name, value, bytes);
}

int gsh_gpu_library_set(struct CUlib_st *library, const char *name, const void *value, size_t bytes)
{
    uint64_t at = 0;
    size_t has = 0;
    int error, err;

    if (!gsh_cuda.library_global)
        return gsh_fail(-ENOTSUP, "the CUDA driver is too old: it has no cuLibraryGetGlobal");
    err = gsh_cuda_enter();
    if (err)
        return err;
    error = gsh_cuda.library_global(&at, &has, library, name);
    return set(error, at, has, name, value, bytes);
}

int gsh_gpu_kernel_find(struct CUmod_st *module, const char *name, struct CUfunc_st **kernel)
{
    int err = gsh_cuda_enter();

    return err ? err
               : gsh_cuda_leave(gsh_cuda.module_function(kernel, module, name),
                                "a kernel is missing among the library's");
}

/* Captures know such launches from CUDA 12.3 on. */
bool gsh_gpu_kernel_waits(struct CUfunc_st *kernel)
{
    int version = 0;

    if (!gsh_cuda.launch_with || !gsh_cuda.function_attribute || gsh_gpu_cuda_version() < 12030 ||
        gsh_cuda_enter())
        return false;
    if (gsh_cuda.function_attribute(&version, CUDA_FUNCTION_PTX_VERSION, kernel))
        version = 0;
    gsh_cuda_leave(CUDA_SUCCESS, "");
    return version >= 90;
}

int gsh_gpu_kernel_launch(struct CUfunc_st *kernel, unsigned blocks, unsigned threads, bool early,
                          void **args, struct CUstream_st *stream)
{
    struct cuda_launch_attribute attribute = { .id = CUDA_LAUNCH_EARLY, .value.on = 1 };
    struct cuda_launch launch = { .blocks = { blocks, 1, 1 },
                                  .threads = { threads, 1, 1 },
                                  .stream = stream,
                                  .attributes = &attribute,
                                  .n_attributes = 1 };
    int err = gsh_cuda_enter();

    if (err)
        return err;
    return gsh_cuda_leave(
        early ? gsh_cuda.launch_with(&launch, kernel, args, NULL)
              : gsh_cuda.launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, args, NULL),
        "cannot launch a kernel of the library");
}
