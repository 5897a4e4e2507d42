/* op.h - one piece of communication, as a stream does it: on the host for the CPU device,
 * and by the library's own kernels on a GPU, which get it as their argument. Plain C and C++.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_STREAM_OP_H
#define GSH_STREAM_OP_H

#include "coll/types.h"

/* X(KIND, text): the text is for messages of kernels. */
/* clang-format off */
#define GSH_OP_KINDS(X) \
    X(PUT,           "put_on_stream") \
    X(GET,           "get_on_stream") \
    X(IPUT,          "iput_on_stream") \
    X(IGET,          "iget_on_stream") \
    X(P,             "p_on_stream") \
    X(PUT_SIGNAL,    "put_signal_on_stream") \
    X(SIGNAL,        "signal_op_on_stream") \
    X(WAIT,          "wait_until_on_stream") \
    X(QUIET,         "quiet_on_stream") \
    X(BARRIER,       "barrier_on_stream") \
    X(SYNC,          "team_sync_on_stream") \
    X(BROADCAST,     "broadcast_on_stream") \
    X(FCOLLECT,      "fcollect_on_stream") \
    X(ALLTOALL,      "alltoall_on_stream") \
    X(REDUCE,        "reduce_on_stream") \
    X(REDUCESCATTER, "reducescatter_on_stream") \
    X(AMO,           "atomic operation")
/* clang-format on */

enum gsh_op_kind {
#define ROW(KIND, text) GSH_OP_##KIND,
    GSH_OP_KINDS(ROW)
#undef ROW
};

/* How a collective's kernel does it; else one block does all. */
enum gsh_op_steps {
    GSH_STEP_SPREAD = 1,  /* several blocks do all */
    GSH_STEP_COMBINE = 2, /* a reduction without its meetings */
};

struct gsh_op {
    const char *call;  /* the public name; of the host */
    const void *where; /* its return address */
    int32_t kind;      /* enum gsh_op_kind */
    int32_t how;       /* comparison, sig_op, enum gsh_reduction, enum gsh_device_amo */
    int32_t type;      /* enum gsh_coll_type, of collectives */
    int32_t size;      /* bytes of an element */
    int32_t is_signed; /* of the words of a wait */
    int32_t steps;     /* enum gsh_op_steps */
    int32_t team;
    int32_t pe; /* or the root's rank */
    void *dest;
    const void *source;
    size_t n; /* bytes of put and get, else elements */
    ptrdiff_t dst, sst;
    uint64_t *word; /* signal; words of a wait; word of an atomic operation */
    uint64_t value; /* the bits of p, signal, comparison or operand */
    uint64_t cond;
    const void *values; /* a wait's values, one each; NULL: value for all */
    const int *status;
    uint64_t *result; /* of an atomic operation */
    void (*combine)(void *to, const void *const *from, int n, size_t nelems); /* the host's */
};

#endif /* GSH_STREAM_OP_H */
