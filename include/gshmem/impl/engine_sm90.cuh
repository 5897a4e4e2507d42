/* engine_sm90.cuh - the copy engine of arch.cuh: cp.async.bulk, sm_90 and newer.
 *
 * The engine's accesses are of the async proxy. Where they meet ordinary ones:
 *
 *     before    engine_sees() is a proxy fence, of the thread that starts the copy: for what
 *               it wrote, and what others wrote before a barrier with it
 *     after     who has seen the end of a copy, by engine_loaded() or engine_stored(), sees
 *               what it wrote: the end has such a fence in itself
 *
 * A counter is an mbarrier that expects one arrival, the starting thread's, and the bytes.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_ENGINE_SM90_CUH
#define GSHMEM_IMPL_ENGINE_SM90_CUH

namespace gsh_impl {

enum { ENGINE = 1 };

GSH_DEVICE bool engine_reaches(const void *p)
{
    return __isGlobal(p);
}

GSH_DEVICE unsigned in_shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

GSH_DEVICE void engine_init(uint64_t *counter)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(counter)) : "memory");
}

GSH_DEVICE void engine_end(uint64_t *counter)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(in_shared(counter)) : "memory");
}

GSH_DEVICE void engine_sees()
{
    asm volatile("fence.proxy.async.shared::cta;\n\t"
                 "fence.proxy.async.global;" ::
                     : "memory");
}

GSH_DEVICE void engine_load(void *shared, const void *from, unsigned bytes, uint64_t *counter)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(counter)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(in_shared(shared)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(in_shared(counter))
                 : "memory");
}

GSH_DEVICE bool engine_loaded(uint64_t *counter, unsigned turn)
{
    unsigned done;

    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, done;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(in_shared(counter)), "r"(turn % 2)
                 : "memory");
    return done;
}

GSH_DEVICE void engine_store(void *to, const void *shared, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(in_shared(shared)), "r"(bytes)
                 : "memory");
}

GSH_DEVICE void engine_read()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

GSH_DEVICE void engine_read_but_last()
{
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}

GSH_DEVICE void engine_stored()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_ENGINE_SM90_CUH */
