/* signal.c - data with a signal: shims over put and atomics. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/signal.h"
#include "core/half.h"
#include "core/names.h"
#include "heap/device.h"

#include <gshmem/shmem/signal.h>
#include <gshmem/signal.h>

#define DEF(name, type, F, nbi) \
    void F##_NAME(name##_put_signal##nbi)(F##_ARGS(type * dest, const type *source, size_t nelems, \
                                                   uint64_t *sig_addr, uint64_t signal, \
                                                   int sig_op, int pe)) \
    { \
        gsh_put_signal(F##_TEXT(name##_put_signal##nbi), dest, source, \
                       gsh_bytes(nelems, sizeof(type)), sig_addr, signal, sig_op, \
                       F##_PE(name##_put_signal##nbi, pe)); \
    } \
    F##_WEAK(name##_put_signal##nbi)
#define EACH(nbi) \
    GSH_RMA_TYPES(DEF, NV, nbi) \
    GSH_SHMEM_RMA_TYPES(DEF, OS, nbi) \
    GSH_SHMEM_RMA_TYPES(DEF, CTX, nbi)
EACH()
EACH(_nbi)
#undef DEF
#undef EACH

/* `size` is the number of a name such as put64, or mem. */
#define DEF(size, F, nbi, bytes) \
    void F##_NAME(put##size##_signal##nbi)(F##_ARGS(void *dest, const void *source, size_t nelems, \
                                                    uint64_t *sig_addr, uint64_t signal, \
                                                    int sig_op, int pe)) \
    { \
        gsh_put_signal(F##_TEXT(put##size##_signal##nbi), dest, source, bytes, sig_addr, signal, \
                       sig_op, F##_PE(put##size##_signal##nbi, pe)); \
    } \
    F##_WEAK(put##size##_signal##nbi)
#define SIZE(bits, F, nbi) DEF(bits, F, nbi, gsh_bytes(nelems, bits / 8))
#define EACH(F) \
    GSH_SIZES(SIZE, F, ) GSH_SIZES(SIZE, F, _nbi) DEF(mem, F, , nelems) DEF(mem, F, _nbi, nelems)
EACH(NV)
EACH(OS)
EACH(CTX)
#undef DEF
#undef SIZE
#undef EACH

void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    gsh_signal("nvshmemx_signal_op", sig_addr, signal, sig_op, pe);
}

#define DEF(F, call, kind) \
    void F##_NAME(call)(F##_ARGS(uint64_t * sig_addr, uint64_t signal, int pe)) \
    { \
        gsh_signal(F##_TEXT(call), sig_addr, signal, NVSHMEM_SIGNAL_##kind, F##_PE(call, pe)); \
    } \
    F##_WEAK(call)
DEF(OS, signal_set, SET)
DEF(OS, signal_add, ADD)
DEF(CTX, signal_set, SET)
DEF(CTX, signal_add, ADD)
#undef DEF

static inline uint64_t fetch(const uint64_t *sig_addr, const void *where)
{
    uint64_t have;

    if (gsh_unlikely(gsh.remote))
        gsh_tr_progress();
    if (gsh_unlikely(gsh_device_heap_has(sig_addr, sizeof(*sig_addr)))) {
        gsh_gpu_get_at(gsh.my_pe, &have, gsh_offset_of(sig_addr), sizeof(have));
        return have;
    }
    have = __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
    if (gsh_unlikely(gsh_race_on))
        gsh_race_observe(sig_addr, sizeof(*sig_addr), where);
    return have;
}

uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
{
    return fetch(sig_addr, __builtin_return_address(0));
}

uint64_t pshmem_signal_fetch(const uint64_t *sig_addr)
{
    return fetch(sig_addr, __builtin_return_address(0));
}
OS_WEAK(signal_fetch)
