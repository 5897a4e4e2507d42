/* arch.cuh - what differs between the targets of the device headers. Both files give
 * the same names, and nothing else asks which target this is:
 *
 *     GSH_DEVICE           before a function of the device; small, inlined
 *     GSH_DEVICE_LARGE     the same for bodies that are worth a call
 *     GSH_UNROLL, GSH_ROLL before a loop: it is worth unrolling in full, or not at all
 *     state()              const struct gsh_device_state &, of this PE
 *
 * Words, naturally aligned, of 1, 2, 4 or 8 bytes:
 *     load(p), store(p, v)           one access, never torn, kept or left out; no order
 *     load_acquire(p)                later accesses of this thread come after it
 *     store_release(p, v)            it comes after all earlier accesses of this thread
 *     fence_acquire(), fence_release()   the same between load() or store() and the rest
 *     fence_full()                   earlier stores are visible to all PEs before later loads
 *
 * Atomics, no order, of 4 or 8 bytes; they return what was there:
 *     atomic_add(p, v)               integers; float, double, half and bfloat16 as well
 *     atomic_and, atomic_or, atomic_xor, atomic_swap(p, v), atomic_cas(p, cond, v)
 *
 * Data, 16 bytes at a multiple of 16, of any memory that the thread can reach:
 *     wide, load_wide(p), store_wide(p, w)
 *     COPY_SLICES                    copies go best a slice a thread, by memcpy
 *
 * The copy engine, between global memory of any PE and shared memory of the block, driven by
 * one thread. Addresses and bytes are multiples of 16. A counter is a word of shared memory
 * that tells the end of loads, one at a time:
 *     ENGINE                         0: there is none, the thread itself copies and is done
 *     engine_reaches(p)              global memory?
 *     engine_init(counter), engine_end(counter)   before the first load, after the last
 *     engine_sees()                  later copies see what this thread knows: memory, counters
 *     engine_load(shared, from, bytes, counter)
 *     engine_loaded(counter, turn)   its load number `turn`, from 0, is here?
 *     engine_store(to, shared, bytes)
 *     engine_read(), engine_read_but_last()   the thread's stores, all but one, have read shared
 *     engine_stored()                they are complete
 *
 * Threads, counted in the block in one dimension:
 *     thread_rank(), block_threads(), lane()
 *     warp_sync(), block_sync()      all 32 lanes, all threads of the block
 *     barrier_sync(id, threads)      a named barrier of the block
 *     warp_broadcast(v, from)        what lane `from` has; all lanes call
 *     clock_ns()
 *
 * Waiting: `for (waiting w(call, address, cmp, value); !condition; w.pause());` lets others
 * run; when the job must end, or GSHMEM_TIMEOUT passes, pause() says who waits for what
 * (address, cmp and value are for that) and does not return. host_waiting is for words that the
 * host writes.
 *
 * Errors: fail(call, what, a, b) prints "PE, call, block, thread: what (a, b)" and ends the
 * kernel and the job. check(call, sym, bytes, align, pe) ends it when [sym, sym + bytes) is
 * no live symmetric memory, or pe is no PE; done when state().check is set.
 *
 * Commands for the host (proxy.cuh):
 *     host_sees(p)                   the host has this address, too
 *     ring_bell()                    the host looks for the command that was just written
 *
 * For the race checker of the CPU device, by one thread of the group, before the bytes move;
 * `there` is the alias, NULL none:
 *     note_put(there, source, bytes), note_get(dest, there, bytes)
 *     note_payload(there, source, bytes)   of the note_post() that follows
 *     note_post(there, bytes)              a signal or atomic operation, until
 *     note_posted(there)                   it is done; nothing in between
 *     note_seen(word, bytes)               a wait or test for it has succeeded
 *     note_touch(at, bytes, writes)        a collective's access
 *     note_release(word), note_acquire(word)   order between members of a team
 *     note_fence(), note_quiet()
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_ARCH_CUH
#define GSHMEM_IMPL_ARCH_CUH

#include <gshmem/impl/state.h>

#ifdef GSHMEM_TARGET_CPU
#include <gshmem/impl/arch_cpu.cuh>
#else
#include <gshmem/impl/arch_cuda.cuh>
#endif

#endif /* GSHMEM_IMPL_ARCH_CUH */
