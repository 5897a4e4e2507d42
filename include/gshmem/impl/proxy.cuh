/* proxy.cuh - what kernels do at PEs that they cannot load from and store to: they ask the
 * host, by commands in a ring, and a thread there (src/proxy) carries them out in order.
 *
 *     remote_put(call, sym, src, bytes, pe)     returns when src may be written
 *     remote_p(call, sym, value, pe)
 *     remote_get(call, dst, sym, bytes, pe)
 *     remote_amo(call, sym, bytes, op, operand, cond, pe, answers)    enum gsh_device_amo; the
 *                                               old bits, if it is to answer
 *     remote_signal(call, sym, signal, op, pe)  after all earlier puts to pe
 *     remote_fence(), remote_quiet()
 *
 * sym is the address in the own window. A thread takes a ticket, which is the place of its command
 * in the order of all; fills the slot of that number, once the command that had it a round before
 * is over; and writes the ticket behind it, by which the host knows the command. A command that
 * is answered keeps its slot until the thread has read the answer: it then clears the ticket.
 * Tickets are dealt out by one counter, so that commands of threads that met before, in a barrier,
 * are in that order.
 *
 * What is little goes through the slot, and so does what only the thread can read or write
 * (registers, shared memory); the host moves the rest itself.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_PROXY_CUH
#define GSHMEM_IMPL_PROXY_CUH

#include <gshmem/impl/arch.cuh>

namespace gsh_impl {

/* Eight bytes of data at any address, or the last ones. */
GSH_DEVICE uint64_t read_unit(const char *from, size_t left)
{
    uint64_t unit = 0;

    if (left >= sizeof(unit) && reinterpret_cast<uintptr_t>(from) % sizeof(unit) == 0)
        return *reinterpret_cast<const uint64_t *>(from);
    GSH_ROLL
    for (size_t e = 0; e < sizeof(unit) && e < left; e++)
        unit |= (uint64_t)(uint8_t)from[e] << 8 * e;
    return unit;
}

/* A call, as it is handed on: in memory, for each argument, and each function that is called, takes
 * registers from kernels that never come here. */
struct far_call {
    gsh_device_command command;
    const char *name;
    char *mine;  /* the thread's memory of put and get */
    size_t left; /* bytes that are still to be moved */

    GSH_DEVICE far_call(const char *name, gsh_ring_kind kind, const void *sym, size_t bytes, int pe)
        : command(), name(name), mine(NULL), left(bytes)
    {
        command.kind = kind;
        command.pe = pe;
        command.sym = reinterpret_cast<uint64_t>(sym);
    }
};

/* Waits until a count of the host has come so far. */
GSH_DEVICE void await_count(const far_call &f, const uint64_t *count, uint64_t least)
{
    for (host_waiting w(f.name, count, NVSHMEM_CMP_GE, least); load(count) < least;)
        w.pause();
    fence_acquire();
}

/* Takes the next ticket, and waits until the slot that comes with it is free. */
GSH_DEVICE uint64_t take_ticket(const far_call &f)
{
    uint64_t *words = state().ring_words;
    uint64_t ticket = atomic_add(words + GSH_RING_TICKETS, (uint64_t)1);

    if (ticket >= load_acquire(words + GSH_RING_OVER) + GSH_RING_SLOTS) {
        await_count(f, &state().ring->over, ticket - GSH_RING_SLOTS + 1);
        store_release(words + GSH_RING_OVER, load(&state().ring->over)); /* nearer for the next */
    }
    return ticket;
}

GSH_DEVICE void write_data(gsh_device_slot *slot, const far_call &f)
{
    GSH_ROLL
    for (size_t i = 0; i < f.command.bytes; i += sizeof(uint64_t))
        slot->data[i / sizeof(uint64_t)] = read_unit(f.mine + i, f.command.bytes - i);
}

/* Hands one command to the host, and waits for its answer if it has one. */
GSH_DEVICE uint64_t hand_over(const far_call &f)
{
    uint64_t ticket = take_ticket(f), old;
    gsh_device_slot *slot = &state().ring->slots[ticket % GSH_RING_SLOTS];

    slot->command = f.command;
    if (f.command.kind == GSH_RING_PUT && !f.command.local)
        write_data(slot, f);
    store_release(&slot->ticket, ticket + 1);
    ring_bell();
    if (!f.command.answers)
        return 0;
    await_count(f, &slot->done, ticket + 1);
    old = slot->old;
    if (f.command.kind == GSH_RING_GET && !f.command.local)
        memcpy(f.mine, slot->data, f.command.bytes);
    store_release(&slot->ticket, (uint64_t)0);
    return old;
}

/* What is a thread's own and does not fit into a slot goes in pieces. */
GSH_DEVICE_LARGE uint64_t remote(far_call &f)
{
    gsh_device_command &c = f.command;
    uint64_t old;

    if (f.mine && f.left > GSH_RING_DATA && host_sees(f.mine)) {
        c.local = reinterpret_cast<uint64_t>(f.mine);
        c.answers = true;
    }
    do {
        c.bytes = f.left;
        if (f.mine && !c.local && c.bytes > GSH_RING_DATA)
            c.bytes = GSH_RING_DATA;
        old = hand_over(f);
        f.left -= c.bytes;
        c.sym += c.bytes;
        if (f.mine)
            f.mine += c.bytes;
    } while (f.left);
    return old;
}

GSH_DEVICE void remote_put(const char *call, void *sym, const void *src, size_t bytes, int pe)
{
    far_call f(call, GSH_RING_PUT, sym, bytes, pe);

    f.mine = static_cast<char *>(const_cast<void *>(src));
    remote(f);
}

template <class T> GSH_DEVICE void remote_p(const char *call, T *sym, T value, int pe)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "a word");
    far_call f(call, GSH_RING_P, sym, sizeof(T), pe);

    memcpy(&f.command.operand, &value, sizeof(T));
    remote(f);
}

GSH_DEVICE void remote_get(const char *call, void *dst, const void *sym, size_t bytes, int pe)
{
    far_call f(call, GSH_RING_GET, sym, bytes, pe);

    f.mine = static_cast<char *>(dst);
    f.command.answers = true;
    remote(f);
}

GSH_DEVICE uint64_t remote_amo(const char *call, void *sym, size_t bytes, int op, uint64_t operand,
                               uint64_t cond, int pe, bool answers)
{
    far_call f(call, GSH_RING_AMO, sym, bytes, pe);

    f.command.op = op;
    f.command.operand = operand;
    f.command.cond = cond;
    f.command.answers = answers;
    return remote(f);
}

GSH_DEVICE void remote_signal(const char *call, uint64_t *sym, uint64_t signal, int op, int pe)
{
    far_call f(call, GSH_RING_SIGNAL, sym, sizeof(*sym), pe);

    f.command.op = op == NVSHMEM_SIGNAL_ADD ? GSH_DEVICE_ADD : GSH_DEVICE_SET;
    f.command.operand = signal;
    remote(f);
}

GSH_DEVICE void remote_fence()
{
    if (!state().ring)
        return;
    far_call f("nvshmem_fence", GSH_RING_FENCE, NULL, 0, 0);
    remote(f);
}

GSH_DEVICE void remote_quiet()
{
    if (!state().ring)
        return;
    far_call f("nvshmem_quiet", GSH_RING_QUIET, NULL, 0, 0);
    f.command.answers = true;
    remote(f);
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_PROXY_CUH */
