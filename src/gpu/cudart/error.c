/* error.c - the errors of the runtime: their names and texts, the last one of a thread, and
 * the one that stays because work of a stream has failed. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdatomic.h>

static _Thread_local cudaError_t last;
static _Atomic int broken;

void gsh_cuda_break(cudaError_t error)
{
    int none = cudaSuccess;

    atomic_compare_exchange_strong(&broken, &none, (int)error);
}

cudaError_t gsh_cuda_broken(void)
{
    return (cudaError_t)atomic_load(&broken);
}

cudaError_t gsh_cuda_tell(cudaError_t error)
{
    return gsh_cuda_broken() ? gsh_cuda_broken() : error;
}

cudaError_t gsh_cuda_end(cudaError_t error)
{
    error = gsh_cuda_tell(error);
    if (error)
        last = error;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = gsh_cuda_tell(last);

    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return gsh_cuda_tell(last);
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define NAME(value, name, text) \
    case name: \
        return #name;
        GSH_CUDA_ERRORS(NAME)
#undef NAME
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define TEXT(value, name, text) \
    case name: \
        return text;
        GSH_CUDA_ERRORS(TEXT)
#undef TEXT
    }
    return "unrecognized error code";
}
