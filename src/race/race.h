/* race.h - the race checker of the CPU device (GSHMEM_CHECK=race): two accesses to the
 * same bytes, one of them a write, that no rule of the model puts in order, by whichever
 * threads of kernels or hosts of all PEs of the job.
 *
 * It finds races by the order that the program makes (happens-before), not by what
 * happens to be late: a run in which all went well shows them too.
 *
 *   Who. Every thread of a kernel and of a host has a name and a clock (key.h), and knows
 *   up to which moments of others' clocks all has happened (know.h). Thousands of threads
 *   are affordable because what they know is said in the largest words: after
 *   __syncthreads all threads of a block share one value, in which the block is one entry;
 *   a grid barrier makes the grid one entry; ended grids of a PE are one. Clocks are those
 *   of threads, which barriers set to the same moment, and go on only at events that order.
 *
 *   Puts and gets are done by somebody else: what a put writes, and what an _nbi put reads
 *   or an _nbi get writes, carries the name of the thread in another domain (ASYNC), of
 *   which nobody, also not the thread, knows anything before a quiet: quiet turns
 *   all that the thread knows of threads of its PE, its own past included, into
 *   knowledge of that domain. A fence does so in a value apart (`fenced`), which counts
 *   for later puts, and which posts carry: whoever sees a signal, an atomic or a p knows
 *   what was fenced before. A put with signal has a third domain, which its post carries.
 *   So one rule, "is this moment known?", answers for barriers, fence and quiet alike.
 *
 *   Where. Eight bytes of watched memory have four cells (shadow.c): who, clock, bytes,
 *   kind and line of accesses. For symmetric memory they are in memory that all PEs share,
 *   behind the windows in the same file; other memory's are private. Watched are the
 *   symmetric heap, what CUDA's allocators gave, variables of the program, and the
 *   shared memory of blocks. Local variables and the host's own heap are not.
 *
 *   Order. Barriers of any width: all that the members know is joined and given to each in
 *   one step when the last one has come, so that nobody learns what others do after it.
 *   Releases and acquires at a place (sync.c), which all PEs share, are: atomics of C++ and
 *   CUDA as their order says, where a fence of CUDA gives relaxed and volatile accesses
 *   theirs; posts, and waits and tests that succeed; p and puts of up to 8 bytes are posts
 *   to who waits; the words by which teams meet; what streams and events order. Launches
 *   begin with what the stream knows, and whoever waits for a grid knows all of it.
 *
 *   Streams. Each is a thread of the host, whose accesses are those of the copies, functions and
 *   calls of the library in it; what it does at which moment has a name (works). Works come
 *   after those of their stream, and after what their item waits for (cudart/queue.c): the call
 *   that queued them, events, edges of graphs, and what the default stream asks for.
 *
 *   What is no race: atomic accesses among themselves, in which volatile ones, posts and
 *   waits are included; waits and atomic reads against puts. A wait that has succeeded has
 *   seen the put or post, which is forgotten, and so are atomic writes that an atomic read
 *   or update has seen: it comes after them, and stands for them. Threads of one host among
 *   themselves are left to ThreadSanitizer: what one does before a call that orders comes
 *   before what another does after one.
 *
 *   Cost. What a block or a grid knows is one value, of which words that order refer to
 *   one copy. Puts are told apart for the last 16 grids of a PE that have ended: older ones
 *   count as complete. A grid without puts says nothing of them.
 *
 * It sees fewer races than there are: four accesses are remembered for eight bytes; a
 * fence counts for all PEs; posts release also what the thread stored itself; puts of long
 * ago count as complete; static symmetric variables are checked within a PE only; names of
 * key.h come round. All PEs must be load/store reachable on one machine.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_RACE_RACE_H
#define GSH_RACE_RACE_H

#include "race/know.h"
#include "race/sync.h"

#include <gshmem/cpu/engine.h>
#include <gshmem/cpu/race.h>
#include <stddef.h>

/* A volatile read. The compiler tells of it before it is made: what it sees is known when the
 * thread does the next thing. */
