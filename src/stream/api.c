/* api.c - the public calls on streams: shims that fill a struct gsh_op. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/kernels.h"
#include "core/half.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/stage.h"
#include "stream/stream.h"
#include "team/team.h"

#include <string.h>

#define NAME(rest) nvshmemx_##rest##_on_stream
#define TEXT(rest) "nvshmemx_" #rest "_on_stream"

/* The rest says what each operation has beside its name. */
#define OP(rest, KIND, ...) \
    &(struct gsh_op) \
    { \
        .call = TEXT(rest), .where = __builtin_return_address(0), .kind = GSH_OP_##KIND, \
        __VA_ARGS__ \
    }

/* For calls that return nothing: what cannot be done ends the job. */
static void must(const struct gsh_op *op, cudaStream_t stream)
{
    if (gsh_stream_put(op, stream))
        gsh_die("%s: %s", op->call, gsh_last_error());
}

/* --- put, get and signals; `n` is their size in bytes --- */

#define MOVE(rest, type, KIND, bytes) \
    void NAME(rest)(type * dest, const type *source, size_t nelems, int pe, cudaStream_t cstrm) \
    { \
        must(OP(rest, KIND, .dest = dest, .source = source, .n = bytes, .pe = pe), cstrm); \
    }

#define PUT_SIGNAL(rest, type, bytes) \
    void NAME(rest)(type * dest, const type *source, size_t nelems, uint64_t *sig_addr, \
                    uint64_t signal, int sig_op, int pe, cudaStream_t cstrm) \
    { \
        must(OP(rest, PUT_SIGNAL, .dest = dest, .source = source, .n = bytes, .word = sig_addr, \
                .value = signal, .how = sig_op, .pe = pe), \
             cstrm); \
    }

#define STRIDED(rest, type, KIND, bytes) \
    void NAME(rest)(type * dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                    int pe, cudaStream_t cstrm) \
    { \
        must(OP(rest, KIND, .dest = dest, .source = source, .dst = dst, .sst = sst, .n = nelems, \
                .size = bytes, .pe = pe), \
             cstrm); \
    }

