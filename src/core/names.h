/* names.h - one list of shims under the names of both interfaces.
 *
 * A shim macro takes a family F and says F##_NAME(int_put) and so on:
 *
 *     NV   nvshmem_int_put(...)
 *     OS   pshmem_int_put(...), and shmem_int_put as a weak alias, which a profiler
 *          may define anew
 *     CTX  the same with ctx_, a context first, and PEs as the context counts them
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_NAMES_H
#define GSH_CORE_NAMES_H

#include <gshmem/shmem/base.h>

/* The PE of the job that a PE of a context is; ends the job when there is none. */
int gsh_ctx_pe_slow(const char *call, shmem_ctx_t ctx, int pe);

static inline int gsh_ctx_pe(const char *call, shmem_ctx_t ctx, int pe)
{
    return __builtin_expect(ctx == SHMEM_CTX_DEFAULT, 1) ? pe : gsh_ctx_pe_slow(call, ctx, pe);
}

#define GSH_WEAK(name, strong) \
    extern __typeof__(strong) name __attribute__((weak, alias(#strong), visibility("default")));

#define NV_NAME(rest) nvshmem_##rest
#define NV_TEXT(rest) "nvshmem_" #rest
#define NV_ARGS(...) __VA_ARGS__
#define NV_PE(rest, pe) (pe)
#define NV_CONST /* cmp_values of the vector forms */
#define NV_WEAK(rest)

#define OS_NAME(rest) pshmem_##rest
#define OS_TEXT(rest) "shmem_" #rest
#define OS_ARGS(...) __VA_ARGS__
#define OS_PE(rest, pe) (pe)
#define OS_CONST const
#define OS_WEAK(rest) GSH_WEAK(shmem_##rest, pshmem_##rest)

#define CTX_NAME(rest) pshmem_ctx_##rest
#define CTX_TEXT(rest) "shmem_ctx_" #rest
#define CTX_ARGS(...) shmem_ctx_t ctx, __VA_ARGS__
#define CTX_PE(rest, pe) gsh_ctx_pe(CTX_TEXT(rest), ctx, pe)
#define CTX_WEAK(rest) GSH_WEAK(shmem_ctx_##rest, pshmem_ctx_##rest)

#endif /* GSH_CORE_NAMES_H */
