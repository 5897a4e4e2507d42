/* names_rma.cuh - put and get: names. */
// SPDX-License-Identifier: BSD-3-Clause

/* void nvshmem_float_put(float *dest, const float *source, size_t nelems, int pe), and get.
 * iput and iget with the strides dst and sst before nelems. */
#define GSH_MOVE(ROW, op, name, group, type, count, bytes, align) \
    ROW(void, name, (type * dest, const type *source, size_t count, int pe), \
        (dest, source, count, pe), \
        gsh_impl::op<gsh_impl::group>(__func__, dest, source, bytes, pe, align))
#define GSH_STRIDED(ROW, op, name, group, type, bits) \
    ROW(void, name, \
        (type * dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
        (dest, source, dst, sst, nelems, pe), \
        gsh_impl::op<gsh_impl::group, bits>(__func__, dest, source, dst, sst, nelems, pe))

#define GSH_TYPE(name, type, ROW, x, suffix, group, op) \
    GSH_MOVE(ROW, op, nvshmem##x##_##name##_##op##suffix, group, type, nelems, \
             nelems * sizeof(type), sizeof(type)) \
    GSH_MOVE(ROW, op, nvshmem##x##_##name##_##op##_nbi##suffix, group, type, nelems, \
             nelems * sizeof(type), sizeof(type)) \
    GSH_STRIDED(ROW, i##op, nvshmem##x##_##name##_i##op##suffix, group, type, 8 * sizeof(type))
#define GSH_SIZE(bits, ROW, x, suffix, group, op) \
    GSH_MOVE(ROW, op, nvshmem##x##_##op##bits##suffix, group, void, nelems, bits / 8 * nelems, \
             bits / 8) \
    GSH_MOVE(ROW, op, nvshmem##x##_##op##bits##_nbi##suffix, group, void, nelems, \
             bits / 8 * nelems, bits / 8) \
    GSH_STRIDED(ROW, i##op, nvshmem##x##_i##op##bits##suffix, group, void, bits)
#define GSH_MEM(ROW, x, suffix, group, op) \
    GSH_MOVE(ROW, op, nvshmem##x##_##op##mem##suffix, group, void, bytes, bytes, 1) \
    GSH_MOVE(ROW, op, nvshmem##x##_##op##mem_nbi##suffix, group, void, bytes, bytes, 1)
#define GSH_OP(...) \
    GSH_RMA_TYPES(GSH_TYPE, __VA_ARGS__) GSH_SIZES(GSH_SIZE, __VA_ARGS__) GSH_MEM(__VA_ARGS__)
#define GSH_SCOPE(...) GSH_OP(__VA_ARGS__, put) GSH_OP(__VA_ARGS__, get)
GSH_SCOPES(GSH_SCOPE)
#undef GSH_SCOPE
#undef GSH_OP
#undef GSH_MEM
#undef GSH_SIZE
#undef GSH_TYPE
#undef GSH_STRIDED
#undef GSH_MOVE

/* void nvshmemx_float_put_team(nvshmem_team_t team, float *dest, const float *source,
 *                              size_t nelems, int pe), and get. */
#define GSH_TEAM_MOVE(ROW, op, name, group, type) \
    ROW(void, name, (nvshmem_team_t team, type * dest, const type *source, size_t nelems, int pe), \
        (team, dest, source, nelems, pe), \
        gsh_impl::op<gsh_impl::group>(__func__, dest, source, nelems * sizeof(type), \
                                      gsh_impl::pe_of(__func__, team, pe), sizeof(type)))
#define GSH_TYPE(name, type, ROW, suffix, group) \
    GSH_TEAM_MOVE(ROW, put, nvshmemx_##name##_put_team##suffix, group, type) \
    GSH_TEAM_MOVE(ROW, get, nvshmemx_##name##_get_team##suffix, group, type)
#define GSH_SCOPE(ROW, x, suffix, group) GSH_RMA_TYPES(GSH_TYPE, ROW, suffix, group)
GSH_SCOPES(GSH_SCOPE)
#undef GSH_SCOPE
#undef GSH_TYPE
#undef GSH_TEAM_MOVE

/* void nvshmem_float_p(float *dest, const float value, int pe)
 * float nvshmem_float_g(const float *src, int pe) */
#define GSH_TYPE(name, type, a) \
    GSH_ANY_ROW(void, nvshmem_##name##_p, (type * dest, const type value, int pe), \
                (dest, value, pe), gsh_impl::p<type>(__func__, dest, value, pe)) \
    GSH_ANY_ROW(type, nvshmem_##name##_g, (const type *src, int pe), (src, pe), \
                return gsh_impl::g<type>(__func__, src, pe))
GSH_RMA_TYPES(GSH_TYPE, _)
#undef GSH_TYPE