#define DEF(name, type, a) \
    MOVE(name##_put, type, PUT, gsh_bytes(nelems, sizeof(type))) \
    MOVE(name##_get, type, GET, gsh_bytes(nelems, sizeof(type))) \
    MOVE(name##_put_nbi, type, PUT, gsh_bytes(nelems, sizeof(type))) \
    MOVE(name##_get_nbi, type, GET, gsh_bytes(nelems, sizeof(type))) \
    PUT_SIGNAL(name##_put_signal, type, gsh_bytes(nelems, sizeof(type))) \
    PUT_SIGNAL(name##_put_signal_nbi, type, gsh_bytes(nelems, sizeof(type))) \
    STRIDED(name##_iput, type, IPUT, sizeof(type)) \
    STRIDED(name##_iget, type, IGET, sizeof(type))
GSH_RMA_TYPES(DEF, _)
#undef DEF

#define DEF(bits, a) \
    MOVE(put##bits, void, PUT, gsh_bytes(nelems, bits / 8)) \
    MOVE(get##bits, void, GET, gsh_bytes(nelems, bits / 8)) \
    MOVE(put##bits##_nbi, void, PUT, gsh_bytes(nelems, bits / 8)) \
    MOVE(get##bits##_nbi, void, GET, gsh_bytes(nelems, bits / 8)) \
    PUT_SIGNAL(put##bits##_signal, void, gsh_bytes(nelems, bits / 8)) \
    PUT_SIGNAL(put##bits##_signal_nbi, void, gsh_bytes(nelems, bits / 8)) \
    STRIDED(iput##bits, void, IPUT, bits / 8) \
    STRIDED(iget##bits, void, IGET, bits / 8)
GSH_SIZES(DEF, _)
#undef DEF

MOVE(putmem, void, PUT, nelems)
MOVE(getmem, void, GET, nelems)
MOVE(putmem_nbi, void, PUT, nelems)
MOVE(getmem_nbi, void, GET, nelems)
PUT_SIGNAL(putmem_signal, void, nelems)
PUT_SIGNAL(putmem_signal_nbi, void, nelems)

void nvshmemx_putmem_stream(void *dest, const void *source, size_t bytes, int pe,
                            cudaStream_t cstrm)
{
    nvshmemx_putmem_on_stream(dest, source, bytes, pe, cstrm);
}

void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe,
                                  cudaStream_t cstrm)
{
    must(OP(signal_op, SIGNAL, .word = sig_addr, .value = signal, .how = sig_op, .pe = pe), cstrm);
}

/* --- One element --- */

static uint64_t bits(const void *value, size_t size)
{
    uint64_t word = 0;

    memcpy(&word, value, size);
    return word;
}

#define DEF(name, type, a) \
    void NAME(name##_p)(type * dest, const type value, int pe, cudaStream_t cstrm) \
    { \
        must(OP(name##_p, P, .dest = dest, .value = bits(&value, sizeof(value)), \
                .size = sizeof(value), .pe = pe), \
             cstrm); \
    } \
    type NAME(name##_g)(const type *src, int pe, cudaStream_t cstrm) \
    { \
        type value; \
        memset(&value, 0, sizeof(value)); \
        gsh_stream_get_now( \
            OP(name##_g, GET, .dest = &value, .source = src, .n = sizeof(value), .pe = pe), \
            cstrm); \
        return value; \
    }
GSH_RMA_TYPES(DEF, _)
#undef DEF

/* --- Waits --- */

#define WAIT(rest, type, ...) \
    must(OP(rest, WAIT, .word = (uint64_t *)(void *)ivars, .how = cmp, .size = sizeof(type), \
            .is_signed = (type)-1 < 1, __VA_ARGS__), \
         cstream);

#define DEF(name, type, a) \
    void NAME(name##_wait_until)(type * ivars, int cmp, type cmp_value, cudaStream_t cstream) \
    { \
        WAIT(name##_wait_until, type, .n = 1, .value = bits(&cmp_value, sizeof(type))) \
    } \
    void NAME(name##_wait_until_all)(type * ivars, size_t nelems, const int *status, int cmp, \
                                     type cmp_value, cudaStream_t cstream) \
    { \
        WAIT(name##_wait_until_all, type, .n = nelems, .status = status, \
             .value = bits(&cmp_value, sizeof(type))) \
    } \
    void NAME(name##_wait_until_all_vector)(type * ivars, size_t nelems, const int *status, \
                                            int cmp, type *cmp_values, cudaStream_t cstream) \
    { \
        WAIT(name##_wait_until_all_vector, type, .n = nelems, .status = status, \
             .values = cmp_values) \
    }
GSH_WAIT_TYPES(DEF, _)
#undef DEF

void nvshmemx_signal_wait_until_on_stream(uint64_t *ivars, int cmp, uint64_t cmp_value,
                                          cudaStream_t cstream)
{
    WAIT(signal_wait_until, uint64_t, .n = 1, .value = cmp_value)
}

/* --- Order and meeting --- */

void nvshmemx_quiet_on_stream(cudaStream_t cstrm)
{
    must(OP(quiet, QUIET, .n = 0), cstrm);
}

int nvshmemx_barrier_on_stream(nvshmem_team_t team, cudaStream_t stream)
{
    return gsh_stream_put(OP(barrier, BARRIER, .team = team, .size = 1), stream);
}

int nvshmemx_team_sync_on_stream(nvshmem_team_t team, cudaStream_t stream)
{
    return gsh_stream_put(OP(team_sync, SYNC, .team = team, .size = 1), stream);
}

void nvshmemx_barrier_all_on_stream(cudaStream_t stream)
{
    gsh_gpu_stage(TEXT(barrier_all));
    must(OP(barrier_all, BARRIER, .team = NVSHMEM_TEAM_WORLD, .size = 1), stream);
}

void nvshmemx_sync_all_on_stream(cudaStream_t stream)
{
    gsh_gpu_stage(TEXT(sync_all));
    must(OP(sync_all, SYNC, .team = NVSHMEM_TEAM_WORLD, .size = 1), stream);
}

/* --- Collectives --- */

#define COLL(rest, name, element, KIND, ...) \
    gsh_stream_put(OP(rest, KIND, .team = team, .dest = dest, .source = source, \
                      .type = GSH_TYPE_##name, .size = element, __VA_ARGS__), \
                   stream)

#define EXCHANGE(rest, name, type, size, KIND) \
    int NAME(rest)(nvshmem_team_t team, type * dest, const type *source, size_t nelems, \
                   cudaStream_t stream) \
    { \
        return COLL(rest, name, size, KIND, .n = nelems); \
    }

#define BROADCAST(rest, name, type, size) \
    int NAME(rest)(nvshmem_team_t team, type * dest, const type *source, size_t nelems, \
                   int PE_root, cudaStream_t stream) \
    { \
        return COLL(rest, name, size, BROADCAST, .n = nelems, .pe = PE_root); \
    }

#define DEF(name, type, a) \
    EXCHANGE(name##_fcollect, name, type, sizeof(type), FCOLLECT) \
    EXCHANGE(name##_alltoall, name, type, sizeof(type), ALLTOALL) \
    BROADCAST(name##_broadcast, name, type, sizeof(type))
GSH_RMA_TYPES(DEF, _)
#undef DEF
EXCHANGE(fcollectmem, mem, void, 1, FCOLLECT)
EXCHANGE(alltoallmem, mem, void, 1, ALLTOALL)
BROADCAST(broadcastmem, mem, void, 1)

#define DEF(name, type, op, KIND, call) \
    int NAME(name##_##op##_##call)(nvshmem_team_t team, type * dest, const type *source, \
                                   size_t nreduce, cudaStream_t stream) \
    { \
        return COLL(name##_##op##_##call, name, sizeof(type), KIND, .how = GSH_RED_##op, \
                    .n = nreduce, .combine = gsh_combine_##op##_##name); \
    }
GSH_REDUCTIONS(DEF, REDUCE, reduce)
GSH_REDUCTIONS(DEF, REDUCESCATTER, reducescatter)
#undef DEF
