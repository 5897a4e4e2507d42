/* remote.h - the untyped one-sided operations, inline where peers can be loaded
 * from and stored to. The typed names (rma.c, amo.c, signal.c) are shims.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_REMOTE_H
#define GSH_CORE_REMOTE_H

#include "core/wait.h"
#include "gpu/copy.h"
#include "heap/data.h"
#include "tr/transport.h"
#include "util/stream.h"

#include <gshmem/cpu/race.h>
#include <string.h>

#define gsh_likely(x) __builtin_expect(!!(x), 1)
#define gsh_unlikely(x) __builtin_expect(!!(x), 0)

/* Ends the job: `call` got an address or a PE that cannot be; says which. */
_Noreturn void gsh_remote_refuse(const char *call, const void *sym, size_t bytes, int pe);

/* Why gsh_offset() refuses: for its own message and for those of kernels. */
void gsh_remote_explain(const void *sym, size_t bytes, int pe, char *text, size_t room);

/* gsh_offset() of what is not in the window by its address: static data. */
size_t gsh_offset_static(const char *call, const void *sym, size_t bytes, int pe);

/* n elements of this size in bytes; what no memory can hold is SIZE_MAX, which
 * gsh_offset() refuses. */
static inline size_t gsh_bytes(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

/* The offset of [sym, sym + bytes) in the window; ends the job when that is not
 * symmetric memory or pe is out of range. */
static inline size_t gsh_offset(const char *call, const void *sym, size_t bytes, int pe)
{
    size_t off = (size_t)((const char *)sym - gsh.base);

    if (gsh_unlikely(off >= gsh.span || bytes > gsh.span - off ||
                     (unsigned)pe >= (unsigned)gsh.n_pes))
        return gsh_offset_static(call, sym, bytes, pe);
    return off;
}

/* The offset of an address that gsh_offset() has accepted before. */
static inline size_t gsh_offset_of(const void *sym)
{
    size_t off = (size_t)((const char *)sym - gsh.base);

    if (gsh_unlikely(off >= gsh.span) && !gsh_data_offset(sym, 0, &off))
        gsh_gpu_offset(sym, 0, &off);
    return off;
}

/* For messages: the place of a symmetric object, the same on all PEs. */
void gsh_place(const void *sym, char *text, size_t bytes);

/* Slow paths through the transport; they end the job when it fails. */
void gsh_tr_put(int pe, size_t off, const void *src, size_t bytes);
void gsh_tr_put_pieces(int pe, const struct gsh_piece *pieces, size_t n);
void gsh_tr_get_pieces(int pe, const struct gsh_piece *pieces, size_t n);
void gsh_tr_get(int pe, void *dst, size_t off, size_t bytes);
uint64_t gsh_tr_amo(int pe, size_t off, const struct gsh_amo_args *args);
void gsh_tr_amo_post(int pe, size_t off, const struct gsh_amo_args *args);
void gsh_tr_put_signal(int pe, size_t off, const void *src, size_t bytes, size_t sig_off,
                       const struct gsh_amo_args *signal);
void gsh_tr_flag(int pe, size_t off, const void *src, size_t bytes, size_t flag_off,
                 uint64_t value);

/* Copies to and from a place of a window. A local put onto itself is nothing. */
static inline void gsh_put_at(int pe, size_t off, const void *src, size_t bytes)
{
    const struct gsh_peer *peer = &gsh.peers[pe];

    if (gsh_unlikely(gsh.gpu == GSH_GPU_DONE)) {
        gsh_gpu_put_at(pe, off, src, bytes);
        return;
    }
    if (gsh_unlikely(!peer->base)) {
        gsh_tr_put(pe, off, src, bytes);
        return;
    }
    gsh_copy(peer->base + off, src, bytes);
    gsh_ring(peer->bell);
}

static inline void gsh_get_at(int pe, void *dst, size_t off, size_t bytes)
{
    const struct gsh_peer *peer = &gsh.peers[pe];

    if (gsh_unlikely(gsh.gpu == GSH_GPU_DONE))
        gsh_gpu_get_at(pe, dst, off, bytes);
    else if (gsh_unlikely(!peer->base))
        gsh_tr_get(pe, dst, off, bytes);
    else
        gsh_copy(dst, peer->base + off, bytes);
}

/* The calls of the host return when they are done with the caller's memory, but an _nbi
 * form does not promise so. Inlined, so that the name is known. */
static inline __attribute__((always_inline)) enum gsh_race_form gsh_race_form_of(const char *call)
{
    return strstr(call, "_nbi") ? GSH_RACE_NBI : GSH_RACE_BLOCKING;
}

/* Several puts of host memory, and several gets into it. */
static inline void gsh_put_pieces_at(int pe, const struct gsh_piece *pieces, size_t n)
{
    if (gsh_unlikely(!gsh.peers[pe].base))
        gsh_tr_put_pieces(pe, pieces, n);
    else
        for (size_t i = 0; i < n; i++)
            gsh_put_at(pe, pieces[i].off, pieces[i].at.from, pieces[i].bytes);
}

static inline void gsh_get_pieces_at(int pe, const struct gsh_piece *pieces, size_t n)
{
    if (gsh_unlikely(!gsh.peers[pe].base))
        gsh_tr_get_pieces(pe, pieces, n);
    else
        for (size_t i = 0; i < n; i++)
            gsh_get_at(pe, pieces[i].at.to, pieces[i].off, pieces[i].bytes);
}

/* A put and a get that the program calls for, from `where`: the race checker is told. */
static inline __attribute__((always_inline)) void gsh_put_told(const char *call, int pe, size_t off,
                                                               const void *source, size_t bytes,
                                                               const void *where)
{
    if (gsh_unlikely(gsh_race_on))
        gsh_race_put(gsh.peers[pe].base + off, source, bytes, where, gsh_race_form_of(call));
    gsh_put_at(pe, off, source, bytes);
}

static inline __attribute__((always_inline)) void
gsh_get_told(const char *call, int pe, void *dest, size_t off, size_t bytes, const void *where)
{
    if (gsh_unlikely(gsh_race_on))
        gsh_race_get(dest, gsh.peers[pe].base + off, bytes, where, gsh_race_form_of(call));
    gsh_get_at(pe, dest, off, bytes);
}

/* For messages: a few words of a place; false when that PE does not answer. */
bool gsh_peek_at(int pe, void *dst, size_t off, size_t bytes);

/* Sets a flag of pe after all that this PE has put to that pe: whoever reads the
 * flag with gsh_flag_read() sees it. The exchange is a full fence, so that a
 * sleeper is never missed. */
static inline void gsh_flag_set(int pe, size_t off, uint64_t value)
{
    const struct gsh_peer *peer = &gsh.peers[pe];

    if (gsh_unlikely(!peer->base)) {
        gsh_tr_flag(pe, 0, NULL, 0, off, value);
        return;
    }
    atomic_exchange_explicit((_Atomic uint64_t *)(void *)(peer->base + off), value,
                             memory_order_seq_cst);
    gsh_ring_flag(peer->bell);
}

/* Bytes, and then the flag that tells of them. */
static inline void gsh_flag_put(int pe, size_t off, const void *src, size_t bytes, size_t flag_off,
                                uint64_t value)
{
    if (gsh_unlikely(!gsh.peers[pe].base && gsh.gpu != GSH_GPU_DONE)) {
        gsh_tr_flag(pe, off, src, bytes, flag_off, value);
        return;
    }
    gsh_put_at(pe, off, src, bytes);
    gsh_flag_set(pe, flag_off, value);
}

static inline uint64_t gsh_flag_read(const _Atomic uint64_t *flag)
{
    return atomic_load_explicit(flag, memory_order_acquire);
}

/* Puts before it arrive before puts after it, to each PE. */
static inline void gsh_fence(void)
{
    if (gsh_unlikely(gsh_race_on))
        gsh_race_fence();
    atomic_thread_fence(memory_order_release);
    if (gsh_unlikely(gsh.remote))
        gsh_tr_fence();
}

/* What went by transports, and what kernels have asked the host to send. */
void gsh_complete_remote(void);

/* Before flags that tell of it: all that this PE has put is complete where a
 * transport carries it; stores to shared memory are ordered by the flags. */
static inline void gsh_deliver(void)
{
    if (gsh_unlikely(gsh_race_on))
        gsh_race_quiet();
    if (gsh_unlikely(gsh.remote))
        gsh_complete_remote();
}

/* All that this PE has put is visible to all. Full fence: later loads of this PE
 * come after its earlier stores. */
static inline void gsh_quiet(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (gsh_unlikely(gsh.remote))
        gsh_complete_remote();
    if (gsh_unlikely(gsh_race_on))
        gsh_race_quiet();
}

#endif /* GSH_CORE_REMOTE_H */
