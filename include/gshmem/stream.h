/* stream.h - communication in CUDA streams: the calls of rma.h, signal.h, wait.h and coll.h
 * that the host makes and a stream does.
 *
 * Names are given for float; TYPE is as with the same calls without _on_stream. A call
 * returns at once; the stream does the work after what was put into it before and before
 * what comes later. Sources and words are read then, a value (p, signal, cmp_value)
 * when the call is made. A put is complete at its PE after a quiet, a barrier or the
 * signal that comes with it in the stream; where the source is written again later in the same
 * stream nothing is needed. A signal comes after all that its stream has put to that PE before.
 *
 * Streams that are captured take all of these calls, in every mode, into their graphs, which
 * may be launched any number of times, in any order, as long as the PEs launch what matches.
 * nvshmemx_TYPE_g_on_stream() is the exception, for it waits for the stream and returns
 * the value: in a capture it returns 0, with a text in nvshmemx_last_error(), and the
 * capture goes on without it.
 *
 * A host function in a stream (cudaLaunchHostFunc) comes in its turn as well: after what was put
 * and made complete before it. It must not call CUDA, and so must not communicate.
 *
 * Collectives are called by all PEs of the team, one at a time on a team; those on streams
 * and those in kernels count together. Different teams may be used in different streams at the
 * same time. Those that return int return 0, or non-zero with a text in
 * nvshmemx_last_error(); wrong PEs and addresses end the job with one line. On a GPU all
 * PEs of a team must be reachable by load and store, and kernels of the PEs that share a
 * GPU must find room beside the program's: a few blocks.
 *
 * Streams are the CUDA runtime's; the default streams work as well. A program without CUDA
 * has the default stream NULL alone, which does everything at once.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_STREAM_H
#define GSHMEM_STREAM_H

#include <gshmem/types.h>

/* CUDA's own, so that programs for the host alone need no header of CUDA's. */
struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;

GSH_BEGIN_C

/* void nvshmemx_float_put_on_stream(float *dest, const float *source, size_t nelems, int pe,
 *                                   cudaStream_t cstrm)
 * _nbi: complete after a quiet in the stream. */
#define GSH_DECL(name, type, a) \
    GSH_API void nvshmemx_##name##_put_on_stream(type *dest, const type *source, size_t nelems, \
                                                 int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_##name##_get_on_stream(type *dest, const type *source, size_t nelems, \
                                                 int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_##name##_put_nbi_on_stream(type *dest, const type *source, \
                                                     size_t nelems, int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_##name##_get_nbi_on_stream(type *dest, const type *source, \
                                                     size_t nelems, int pe, cudaStream_t cstrm);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* void nvshmemx_float_p_on_stream(float *dest, float value, int pe, cudaStream_t cstrm)
 * float nvshmemx_float_g_on_stream(const float *src, int pe, cudaStream_t cstrm): waits.
 * iput, iget: element i goes from source[i * sst] to dest[i * dst]. */
#define GSH_DECL(name, type, a) \
    GSH_API void nvshmemx_##name##_p_on_stream(type *dest, const type value, int pe, \
                                               cudaStream_t cstrm); \
    GSH_API type nvshmemx_##name##_g_on_stream(const type *src, int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_##name##_iput_on_stream(type *dest, const type *source, ptrdiff_t dst, \
                                                  ptrdiff_t sst, size_t nelems, int pe, \
                                                  cudaStream_t cstrm); \
    GSH_API void nvshmemx_##name##_iget_on_stream(type *dest, const type *source, ptrdiff_t dst, \
                                                  ptrdiff_t sst, size_t nelems, int pe, \
                                                  cudaStream_t cstrm);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* void nvshmemx_float_put_signal_on_stream(float *dest, const float *source, size_t nelems,
 *                                          uint64_t *sig_addr, uint64_t signal, int sig_op,
 *                                          int pe, cudaStream_t cstrm) */
#define GSH_DECL(name, type, a) \
    GSH_API void nvshmemx_##name##_put_signal_on_stream( \
        type *dest, const type *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
        int sig_op, int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_##name##_put_signal_nbi_on_stream( \
        type *dest, const type *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
        int sig_op, int pe, cudaStream_t cstrm);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* void nvshmemx_put64_on_stream(void *dest, const void *source, size_t nelems, int pe,
 *                               cudaStream_t cstrm) */
#define GSH_DECL(bits, a) \
    GSH_API void nvshmemx_put##bits##_on_stream(void *dest, const void *source, size_t nelems, \
                                                int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_get##bits##_on_stream(void *dest, const void *source, size_t nelems, \
                                                int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_put##bits##_nbi_on_stream(void *dest, const void *source, size_t nelems, \
                                                    int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_get##bits##_nbi_on_stream(void *dest, const void *source, size_t nelems, \
                                                    int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_iput##bits##_on_stream(void *dest, const void *source, ptrdiff_t dst, \
                                                 ptrdiff_t sst, size_t nelems, int pe, \
                                                 cudaStream_t cstrm); \
    GSH_API void nvshmemx_iget##bits##_on_stream(void *dest, const void *source, ptrdiff_t dst, \
                                                 ptrdiff_t sst, size_t nelems, int pe, \
                                                 cudaStream_t cstrm); \
    GSH_API void nvshmemx_put##bits##_signal_on_stream( \
        void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
        int sig_op, int pe, cudaStream_t cstrm); \
    GSH_API void nvshmemx_put##bits##_signal_nbi_on_stream( \
        void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
        int sig_op, int pe, cudaStream_t cstrm);
