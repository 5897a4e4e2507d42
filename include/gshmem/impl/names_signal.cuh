/* names_signal.cuh - puts with a signal, and signals alone: names. */
// SPDX-License-Identifier: BSD-3-Clause

/* void nvshmem_float_put_signal(float *dest, const float *source, size_t nelems,
 *                               uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) */
#define GSH_PUT(ROW, name, group, type, count, bytes, align) \
    ROW(void, name, \
        (type * dest, const type *source, size_t count, uint64_t *sig_addr, uint64_t signal, \
         int sig_op, int pe), \
        (dest, source, count, sig_addr, signal, sig_op, pe), \
        gsh_impl::put_signal<gsh_impl::group>(__func__, { dest, source, bytes, align }, sig_addr, \
                                              signal, sig_op, pe))

#define GSH_TYPE(name, type, ROW, x, suffix, group, nbi) \
    GSH_PUT(ROW, nvshmem##x##_##name##_put_signal##nbi##suffix, group, type, nelems, \
            nelems * sizeof(type), sizeof(type))
#define GSH_SIZE(bits, ROW, x, suffix, group, nbi) \
    GSH_PUT(ROW, nvshmem##x##_put##bits##_signal##nbi##suffix, group, void, nelems, \
            bits / 8 * nelems, bits / 8)
#define GSH_MEM(ROW, x, suffix, group, nbi) \
    GSH_PUT(ROW, nvshmem##x##_putmem_signal##nbi##suffix, group, void, bytes, bytes, 1)
#define GSH_NBI(...) \
    GSH_RMA_TYPES(GSH_TYPE, __VA_ARGS__) GSH_SIZES(GSH_SIZE, __VA_ARGS__) GSH_MEM(__VA_ARGS__)
#define GSH_SCOPE(...) GSH_NBI(__VA_ARGS__, ) GSH_NBI(__VA_ARGS__, _nbi)
GSH_SCOPES(GSH_SCOPE)
#undef GSH_SCOPE
#undef GSH_NBI
#undef GSH_MEM
#undef GSH_SIZE
#undef GSH_TYPE
#undef GSH_PUT

GSH_ANY_ROW(void, nvshmemx_signal_op, (uint64_t * sig_addr, uint64_t signal, int sig_op, int pe),
            (sig_addr, signal, sig_op, pe),
            gsh_impl::signal(__func__, sig_addr, signal, sig_op, pe))
GSH_ANY_ROW(uint64_t, nvshmem_signal_fetch, (uint64_t * sig_addr), (sig_addr),
            return gsh_impl::signal_fetch(sig_addr))
GSH_ANY_ROW(uint64_t, nvshmem_signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t cmp_val),
            (sig_addr, cmp, cmp_val), return gsh_impl::wait_one(__func__, sig_addr, cmp, cmp_val))
