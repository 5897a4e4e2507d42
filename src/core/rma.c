/* rma.c - put and get: each public name is a shim over remote.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/half.h"
#include "core/names.h"
#include "core/remote.h"
#include "team/team.h"

#include <gshmem/rma.h>
#include <gshmem/shmem/rma.h>

enum { PIECES = 64 }; /* handed to a transport at once */

#define INLINE static inline __attribute__((always_inline))
#define HERE __builtin_return_address(0)

INLINE void put(const char *call, void *dest, const void *source, size_t bytes, int pe)
{
    gsh_put_told(call, pe, gsh_offset(call, dest, bytes, pe), source, bytes, HERE);
}

INLINE void get(const char *call, void *dest, const void *source, size_t bytes, int pe)
{
    gsh_get_told(call, pe, dest, gsh_offset(call, source, bytes, pe), bytes, HERE);
}

/* The bytes that n blocks span, from the first on; a stride counts elements. */
INLINE size_t span_of(size_t n, ptrdiff_t stride, size_t block, size_t size)
{
    size_t elements;

    if (!n)
        return 0;
    if (__builtin_mul_overflow(n - 1, (size_t)stride, &elements) ||
        __builtin_add_overflow(elements, block, &elements))
        return SIZE_MAX;
    return gsh_bytes(elements, size);
}

/* With a PE that only a transport reaches, which needs not a message for each block. Strides and
 * blocks are in bytes. */
static void blocks_far(void (*move)(int pe, const struct gsh_piece *pieces, size_t n), int pe,
                       size_t off, const char *here, size_t far, ptrdiff_t near, size_t block,
                       size_t n)
{
    struct gsh_piece pieces[PIECES];

    for (size_t i = 0, k = 0; i < n; i++) {
        pieces[k++] = (struct gsh_piece){ .off = off + i * far,
                                          .at.from = here + (ptrdiff_t)i * near,
                                          .bytes = block };
        if (k < PIECES && i + 1 < n)
            continue;
        move(pe, pieces, k);
        k = 0;
    }
}

static bool is_far(int pe)
{
    return gsh_unlikely(!gsh.peers[pe].base && gsh.gpu != GSH_GPU_DONE);
}

