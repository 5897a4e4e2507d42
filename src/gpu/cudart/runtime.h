/* runtime.h - what the files of the runtime share: errors, queued work, streams, captures.
 *
 * All that is done in streams is a `work`: a function and its data. A stream that is
 * being captured puts works into a graph instead of its queue, so that no call has to
 * know of captures; a graph's launch queues the same works again.
 *
 * A queued work is an `item`. Its stream's thread waits for the items that it comes after,
 * runs it and marks it done. One lock guards streams, items, events, captures and graphs;
 * it is not held while a work runs.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CUDART_RUNTIME_H
#define GSH_CUDART_RUNTIME_H

#include <cuda_runtime_api.h>
#include <gshmem/cpu/engine.h>
#include <gshmem/cpu/kernel.h>
#include <gshmem/cpu/race.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's call, in a public function. */
#define GSH_HERE __builtin_return_address(0)

/* --- error.c --- */

/* Every call ends with one of these. The first keeps an error for cudaGetLastError() and
 * returns it, or the one with which a work has failed; the second only returns it. */
cudaError_t gsh_cuda_end(cudaError_t error);
cudaError_t gsh_cuda_tell(cudaError_t error);

/* A work has failed: all later calls return this. */
void gsh_cuda_break(cudaError_t error);
cudaError_t gsh_cuda_broken(void);

/* --- work.c --- */

struct gsh_work {
    const char *name; /* lives as long as the library or the program */
    enum cudaGraphNodeType kind;
    cudaError_t (*run)(void *data); /* NULL: nothing to do */
    void (*release)(void *data);    /* NULL: nothing to release */
    void *data;
    const void *where; /* the program's call, for the race checker; NULL: `run` tells it */
    _Atomic int refs;
};

/* The data is the work's from here on, and is released when there is no memory for the
 * work, too: then NULL is returned, which all calls that take a work accept. */
struct gsh_work *gsh_work_new(const struct gsh_work *like);
struct gsh_work *gsh_work_use(struct gsh_work *work);
/* Releasing may run code of the program: the destructors of a kernel's arguments. */
void gsh_work_drop(struct gsh_work *work);

/* --- queue.c: the lock is held by all callers but those of the last three --- */

extern pthread_mutex_t gsh_cuda_lock;

struct gsh_item {
    int refs;
    bool done;
    uint64_t done_ns;
    pthread_cond_t ended;
    struct gsh_work *work;
    struct gsh_item *next; /* in the stream */
    size_t n_after;
    struct gsh_item *after[];
};

struct gsh_nodes {
    cudaGraphNode_t *at;
    size_t n, room;
};

struct gsh_capture;

struct CUstream_st {
    struct CUstream_st *next; /* of all */
    unsigned long long id;
    unsigned flags;
    int priority;
    bool started, closing;
    pthread_cond_t more;
    struct gsh_item *first, *last; /* in the queue; the first may be running */
    struct gsh_capture *capture;
    struct gsh_nodes leaves; /* of the capture: what the next work comes after */
};

/* The stream of a handle, NULL when there is none; the default streams are made. */
struct CUstream_st *gsh_stream_find(cudaStream_t handle);
struct CUstream_st *gsh_stream_new(unsigned flags, int priority);
/* The stream goes when its queue is empty. NULL is accepted. */
void gsh_stream_close(struct CUstream_st *stream);
/* The first of all streams. */
struct CUstream_st *gsh_stream_all(void);
/* One of the two waits for the other: it is the legacy default stream. */
bool gsh_stream_is_legacy(const struct CUstream_st *stream);

/* Queues work after the given items, some of which may be NULL, and what the rules of the
 * default stream say. Returns an item that the caller must drop. Takes its own reference
 * of the work, which may be NULL for none. */
struct gsh_item *gsh_queue_push(struct CUstream_st *stream, struct gsh_work *work,
                                struct gsh_item *const *after, size_t n_after);
struct gsh_item *gsh_item_use(struct gsh_item *item);
void gsh_item_drop(struct gsh_item *item); /* NULL is accepted */
void gsh_item_wait(struct gsh_item *item); /* the caller has a reference */

/* Puts work, which it takes, into a stream or its capture. */
cudaError_t gsh_stream_do(cudaStream_t handle, struct gsh_work *work);
/* The same, and waits for it; nothing to wait for in a capture. */
cudaError_t gsh_stream_do_now(cudaStream_t handle, struct gsh_work *work);
/* Waits for all streams. */
cudaError_t gsh_stream_wait_all(void);

/* The thread runs a stream's code of the program, which may not call the runtime. */
extern _Thread_local bool gsh_cuda_in_callback;

/* --- capture.c: the lock is held --- */

/* Puts work, of which it takes its own reference, into the graph. */
cudaError_t gsh_capture_do(struct CUstream_st *stream, struct gsh_work *work);
/* A call that cannot be captured has met this stream: its capture is void. */
cudaError_t gsh_capture_spoil(struct CUstream_st *stream, cudaError_t error);
/* A stream that waits for an event of a capture joins it. */
cudaError_t gsh_capture_join(struct CUstream_st *stream, unsigned long long id,
                             const struct gsh_nodes *nodes);
/* The graph of the stream's capture; NULL when the capture is void. */
cudaGraph_t gsh_capture_graph(const struct CUstream_st *stream);
/* The number of the capture that the stream is in; 0: none. */
unsigned long long gsh_capture_id(const struct CUstream_st *stream);

/* --- graph.c: the lock is held --- */

struct CUgraphNode_st {
    cudaGraph_t graph;
    size_t index; /* among the graph's nodes */
    struct gsh_work *work;
    struct gsh_nodes after;
};

struct CUgraph_st {
    struct gsh_nodes nodes;
};

struct CUgraph_st *gsh_graph_new(void);
void gsh_graph_free(struct CUgraph_st *graph); /* NULL is accepted */
/* Takes its own reference of the work. NULL: no memory. */
cudaGraphNode_t gsh_graph_add(cudaGraph_t graph, struct gsh_work *work,
                              const cudaGraphNode_t *after, size_t n_after);

/* A set of nodes. Adding returns false when there is no memory. */
bool gsh_nodes_add(struct gsh_nodes *nodes, cudaGraphNode_t node);
bool gsh_nodes_add_all(struct gsh_nodes *nodes, const cudaGraphNode_t *more, size_t n);
bool gsh_nodes_have(const struct gsh_nodes *nodes, const struct CUgraphNode_st *node);
void gsh_nodes_clear(struct gsh_nodes *nodes);

/* --- Works of the other files, without the lock; NULL: no memory --- */

struct gsh_rows {
    char *dst;
    const char *src;
    size_t dst_pitch, src_pitch;
    size_t width, height; /* bytes, rows */
    const void *where;    /* the program's call */
};
struct gsh_work *gsh_work_copy(const struct gsh_rows *rows);
struct gsh_work *gsh_work_set(const struct cudaMemsetParams *params, const void *where);
struct gsh_work *gsh_work_host(cudaHostFn_t fn, void *user);
/* A kernel by its address, with its arguments as in a launch. */
cudaError_t gsh_work_kernel(const struct cudaKernelNodeParams *params, int cooperative,
                            struct gsh_work **work);

/* Memory that is neither device memory nor known to the runtime. */
bool gsh_memory_is_pageable(const void *at);
/* Pinned or managed. */
bool gsh_memory_is_of_host(const void *at);

#endif /* GSH_CUDART_RUNTIME_H */
