/* proxy.h - does for kernels what they cannot do themselves: puts, gets and atomic operations
 * at PEs that they do not load from and store to.
 *
 * Kernels write commands into a ring (gshmem/impl/proxy.cuh). A thread carries them out one by
 * one, in the order of their tickets, by the calls that the host has for the same. It answers
 * those that kernels wait for, and frees slots in that order as well. Kernels on the CPU device
 * wake it with a bell; GPUs cannot, and it looks for itself.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_PROXY_PROXY_H
#define GSH_PROXY_PROXY_H

#include <gshmem/impl/state.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

struct gsh_proxy {
    LIST_ENTRY(gsh_proxy) link;
    struct gsh_device_ring *ring; /* NULL: not open */
    bool polls;                   /* no bell is rung */
    _Atomic uint64_t done;        /* commands that are carried out */
    uint64_t over;                /* of them, those whose slots are free */
    _Atomic bool started;
    _Atomic bool stop;
    _Atomic uint32_t asleep;
    pthread_t thread;
};

/* The ring is zeroed, and the caller's. With `polls` the thread starts now, else by the first
 * bell. 0 or a negative errno after gsh_fail(). */
int gsh_proxy_open(struct gsh_proxy *proxy, struct gsh_device_ring *ring, bool polls);

/* Ends the thread, after all commands so far. Nothing when it is not open. */
void gsh_proxy_close(struct gsh_proxy *proxy);

/* A command has been written. */
void gsh_proxy_bell(struct gsh_proxy *proxy);
static inline bool gsh_proxy_needs_bell(struct gsh_proxy *proxy)
{
    atomic_thread_fence(memory_order_seq_cst);
    return !atomic_load_explicit(&proxy->started, memory_order_relaxed) ||
           atomic_load_explicit(&proxy->asleep, memory_order_relaxed);
}

/* Waits until all commands of kernels that have ended are carried out, as far as the calls of
 * the host would be. Not by the thread itself. */
void gsh_proxy_drain(void);

/* This process ends without finalize: drains, and ends all threads. */
void gsh_proxy_leave(void);

/* What a kernel waits for at this word of the ring; false: it is not of the ring. */
bool gsh_proxy_describe(const struct gsh_proxy *proxy, const void *word, char *text, size_t bytes);

#endif /* GSH_PROXY_PROXY_H */