INLINE void blocks_put(const char *call, char *dest, const char *source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t block, size_t n, size_t size, int pe)
{
    size_t off = gsh_offset(call, dest, span_of(n, dst, block, size), pe);

    if (is_far(pe)) {
        blocks_far(gsh_tr_put_pieces, pe, off, source, (size_t)dst * size, sst * (ptrdiff_t)size,
                   block * size, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        gsh_put_told(call, pe, off + i * (size_t)dst * size,
                     source + (ptrdiff_t)i * sst * (ptrdiff_t)size, block * size, HERE);
}

INLINE void blocks_get(const char *call, char *dest, const char *source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t block, size_t n, size_t size, int pe)
{
    size_t off = gsh_offset(call, source, span_of(n, sst, block, size), pe);

    if (is_far(pe)) {
        blocks_far(gsh_tr_get_pieces, pe, off, dest, (size_t)sst * size, dst * (ptrdiff_t)size,
                   block * size, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        gsh_get_told(call, pe, dest + (ptrdiff_t)i * dst * (ptrdiff_t)size,
                     off + i * (size_t)sst * size, block * size, HERE);
}

/* X for the types of each interface. */
#define EACH(X, ...) \
    GSH_RMA_TYPES(X, NV, __VA_ARGS__) \
    GSH_SHMEM_RMA_TYPES(X, OS, __VA_ARGS__) \
    GSH_SHMEM_RMA_TYPES(X, CTX, __VA_ARGS__)
#define EACH_SIZE(X, ...) \
    GSH_SIZES(X, NV, __VA_ARGS__) \
    GSH_SIZES(X, OS, __VA_ARGS__) \
    GSH_SIZES(X, CTX, __VA_ARGS__)

/* Blocking and non-blocking forms do the same here: a transport's put has taken
 * the source when it returns, and a get has arrived. */
#define DEF(name, type, F, dir, nbi) \
    void F##_NAME(name##_##dir##nbi)( \
        F##_ARGS(type * dest, const type *source, size_t nelems, int pe)) \
    { \
        dir(F##_TEXT(name##_##dir##nbi), dest, source, gsh_bytes(nelems, sizeof(type)), \
            F##_PE(name##_##dir##nbi, pe)); \
    } \
    F##_WEAK(name##_##dir##nbi)
EACH(DEF, put, )
EACH(DEF, put, _nbi)
EACH(DEF, get, )
EACH(DEF, get, _nbi)
#undef DEF

#define DEF(name, type, dir) \
    void nvshmemx_##name##_##dir##_team(nvshmem_team_t team, type *dest, const type *source, \
                                        size_t nelems, int pe) \
    { \
        static const char call[] = "nvshmemx_" #name "_" #dir "_team"; \
        dir(call, dest, source, gsh_bytes(nelems, sizeof(type)), gsh_team_pe(call, team, pe)); \
    }
GSH_RMA_TYPES(DEF, put)
GSH_RMA_TYPES(DEF, get)
#undef DEF

#define DEF(name, type, F, a) \
    void F##_NAME(name##_p)(F##_ARGS(type * dest, const type value, int pe)) \
    { \
        put(F##_TEXT(name##_p), dest, &value, sizeof(value), F##_PE(name##_p, pe)); \
    } \
    F##_WEAK(name##_p)
EACH(DEF, _)
#undef DEF

#define DEF(name, type, F, a) \
    type F##_NAME(name##_g)(F##_ARGS(const type *source, int pe)) \
    { \
        type value; \
        get(F##_TEXT(name##_g), &value, source, sizeof(value), F##_PE(name##_g, pe)); \
        return value; \
    } \
    F##_WEAK(name##_g)
EACH(DEF, _)
#undef DEF

#define DEF(name, type, F, dir) \
    void F##_NAME(name##_i##dir)(F##_ARGS(type * dest, const type *source, ptrdiff_t dst, \
                                          ptrdiff_t sst, size_t nelems, int pe)) \
    { \
        blocks_##dir(F##_TEXT(name##_i##dir), (char *)dest, (const char *)source, dst, sst, 1, \
                     nelems, sizeof(type), F##_PE(name##_i##dir, pe)); \
    } \
    F##_WEAK(name##_i##dir)
EACH(DEF, put)
EACH(DEF, get)
#undef DEF

#define DEF(name, type, F, dir) \
    void F##_NAME(name##_ib##dir)(F##_ARGS(type * dest, const type *source, ptrdiff_t dst, \
                                           ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) \
    { \
        blocks_##dir(F##_TEXT(name##_ib##dir), (char *)dest, (const char *)source, dst, sst, \
                     bsize, nblocks, sizeof(type), F##_PE(name##_ib##dir, pe)); \
    } \
    F##_WEAK(name##_ib##dir)
GSH_SHMEM_RMA_TYPES(DEF, OS, put)
GSH_SHMEM_RMA_TYPES(DEF, OS, get)
GSH_SHMEM_RMA_TYPES(DEF, CTX, put)
GSH_SHMEM_RMA_TYPES(DEF, CTX, get)
#undef DEF

#define DEF(bits, F, dir, nbi) \
    void F##_NAME(dir##bits##nbi)(F##_ARGS(void *dest, const void *source, size_t nelems, int pe)) \
    { \
        dir(F##_TEXT(dir##bits##nbi), dest, source, gsh_bytes(nelems, bits / 8), \
            F##_PE(dir##bits##nbi, pe)); \
    } \
    F##_WEAK(dir##bits##nbi)
EACH_SIZE(DEF, put, )
EACH_SIZE(DEF, put, _nbi)
EACH_SIZE(DEF, get, )
EACH_SIZE(DEF, get, _nbi)
#undef DEF

#define DEF(bits, F, dir) \
    void F##_NAME(i##dir##bits)(F##_ARGS(void *dest, const void *source, ptrdiff_t dst, \
                                         ptrdiff_t sst, size_t nelems, int pe)) \
    { \
        blocks_##dir(F##_TEXT(i##dir##bits), dest, source, dst, sst, 1, nelems, bits / 8, \
                     F##_PE(i##dir##bits, pe)); \
    } \
    F##_WEAK(i##dir##bits)
EACH_SIZE(DEF, put)
EACH_SIZE(DEF, get)
#undef DEF

#define DEF(bits, F, dir) \
    void F##_NAME(ib##dir##bits)(F##_ARGS(void *dest, const void *source, ptrdiff_t dst, \
                                          ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) \
    { \
        blocks_##dir(F##_TEXT(ib##dir##bits), dest, source, dst, sst, bsize, nblocks, bits / 8, \
                     F##_PE(ib##dir##bits, pe)); \
    } \
    F##_WEAK(ib##dir##bits)
GSH_SIZES(DEF, OS, put)
GSH_SIZES(DEF, OS, get)
GSH_SIZES(DEF, CTX, put)
GSH_SIZES(DEF, CTX, get)
#undef DEF

#define DEF(F, dir, nbi) \
    void F##_NAME(dir##mem##nbi)(F##_ARGS(void *dest, const void *source, size_t bytes, int pe)) \
    { \
        dir(F##_TEXT(dir##mem##nbi), dest, source, bytes, F##_PE(dir##mem##nbi, pe)); \
    } \
    F##_WEAK(dir##mem##nbi)
#define DEFS(F) DEF(F, put, ) DEF(F, put, _nbi) DEF(F, get, ) DEF(F, get, _nbi)
DEFS(NV)
DEFS(OS)
DEFS(CTX)
