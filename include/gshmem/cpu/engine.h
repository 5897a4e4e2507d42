/* engine.h - the CPU device: runs the blocks and threads of kernels on this machine's
 * cores. Plain C; what programs see of CUDA is made of it, in cuda_runtime.h beside.
 *
 * A block is an operating-system thread, its threads are fibers on it. Fibers change at
 * calls (barriers, warp operations, waits, yields), and by a timer when one spins in
 * the program's own code without calling anything.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_ENGINE_H
#define GSHMEM_CPU_ENGINE_H

#include <gshmem/attr.h>
#include <stddef.h>
#include <stdint.h>

GSH_BEGIN_C

#ifdef __cplusplus
#define GSH_CPU_TLS __thread /* without the check for a constructor at each access */
#else
#define GSH_CPU_TLS _Thread_local
#endif
#define GSH_CPU_VAR GSH_API extern GSH_CPU_TLS __attribute__((tls_model("initial-exec")))

struct gsh_cpu_dim {
    uint32_t x, y, z;
};

/* What the running thread of a kernel tells of itself; the rest is the engine's. The
 * calls of the device API set `call` and `where` on entry, for messages. */
struct gsh_cpu_fiber {
    const char *call;       /* name of the last call that may wait or fail */
    const void *where;      /* its return address */
    uint32_t rank;          /* in the block */
    struct gsh_cpu_dim tid; /* threadIdx */
    uint32_t polls;         /* yields since that call began, which sets it to 0 */
    uint32_t muted;         /* not 0: in calls of the API, whose accesses are no program's own */
};

/* The running thread of a kernel; NULL outside kernels. */
GSH_CPU_VAR struct gsh_cpu_fiber *gsh_cpu_fiber;

/* What a call of the device API does on entry, in a thread of a kernel. */
static inline void gsh_cpu_enter(const char *call, const void *where)
{
    gsh_cpu_fiber->call = call;
    gsh_cpu_fiber->where = where;
    gsh_cpu_fiber->polls = 0;
}

/* threadIdx, blockIdx, blockDim and gridDim of the running thread. */
GSH_CPU_VAR struct gsh_cpu_dim gsh_cpu_thread_idx;
GSH_CPU_VAR struct gsh_cpu_dim gsh_cpu_block_idx;
GSH_CPU_VAR struct gsh_cpu_dim gsh_cpu_block_dim;
GSH_CPU_VAR struct gsh_cpu_dim gsh_cpu_grid_dim;

/* A kernel launch. */
struct gsh_cpu_grid {
    const char *name;        /* of the kernel, for messages */
    void (*run)(void *args); /* the body of one thread; args is shared by all threads */
    void *args;
    struct gsh_cpu_dim grid;  /* blocks */
    struct gsh_cpu_dim block; /* threads of a block, at most 1024 */
    size_t shared_bytes;      /* dynamic shared memory of a block */
    int cooperative;          /* all blocks run at once, grid barriers are allowed */
};

/* Runs a grid to its end in the calling thread's name. 0, or a negative errno with the
 * reason in the log: EINVAL more threads, blocks or shared memory than there can be, E2BIG
 * a cooperative grid that is too large, ENOMEM or EAGAIN no memory for stacks or no thread
 * for a block. May be called by several threads at once. */
GSH_API int gsh_cpu_run(const struct gsh_cpu_grid *grid);

/* Blocks of this size that run at once: what a cooperative grid may have. */
GSH_API int gsh_cpu_resident_blocks(uint32_t threads, size_t shared_bytes);

/* Devices to pretend: one for each PE of this machine, as far as that is known; at least 1. */
GSH_API int gsh_cpu_devices(void);

/* What the pretended device has. */
#define GSH_CPU_WARP 32
#define GSH_CPU_COMPUTE 9                 /* capability, .0 */
#define GSH_CPU_MAX_THREADS 1024          /* of a block */
#define GSH_CPU_SMS 32                    /* multiprocessors */
#define GSH_CPU_SM_THREADS 2048           /* resident threads of one */
#define GSH_CPU_SHARED_BYTES (227u << 10) /* shared memory of a block, at most */

/* --- Called by threads of kernels --- */

/* Dynamic shared memory of the running block, 128-byte aligned. */
GSH_API void *gsh_cpu_dynamic_shared(void);

/* Lets other threads of the block run; the caller waits for something that others do.
 * When all threads of the block wait so, the core is given up. */
GSH_API void gsh_cpu_yield(void);

/* All threads of the block meet that have not ended; those of `op` also combine a
 * predicate: 0 nothing, 1 and, 2 or, 3 count. Not all of them there: reported. */
enum gsh_cpu_vote { GSH_CPU_NONE, GSH_CPU_AND, GSH_CPU_OR, GSH_CPU_COUNT };
GSH_API int gsh_cpu_syncthreads(enum gsh_cpu_vote op, int predicate);

/* Named barrier `id` (0 to 15) of `threads` threads of the block: bar.sync id, threads. */
GSH_API void gsh_cpu_barrier(unsigned id, unsigned threads);

/* The lanes of `mask` of the running warp meet and each learns what all others gave:
 * out[32] gets the values by lane (of lanes that are not in the mask: 0). Returns the
 * lanes that took part. A lane that waits elsewhere for ever is reported; one that has
 * ended is not waited for, as on GPUs, and is reported with GSHMEM_CHECK=1. */
GSH_API uint32_t gsh_cpu_exchange(uint32_t mask, uint64_t value, uint64_t out[GSH_CPU_WARP]);
GSH_API void gsh_cpu_syncwarp(uint32_t mask);
/* The lanes of the warp that run together here and now: those at the same call, at best. */
GSH_API uint32_t gsh_cpu_activemask(void);

/* What kind of memory an address is of: of the running block or thread, or of all. */
enum gsh_cpu_space { GSH_CPU_GLOBAL, GSH_CPU_SHARED, GSH_CPU_LOCAL };
GSH_API enum gsh_cpu_space gsh_cpu_space(const void *address);

/* All blocks of a cooperative grid meet. */
GSH_API void gsh_cpu_syncgrid(void);

/* Ends the kernel and the job: the running thread has met what cannot be. */
GSH_API __attribute__((noreturn, format(printf, 1, 2))) void gsh_cpu_trap(const char *format, ...);

/* Nanoseconds since some moment; ticks for clock64(). */
GSH_API uint64_t gsh_cpu_globaltimer(void);

/* --- For the device headers --- */

struct gsh_device_state;
GSH_API extern struct gsh_device_state gsh_cpu_device_state;

/* A wait for a word of symmetric memory; for messages and to see that nobody can write it. */
struct gsh_cpu_wait {
    const void *address;
    uint64_t value; /* compared with it */
    int cmp;        /* NVSHMEM_CMP_* */
    int bytes;      /* of the word */
    uint64_t since_ns;
    uint32_t polls;
};

/* Lets others run, and now and then looks whether the wait can still end. */
GSH_API void gsh_cpu_pause(struct gsh_cpu_wait *wait);

/* Ends the job when [sym, sym + bytes) is no live symmetric memory, is not aligned, or pe
 * is no PE of the job. */
GSH_API void gsh_cpu_check(const void *sym, size_t bytes, size_t align, int pe);

/* A command for the host is in the ring of impl/proxy.cuh. */
GSH_API void gsh_cpu_ring_bell(void);

GSH_END_C

#endif /* GSHMEM_CPU_ENGINE_H */