struct gsh_race_read {
    const void *at;
    size_t bytes;
    const void *where;
};

/* Who acts: its name in the domain of threads, its clock, and what it knows of others. */
struct gsh_race_actor {
    uint64_t key;
    uint32_t clock;
    uint32_t last_async; /* clock of the last put or get that may be on its way; 0: none */
    bool has_payload;    /* some of them were payload */
    struct gsh_race_know *know;
    struct gsh_race_know *fenced;  /* of puts: before those that come */
    struct gsh_race_know *release; /* known at the last fence of CUDA or C++ */
    struct gsh_race_know *pending; /* acquired by the next such fence */
    struct gsh_race_read read;     /* the last volatile one, not told yet; at 0: none */
};

/* The cells of a range that belongs to one operating-system thread: shared memory. */
struct gsh_race_strip {
    uintptr_t at;
    size_t bytes;
    struct gsh_race_cell *cells;
    size_t room;
};

/* The block that an operating-system thread of the engine runs. */
struct gsh_race_block {
    uint64_t key;
    /* All threads know of all of the block up to this clock, of all of the grid, and of all
     * grids of this PE up to this one. */
    uint32_t floor, grid_floor, ended;
    uint32_t threads;
    struct gsh_race_strip strips[2]; /* thread-local variables, dynamic shared memory */
    struct gsh_race_actor actors[GSH_CPU_MAX_THREADS];
};

extern _Thread_local struct gsh_race_block *gsh_race_block
    __attribute__((tls_model("initial-exec")));

/* This thread of the host. */
extern _Thread_local struct gsh_race_actor gsh_race_thread
    __attribute__((tls_model("initial-exec")));
void gsh_race_begin_host(void);

/* event.c: tells of the volatile read. */
void gsh_race_tell_read(struct gsh_race_actor *self);

/* Who runs. */
static inline struct gsh_race_actor *gsh_race_self(void)
{
    struct gsh_race_actor *self = &gsh_race_thread;

    if (gsh_cpu_fiber && gsh_race_block)
        self = &gsh_race_block->actors[gsh_cpu_fiber->rank];
    else if (!self->clock)
        gsh_race_begin_host();
    if (self->read.at)
        gsh_race_tell_read(self);
    return self;
}

/* One of several threads of the host, which serves no stream. */
bool gsh_race_one_of_many(const struct gsh_race_actor *self);

/* --- open.c --- */

/* A part of init: with GSHMEM_CHECK=race sets up and sets gsh_race_on. Collective. */
int gsh_race_open(void);
void gsh_race_close(void);

/* --- actor.c: for the engine; all need gsh_race_on --- */

/* A grid: its number, from 1 on. The second is called when all its threads have ended. */
uint64_t gsh_race_grid_begin(const struct gsh_cpu_grid *grid, struct gsh_race_know **base);
void gsh_race_grid_end(uint64_t grid, struct gsh_race_know *base);

/* The calling operating-system thread runs a block, of which `shared` is the dynamic shared
 * memory; the second when its threads have ended. */
void gsh_race_block_begin(uint64_t grid, uint64_t block, uint32_t threads,
                          struct gsh_race_know *base, const void *shared, size_t shared_bytes);
void gsh_race_block_end(struct gsh_race_know *base);

/* These threads of the block meet: all that have not ended, or some. */
void gsh_race_meet(const uint16_t *ranks, uint32_t n, bool all_live);

/* One thread stands for its block in a grid barrier, the rest has met it. `round` counts
 * the barriers of this grid. */
void gsh_race_grid_enter(const void *grid, uint32_t round);
void gsh_race_grid_leave(const void *grid, uint32_t round);

/* The actor's past, as others learn it, is over: the next moment begins. */
void gsh_race_tick(struct gsh_race_actor *self);

/* --- shadow.c --- */

/* Four of them for eight bytes. `who` is a name with the kind of access in its free bits;
 * 0: none. */
