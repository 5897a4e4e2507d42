/* names.cuh - all names of the device interface, as row.cuh is told to expand them.
 * Included once for labels (CPU device) and once for the functions.
 *
 * The lists of types are those of types.h. A row's function knows its own name as
 * __func__, which the bodies want for their messages. `x` and `suffix` make the names of
 * the scopes: nvshmem_int_put, nvshmemx_int_put_warp, nvshmemx_int_put_block.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <gshmem/impl/row.cuh>

/* LIST(ROW, x, suffix, group), once a scope. Calls of one thread are the host's as well. */
#define GSH_SCOPES(LIST) \
    LIST(GSH_ANY_ROW, , , thread) \
    LIST(GSH_DEVICE_ROW, x, _warp, warp) \
    LIST(GSH_DEVICE_ROW, x, _block, block)

#include <gshmem/impl/names_amo.cuh>
#include <gshmem/impl/names_coll.cuh>
#include <gshmem/impl/names_qp.cuh>
#include <gshmem/impl/names_query.cuh>
#include <gshmem/impl/names_rma.cuh>
#include <gshmem/impl/names_signal.cuh>
#include <gshmem/impl/names_tma.cuh>
#include <gshmem/impl/names_wait.cuh>

#undef GSH_SCOPES
