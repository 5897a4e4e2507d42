/* signal.h - data with a signal, and signals alone.
 *
 * OpenSHMEM 1.5, section 9.9; signal_set and signal_add are 1.6. sig_op is
 * SHMEM_SIGNAL_SET or _ADD. Who sees the signal sees all of the data.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_SIGNAL_H
#define GSHMEM_SHMEM_SIGNAL_H

#include <gshmem/shmem/base.h>

GSH_BEGIN_C

/* void shmem_float_put_signal(float *dest, const float *source, size_t nelems,
 *                             uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) */
#define GSH_DECL(name, type, a) \
    GSH_SHMEM_CTX(void, name##_put_signal, type *dest, const type *source, size_t nelems, \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    GSH_SHMEM_CTX(void, name##_put_signal_nbi, type *dest, const type *source, size_t nelems, \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
GSH_SHMEM_RMA_TYPES(GSH_DECL, _)
#undef GSH_DECL

#define GSH_DECL(bits, a) \
    GSH_SHMEM_CTX(void, put##bits##_signal, void *dest, const void *source, size_t nelems, \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    GSH_SHMEM_CTX(void, put##bits##_signal_nbi, void *dest, const void *source, size_t nelems, \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
GSH_SIZES(GSH_DECL, _)
#undef GSH_DECL

GSH_SHMEM_CTX(void, putmem_signal, void *dest, const void *source, size_t nelems,
              uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
GSH_SHMEM_CTX(void, putmem_signal_nbi, void *dest, const void *source, size_t nelems,
              uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)

GSH_SHMEM_CTX(void, signal_set, uint64_t *sig_addr, uint64_t signal, int pe)
GSH_SHMEM_CTX(void, signal_add, uint64_t *sig_addr, uint64_t signal, int pe)

/* The signal word of this PE; and wait until `*sig_addr cmp cmp_value`. */
GSH_SHMEM(uint64_t, signal_fetch, const uint64_t *sig_addr)
GSH_SHMEM(uint64_t, signal_wait_until, uint64_t *sig_addr, int cmp, uint64_t cmp_value)

GSH_END_C

#endif /* GSHMEM_SHMEM_SIGNAL_H */
