/* qp.h - queue pairs: handles by which kernels spread traffic over connections.
 *
 * Memory that is loaded and stored has no queue pairs: every handle is as good as
 * NVSHMEMX_QP_DEFAULT, and the nvshmemx_qp_ calls do what those without a handle do.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_QP_H
#define GSHMEM_QP_H

#include <gshmem/std.h>

typedef int nvshmemx_qp_handle_t;

typedef enum {
    NVSHMEMX_QP_HOST = 0,
    NVSHMEMX_QP_DEFAULT = 1,
    NVSHMEMX_QP_ANY = INT_MAX,
    NVSHMEMX_QP_ALL = INT_MAX
} nvshmemx_qp_handle_index_t;

#endif /* GSHMEM_QP_H */
