/* signal.h - data with a signal.
 *
 * OpenSHMEM 1.5, section 9.9 (signaling operations). Whoever sees the signal sees
 * the whole payload. sig_addr is a symmetric, 8-byte aligned uint64_t; sig_op is
 * NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD. put_signal returns when source may be
 * written again; _nbi is complete at nvshmem_quiet(). Not collective.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SIGNAL_H
#define GSHMEM_SIGNAL_H

#include <gshmem/types.h>

GSH_BEGIN_C

/* void nvshmem_float_put_signal(float *dest, const float *source, size_t nelems,
 *                               uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) */
#define GSH_DECL(name, type, a) \
    GSH_ANY void nvshmem_##name##_put_signal(type *dest, const type *source, size_t nelems, \
                                             uint64_t *sig_addr, uint64_t signal, int sig_op, \
                                             int pe); \
    GSH_ANY void nvshmem_##name##_put_signal_nbi(type *dest, const type *source, size_t nelems, \
                                                 uint64_t *sig_addr, uint64_t signal, int sig_op, \
                                                 int pe);
GSH_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(bits, a) \
    GSH_ANY void nvshmem_put##bits##_signal(void *dest, const void *source, size_t nelems, \
                                            uint64_t *sig_addr, uint64_t signal, int sig_op, \
                                            int pe); \
    GSH_ANY void nvshmem_put##bits##_signal_nbi(void *dest, const void *source, size_t nelems, \
                                                uint64_t *sig_addr, uint64_t signal, int sig_op, \
                                                int pe);
GSH_SIZES(GSH_DECL, _)
#undef GSH_DECL

GSH_ANY void nvshmem_putmem_signal(void *dest, const void *source, size_t bytes, uint64_t *sig_addr,
                                   uint64_t signal, int sig_op, int pe);
GSH_ANY void nvshmem_putmem_signal_nbi(void *dest, const void *source, size_t bytes,
                                       uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);

/* A signal without data; comes after no earlier put unless a fence says so. */
GSH_ANY void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);

/* The value of the signal word of this PE. */
GSH_ANY uint64_t nvshmem_signal_fetch(uint64_t *sig_addr);

/* Waits until `*sig_addr cmp cmp_val`; returns the value that ended the wait. */
GSH_ANY uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_val);

GSH_END_C

#endif /* GSHMEM_SIGNAL_H */
