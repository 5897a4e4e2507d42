/* names_tma.cuh - bulk copies between global and shared memory, see tma.h: names. */
// SPDX-License-Identifier: BSD-3-Clause

GSH_DEVICE_ROW(void, nvshmemx_tma_init, (uint64_t * loaded), _, gsh_impl::tma_init(loaded))
GSH_DEVICE_ROW(void, nvshmemx_tma_end, (uint64_t * loaded), _, gsh_impl::engine_end(loaded))
GSH_DEVICE_ROW(void, nvshmemx_tma_load,
               (void *shared, const void *from, size_t bytes, uint64_t *loaded), _,
               gsh_impl::tma_load(__func__, shared, from, bytes, loaded))
GSH_DEVICE_ROW(void, nvshmemx_tma_wait, (uint64_t * loaded, unsigned int turn), _,
               gsh_impl::tma_wait(__func__, loaded, turn))
GSH_DEVICE_ROW(void, nvshmemx_tma_store, (void *to, const void *shared, size_t bytes), _,
               gsh_impl::tma_store(__func__, to, shared, bytes))
GSH_DEVICE_ROW(void, nvshmemx_tma_wait_read, (void), _, gsh_impl::engine_read())
GSH_DEVICE_ROW(void, nvshmemx_tma_wait_all, (void), _, gsh_impl::engine_stored())
