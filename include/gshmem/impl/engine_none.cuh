/* engine_none.cuh - the copy engine of arch.cuh where there is none: the thread copies itself,
 * and is done at once. A counter counts the loads. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_ENGINE_NONE_CUH
#define GSHMEM_IMPL_ENGINE_NONE_CUH

namespace gsh_impl {

enum { ENGINE = 0 };

GSH_DEVICE bool engine_reaches(const void *)
{
    return true;
}

GSH_DEVICE void engine_init(uint64_t *counter)
{
    store(counter, (uint64_t)0);
}

GSH_DEVICE void engine_end(uint64_t *)
{
}

GSH_DEVICE void engine_sees()
{
}

GSH_DEVICE void engine_move(void *to, const void *from, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i += sizeof(wide))
        store_wide(static_cast<char *>(to) + i, load_wide(static_cast<const char *>(from) + i));
}

GSH_DEVICE void engine_load(void *shared, const void *from, unsigned bytes, uint64_t *counter)
{
    engine_move(shared, from, bytes);
    store_release(counter, load(counter) + 1);
}

GSH_DEVICE bool engine_loaded(uint64_t *counter, unsigned turn)
{
    return load_acquire(counter) > turn;
}

GSH_DEVICE void engine_store(void *to, const void *shared, unsigned bytes)
{
    engine_move(to, shared, bytes);
}

GSH_DEVICE void engine_read()
{
}

GSH_DEVICE void engine_read_but_last()
{
}

GSH_DEVICE void engine_stored()
{
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_ENGINE_NONE_CUH */
