/* signal.cuh - puts with a signal, and signals alone: bodies.
 *
 * Whoever sees the signal sees the whole payload. All threads of the group have stored
 * their parts; then the group meets, and its leader alone makes a release fence and
 * writes the signal. That is enough, and cheaper than a fence in each thread: in the PTX
 * memory model the barrier orders the stores of all threads before what the leader does
 * next, and a fence releases all that comes before it in that order, not only what the
 * leader itself has stored (causality order is transitive). The meeting also frees the
 * source for the whole group, so that none is needed after the signal.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_SIGNAL_CUH
#define GSHMEM_IMPL_SIGNAL_CUH

#include <gshmem/impl/copy.cuh>
#include <gshmem/impl/peer.cuh>
#include <gshmem/impl/wait.cuh>

namespace gsh_impl {

GSH_DEVICE void check_signal(const char *call, int op)
{
    if (op != NVSHMEM_SIGNAL_SET && op != NVSHMEM_SIGNAL_ADD)
        fail(call, "sig_op is neither NVSHMEM_SIGNAL_SET nor _ADD (given, SET)", op,
             NVSHMEM_SIGNAL_SET);
}

/* Signal words are plain: users may read and write them as well. */
GSH_DEVICE void signal(const char *call, uint64_t *word, uint64_t value, int op, int pe)
{
    check_signal(call, op);
    uint64_t *there = checked(call, word, sizeof(*word), sizeof(*word), pe);

    note_post(there, sizeof(*word));
    if (!there)
        remote_signal(call, word, value, op, pe);
    else if (op == NVSHMEM_SIGNAL_SET)
        store(there, value);
    else
        atomic_add(there, value);
    note_posted(there);
}

GSH_DEVICE uint64_t signal_fetch(const uint64_t *word)
{
    uint64_t have = load_acquire(word);

    note_seen(word, sizeof(*word));
    return have;
}

struct payload {
    void *dest;
    const void *source;
    size_t bytes;
    size_t align;
};

template <class Group>
GSH_DEVICE void put_signal(const char *call, payload data, uint64_t *word, uint64_t value, int op,
                           int pe)
{
    void *there = checked(call, data.dest, data.bytes, data.align, pe);
    bool remote = data.bytes && !there;

    if (leads<Group>())
        note_payload(there, data.source, data.bytes);
    if (there)
        copy<Group>(there, data.source, data.bytes);
    Group::sync();
    if (leads<Group>()) {
        if (remote)
            remote_put(call, data.dest, data.source, data.bytes, pe);
        fence_release();
        signal(call, word, value, op, pe);
    }
    if (remote)
        Group::sync();
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_SIGNAL_CUH */
