/* names_qp.cuh - the names with a queue pair handle: what those without do, see qp.h. */
// SPDX-License-Identifier: BSD-3-Clause

/* void nvshmemx_qp_float_put(float *dest, const float *source, size_t nelems, int pe,
 *                            nvshmemx_qp_handle_t qp_index), and get;
 * put_signal with sig_addr, signal and sig_op before pe. */
#define GSH_MOVE(op, name, group, type) \
    GSH_DEVICE_ROW(void, name, \
                   (type * dest, const type *source, size_t nelems, int pe, nvshmemx_qp_handle_t), \
                   _, \
                   gsh_impl::op<gsh_impl::group>(__func__, dest, source, nelems * sizeof(type), \
                                                 pe, sizeof(type)))
#define GSH_PUT(name, group, type) \
    GSH_DEVICE_ROW(void, name, \
                   (type * dest, const type *source, size_t nelems, uint64_t *sig_addr, \
                    uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t), \
                   _, \
                   gsh_impl::put_signal<gsh_impl::group>( \
                       __func__, { dest, source, nelems * sizeof(type), sizeof(type) }, sig_addr, \
                       signal, sig_op, pe))
#define GSH_TYPE(name, type, suffix, group) \
    GSH_MOVE(put, nvshmemx_qp_##name##_put##suffix, group, type) \
    GSH_MOVE(put, nvshmemx_qp_##name##_put_nbi##suffix, group, type) \
    GSH_MOVE(get, nvshmemx_qp_##name##_get##suffix, group, type) \
    GSH_MOVE(get, nvshmemx_qp_##name##_get_nbi##suffix, group, type) \
    GSH_PUT(nvshmemx_qp_##name##_put_signal##suffix, group, type) \
    GSH_PUT(nvshmemx_qp_##name##_put_signal_nbi##suffix, group, type)
#define GSH_ORDER(op, suffix, group) \
    GSH_DEVICE_ROW(void, nvshmemx_qp_##op##suffix, (int, nvshmemx_qp_handle_t *, int), _, \
                   gsh_impl::group_##op<gsh_impl::group>())
#define GSH_SCOPE(ROW, x, suffix, group) \
    GSH_RMA_TYPES(GSH_TYPE, suffix, group) \
    GSH_ORDER(fence, suffix, group) \
    GSH_ORDER(quiet, suffix, group)
GSH_SCOPES(GSH_SCOPE)
#undef GSH_SCOPE
#undef GSH_ORDER
#undef GSH_TYPE
#undef GSH_PUT
#undef GSH_MOVE

#define GSH_TYPE(name, type, a) \
    GSH_DEVICE_ROW(void, nvshmemx_qp_##name##_p, \
                   (type * dest, const type value, int pe, nvshmemx_qp_handle_t), _, \
                   gsh_impl::p<type>(__func__, dest, value, pe)) \
    GSH_DEVICE_ROW(type, nvshmemx_qp_##name##_g, \
                   (const type *source, int pe, nvshmemx_qp_handle_t), _, \
                   return gsh_impl::g<type>(__func__, source, pe))
GSH_RMA_TYPES(GSH_TYPE, _)
#undef GSH_TYPE

GSH_DEVICE_ROW(void, nvshmemx_qp_signal_op,
               (uint64_t * sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t), _,
               gsh_impl::signal(__func__, sig_addr, signal, sig_op, pe))