struct gsh_race_cell {
    uint64_t who;
    uint64_t what; /* | lock 1, of the first cell | code 27 | bytes 8 | clock 28 | */
};
enum { GSH_RACE_CELLS = 4, GSH_RACE_GRANULE = 8, GSH_RACE_FACTOR = 8 /* shadow for a byte */ };

/* Memory that is watched. */
struct gsh_race_area {
    uintptr_t at;
    size_t bytes;
    const void *where; /* allocated it; NULL: variables */
    struct gsh_race_area *next;
};

void gsh_race_shadow_check(struct gsh_race_actor *self, enum gsh_race_domain domain, const void *at,
                           size_t bytes, enum gsh_race_kind kind, const void *where);
/* Forgets puts and posts to the word. */
void gsh_race_shadow_seen(const void *word, size_t bytes);
/* Forgets all. */
void gsh_race_shadow_clear(const void *at, size_t bytes);
void gsh_race_shadow_close(void);
/* What was given to gsh_race_watch() and holds `at`; false: nothing. */
bool gsh_race_area(const void *at, struct gsh_race_area *area);

/* --- open.c, for the parts --- */

/* Puts and gets of a grid, when it has ended. */
enum { GSH_RACE_SOME = 1, GSH_RACE_OPEN = 2 /* some may be on their way */ };

struct gsh_race_grid_name {
    uint32_t grid;
    _Atomic uint32_t async;
    unsigned stream;
    struct gsh_cpu_dim blocks, threads;
    char name[64];
};

/* What a thread that serves a stream did from this moment on. */
struct gsh_race_work_name {
    uint64_t key;
    uint32_t clock;
    unsigned stream;
    char name[48];
};

enum {
    GSH_RACE_PES = 256,
    GSH_RACE_GRID_NAMES = 128,
    GSH_RACE_WORK_NAMES = 256,
    GSH_RACE_BUCKETS = 1 << 18,
    GSH_RACE_STEPS = 1 << 12,
    GSH_RACE_PAIRS = 1024,
    GSH_RACE_CLASSES = 26,
    GSH_RACE_AGE = 16, /* grids for which it is known what puts are complete */
};
#define GSH_RACE_ARENA ((size_t)4 << 30)

/* What all PEs share besides the cells: begins the part of the file behind the windows. */
struct gsh_race_shared {
    _Atomic uint32_t reports;
    _Atomic uint64_t pairs[GSH_RACE_PAIRS]; /* of lines that were reported */
    _Atomic uint8_t locks[GSH_RACE_BUCKETS], steps[GSH_RACE_STEPS];
    uint32_t buckets[GSH_RACE_BUCKETS]; /* places: the first of each list */
    _Atomic uint32_t arena_used;        /* in units */
    _Atomic uint8_t arena_locks[GSH_RACE_CLASSES];
    uint32_t arena_free[GSH_RACE_CLASSES];
    atomic_bool is_short; /* that has been said */
    struct gsh_race_grid_name grids[GSH_RACE_PES][GSH_RACE_GRID_NAMES];
    struct gsh_race_work_name works[GSH_RACE_PES][GSH_RACE_WORK_NAMES];
};

struct gsh_race_global {
    struct gsh_race_shared *shared;
    char *arena;
    struct gsh_race_cell *cells; /* of all windows */
    uintptr_t windows;           /* the first window */
    size_t windows_bytes;
    uintptr_t code; /* where the program's code begins */
    size_t code_bytes;
    unsigned pe;
};

extern struct gsh_race_global gsh_race;

/* --- report.c --- */

struct gsh_race_seen {
    uint64_t who, what;
};

/* The access `now` and the one before, which it is not ordered after. */
void gsh_race_report(const void *at, struct gsh_race_seen now, struct gsh_race_seen before);
/* A place in the code as cells have it, and back. */
uint64_t gsh_race_code(const void *where);
const void *gsh_race_code_at(uint64_t what);

#endif /* GSH_RACE_RACE_H */