GSH_SIZES(GSH_DECL, _)
#undef GSH_DECL

GSH_API void nvshmemx_putmem_on_stream(void *dest, const void *source, size_t bytes, int pe,
                                       cudaStream_t cstrm);
GSH_API void nvshmemx_getmem_on_stream(void *dest, const void *source, size_t bytes, int pe,
                                       cudaStream_t cstrm);
GSH_API void nvshmemx_putmem_nbi_on_stream(void *dest, const void *source, size_t bytes, int pe,
                                           cudaStream_t cstrm);
GSH_API void nvshmemx_getmem_nbi_on_stream(void *dest, const void *source, size_t bytes, int pe,
                                           cudaStream_t cstrm);
GSH_API void nvshmemx_putmem_signal_on_stream(void *dest, const void *source, size_t bytes,
                                              uint64_t *sig_addr, uint64_t signal, int sig_op,
                                              int pe, cudaStream_t cstrm);
GSH_API void nvshmemx_putmem_signal_nbi_on_stream(void *dest, const void *source, size_t bytes,
                                                  uint64_t *sig_addr, uint64_t signal, int sig_op,
                                                  int pe, cudaStream_t cstrm);

/* Another name of nvshmemx_putmem_on_stream(). */
GSH_API void nvshmemx_putmem_stream(void *dest, const void *source, size_t bytes, int pe,
                                    cudaStream_t cstrm);

GSH_API void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe,
                                          cudaStream_t cstrm);
GSH_API void nvshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value,
                                                  cudaStream_t cstream);

/* void nvshmemx_int_wait_until_on_stream(int *ivar, int cmp, int cmp_value,
 *                                        cudaStream_t cstream)
 * The stream waits, not the host. */
#define GSH_DECL(name, type, a) \
    GSH_API void nvshmemx_##name##_wait_until_on_stream(type *ivar, int cmp, type cmp_value, \
                                                        cudaStream_t cstream); \
    GSH_API void nvshmemx_##name##_wait_until_all_on_stream(type *ivars, size_t nelems, \
                                                            const int *status, int cmp, \
                                                            type cmp_value, cudaStream_t cstream); \
    GSH_API void nvshmemx_##name##_wait_until_all_vector_on_stream( \
        type *ivars, size_t nelems, const int *status, int cmp, type *cmp_values, \
        cudaStream_t cstream);
GSH_WAIT_TYPES(GSH_DECL, _)
#undef GSH_DECL

/* All that the stream has put before is complete, and visible, to what comes later. */
GSH_API void nvshmemx_quiet_on_stream(cudaStream_t cstrm);

GSH_API int nvshmemx_barrier_on_stream(nvshmem_team_t team, cudaStream_t stream);
GSH_API void nvshmemx_barrier_all_on_stream(cudaStream_t stream);
GSH_API int nvshmemx_team_sync_on_stream(nvshmem_team_t team, cudaStream_t stream);
GSH_API void nvshmemx_sync_all_on_stream(cudaStream_t stream);

/* int nvshmemx_float_broadcast_on_stream(nvshmem_team_t team, float *dest,
 *                                        const float *source, size_t nelems, int PE_root,
 *                                        cudaStream_t stream) */
#define GSH_DECL(name, type, a) \
    GSH_API int nvshmemx_##name##_alltoall_on_stream( \
        nvshmem_team_t team, type *dest, const type *source, size_t nelems, cudaStream_t stream); \
    GSH_API int nvshmemx_##name##_broadcast_on_stream(nvshmem_team_t team, type *dest, \
                                                      const type *source, size_t nelems, \
                                                      int PE_root, cudaStream_t stream); \
    GSH_API int nvshmemx_##name##_fcollect_on_stream( \
        nvshmem_team_t team, type *dest, const type *source, size_t nelems, cudaStream_t stream);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

GSH_API int nvshmemx_alltoallmem_on_stream(nvshmem_team_t team, void *dest, const void *source,
                                           size_t bytes, cudaStream_t stream);
GSH_API int nvshmemx_broadcastmem_on_stream(nvshmem_team_t team, void *dest, const void *source,
                                            size_t bytes, int PE_root, cudaStream_t stream);
GSH_API int nvshmemx_fcollectmem_on_stream(nvshmem_team_t team, void *dest, const void *source,
                                           size_t bytes, cudaStream_t stream);

/* int nvshmemx_float_sum_reduce_on_stream(nvshmem_team_t team, float *dest,
 *                                         const float *source, size_t nreduce,
 *                                         cudaStream_t stream) */
#define GSH_DECL(name, type, op, a) \
    GSH_API int nvshmemx_##name##_##op##_reduce_on_stream( \
        nvshmem_team_t team, type *dest, const type *source, size_t nreduce, cudaStream_t stream); \
    GSH_API int nvshmemx_##name##_##op##_reducescatter_on_stream( \
        nvshmem_team_t team, type *dest, const type *source, size_t nreduce, cudaStream_t stream);
GSH_REDUCTIONS(GSH_DECL, _)
#undef GSH_DECL

GSH_END_C

#endif /* GSHMEM_STREAM_H */
