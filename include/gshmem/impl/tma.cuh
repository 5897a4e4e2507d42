/* tma.cuh - bodies of tma.h: the copy engine, with a look at the arguments. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_TMA_CUH
#define GSHMEM_IMPL_TMA_CUH

#include <gshmem/impl/peer.cuh>
#include <gshmem/tma.h>
#include <gshmem/types.h>

namespace gsh_impl {

GSH_DEVICE void need_whole_words(const char *call, const void *shared, const void *global,
                                 size_t bytes)
{
    if ((number(shared) | number(global) | bytes) % NVSHMEMX_TMA_ALIGN || !bytes)
        fail(call, "addresses and bytes must be multiples of 16 (global address, bytes)",
             (long long)number(global), (long long)bytes);
}

GSH_DEVICE void tma_init(uint64_t *counter)
{
    engine_init(counter);
    engine_sees();
}

GSH_DEVICE void tma_load(const char *call, void *shared, const void *from, size_t bytes,
                         uint64_t *counter)
{
    need_whole_words(call, shared, from, bytes);
    note_get(shared, from, bytes);
    engine_sees();
    engine_load(shared, from, (unsigned)bytes, counter);
}

GSH_DEVICE void tma_wait(const char *call, uint64_t *counter, unsigned turn)
{
    for (waiting w(call, counter, NVSHMEM_CMP_GT, (uint64_t)turn); !engine_loaded(counter, turn);)
        w.pause();
}

GSH_DEVICE void tma_store(const char *call, void *to, const void *shared, size_t bytes)
{
    need_whole_words(call, shared, to, bytes);
    note_put(to, shared, bytes);
    engine_sees();
    engine_store(to, shared, (unsigned)bytes);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_TMA_CUH */
