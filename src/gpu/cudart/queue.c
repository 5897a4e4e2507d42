/* queue.c - streams as queues of works, each with a thread of its own that begins with the
 * first work and ends with the stream.
 *
 * The legacy default stream and the blocking streams wait for each other: a work of the
 * one comes after all that is queued in the others. What a work comes after is known
 * when it is queued, so that no cycle can arise.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdlib.h>
#include <time.h>

pthread_mutex_t gsh_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
_Thread_local bool gsh_cuda_in_callback;

static struct CUstream_st *streams;
static struct CUstream_st *legacy;
static bool default_is_own; /* the handle 0 is each thread's own stream */
static unsigned long long n_made;

static pthread_key_t own_key; /* each thread's cudaStreamPerThread */
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct gsh_item *gsh_item_use(struct gsh_item *item)
{
    item->refs++;
    return item;
}

void gsh_item_drop(struct gsh_item *item)
{
    if (!item || --item->refs)
        return;
    pthread_cond_destroy(&item->ended);
    if (gsh_race_on)
        gsh_race_forget(item);
    free(item);
}

void gsh_item_wait(struct gsh_item *item)
{
    while (!item->done)
        pthread_cond_wait(&item->ended, &gsh_cuda_lock);
    if (gsh_race_on)
        gsh_race_acquire(item);
}

/* The race checker names the call that has queued the work. */
static void do_work(struct gsh_work *work)
{
    cudaError_t error;

    gsh_race_host = work->where;
    error = work->run(work->data);
    gsh_race_host = NULL;
    if (error)
        gsh_cuda_break(error);
}

static void run(const struct CUstream_st *stream, struct gsh_item *item)
{
    if (gsh_race_on)
        gsh_race_serve(stream == legacy ? 0 : (unsigned)stream->id,
                       item->work ? item->work->name : "");
    for (size_t i = 0; i < item->n_after; i++) {
        gsh_item_wait(item->after[i]);
        if (gsh_race_on)
            gsh_race_pass(item->after[i], item);
        gsh_item_drop(item->after[i]);
    }
    item->n_after = 0;
    if (gsh_race_on)
        gsh_race_acquire(item);
    pthread_mutex_unlock(&gsh_cuda_lock);
    if (item->work && item->work->run && !gsh_cuda_broken())
        do_work(item->work);
    gsh_cuda_in_callback = true;
    gsh_work_drop(item->work);
    gsh_cuda_in_callback = false;
    pthread_mutex_lock(&gsh_cuda_lock);
}

static void forget(struct CUstream_st *stream)
{
    struct CUstream_st **at = &streams;

    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    gsh_nodes_clear(&stream->leaves);
    pthread_cond_destroy(&stream->more);
    if (gsh_race_on)
        gsh_race_forget(stream);
    free(stream);
}

static void *serve(void *arg)
{
    struct CUstream_st *stream = arg;

    pthread_mutex_lock(&gsh_cuda_lock);
    while (stream->first || !stream->closing) {
        struct gsh_item *item = stream->first;

        if (!item) {
            pthread_cond_wait(&stream->more, &gsh_cuda_lock);
            continue;
        }
        run(stream, item);
        stream->first = item->next;
        if (!stream->first)
            stream->last = NULL;
        if (gsh_race_on) {
            gsh_race_release(item);
            gsh_race_release(stream);
        }
        item->done = true;
        item->done_ns = now_ns();
        pthread_cond_broadcast(&item->ended);
        gsh_item_drop(item);
    }
    forget(stream);
    pthread_mutex_unlock(&gsh_cuda_lock);
    return NULL;
}

/* The thread is detached: what it has not done when the process ends is not done. */
static bool start(struct CUstream_st *stream)
{
    pthread_attr_t attr;
    pthread_t thread;

    if (stream->started)
        return true;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    stream->started = !pthread_create(&thread, &attr, serve, stream);
    pthread_attr_destroy(&attr);
    return stream->started;
}

struct CUstream_st *gsh_stream_new(unsigned flags, int priority)
{
    struct CUstream_st *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++n_made;
    pthread_cond_init(&stream->more, NULL);
    stream->next = streams;
    streams = stream;
    return stream;
}

void gsh_stream_close(struct CUstream_st *stream)
{
    if (!stream)
        return;
    stream->closing = true;
    if (stream->started)
        pthread_cond_signal(&stream->more);
    else
        forget(stream);
}

struct CUstream_st *gsh_stream_all(void)
{
    return streams;
}

bool gsh_stream_is_legacy(const struct CUstream_st *stream)
{
    return stream == legacy;
}

static void close_own(void *stream)
{
    pthread_mutex_lock(&gsh_cuda_lock);
    gsh_stream_close(stream);
    pthread_mutex_unlock(&gsh_cuda_lock);
}

static void make_own_key(void)
{
    pthread_key_create(&own_key, close_own);
}

static struct CUstream_st *find_own(void)
{
    struct CUstream_st *own;

    pthread_once(&own_once, make_own_key);
    own = pthread_getspecific(own_key);
    if (!own) {
        own = gsh_stream_new(cudaStreamDefault, 0);
        pthread_setspecific(own_key, own);
    }
    return own;
}

void gsh_cuda_default_per_thread(void)
{
    default_is_own = true;
}

struct CUstream_st *gsh_stream_find(cudaStream_t handle)
{
    struct CUstream_st *stream = streams;

    if (!handle && default_is_own)
        handle = cudaStreamPerThread;
    if (!handle || handle == cudaStreamLegacy) {
        if (!legacy)
            legacy = gsh_stream_new(cudaStreamDefault, 0);
        return legacy;
    }
    if (handle == cudaStreamPerThread)
        return find_own();
    while (stream && (stream != handle || stream->closing))
        stream = stream->next;
    return stream;
}

/* A work of `stream` comes after what was queued in `other`. */
static bool may_come_after(const struct CUstream_st *stream, const struct CUstream_st *other)
{
    if (stream == other || (stream->flags | other->flags) & cudaStreamNonBlocking)
        return false;
    return stream == legacy || other == legacy;
}

static bool comes_after(const struct CUstream_st *stream, const struct CUstream_st *other)
{
    return other->last && may_come_after(stream, other);
}

/* For the race checker: the item comes after the caller, and after what is done already. */
static void tell_order(struct gsh_item *item, const struct CUstream_st *stream,
                       struct gsh_item *const *after, size_t n_after)
{
    gsh_race_release(item);
    for (size_t i = 0; i < n_after; i++)
        if (after[i] && after[i]->done)
            gsh_race_pass(after[i], item);
    for (const struct CUstream_st *other = streams; other; other = other->next)
        if (may_come_after(stream, other))
            gsh_race_pass(other, item);
}

struct gsh_item *gsh_queue_push(struct CUstream_st *stream, struct gsh_work *work,
                                struct gsh_item *const *after, size_t n_after)
{
    size_t room = n_after;
    struct gsh_item *item;

    for (const struct CUstream_st *other = streams; other; other = other->next)
        room += comes_after(stream, other);
    item = calloc(1, sizeof(*item) + room * sizeof(item->after[0]));
    if (!item || !start(stream)) {
        free(item);
        return NULL;
    }
    for (size_t i = 0; i < n_after; i++)
        if (after[i] && !after[i]->done)
            item->after[item->n_after++] = gsh_item_use(after[i]);
    for (const struct CUstream_st *other = streams; other; other = other->next)
        if (comes_after(stream, other))
            item->after[item->n_after++] = gsh_item_use(other->last);
    item->refs = 2; /* the stream's and the caller's */
    item->work = gsh_work_use(work);
    pthread_cond_init(&item->ended, NULL);
    if (gsh_race_on)
        tell_order(item, stream, after, n_after);
    if (stream->last)
        stream->last->next = item;
    else
        stream->first = item;
    stream->last = item;
    pthread_cond_signal(&stream->more);
    return item;
}

/* The legacy stream would have to wait for a stream whose works only are recorded. */
static cudaError_t spoil_by_legacy(void)
{
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        if (stream->capture && !(stream->flags & cudaStreamNonBlocking))
            return gsh_capture_spoil(stream, cudaErrorStreamCaptureImplicit);
    return cudaSuccess;
}

static cudaError_t put(cudaStream_t handle, struct gsh_work *work, bool now)
{
    struct CUstream_st *stream = gsh_stream_find(handle);
    struct gsh_item *item;
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture)
        return gsh_capture_do(stream, work);
    error = stream == legacy ? spoil_by_legacy() : cudaSuccess;
    if (error)
        return error;
    item = gsh_queue_push(stream, work, NULL, 0);
    if (!item)
        return cudaErrorMemoryAllocation;
    if (now)
        gsh_item_wait(item);
    gsh_item_drop(item);
    return cudaSuccess;
}

static cudaError_t take(cudaStream_t handle, struct gsh_work *work, bool now)
{
    cudaError_t error;

    if (!work)
        return cudaErrorMemoryAllocation;
    pthread_mutex_lock(&gsh_cuda_lock);
    error = gsh_cuda_in_callback ? cudaErrorNotPermitted : put(handle, work, now);
    pthread_mutex_unlock(&gsh_cuda_lock);
    gsh_work_drop(work);
    return error;
}

cudaError_t gsh_stream_do(cudaStream_t handle, struct gsh_work *work)
{
    return take(handle, work, false);
}

cudaError_t gsh_stream_do_now(cudaStream_t handle, struct gsh_work *work)
{
    return take(handle, work, true);
}

/* Streams come and go while one is waited for. */
static cudaError_t wait_all(void)
{
    struct gsh_item **items;
    size_t n = 0;

    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        n += stream->last != NULL;
    items = calloc(n + 1, sizeof(*items));
    if (!items)
        return cudaErrorMemoryAllocation;
    n = 0;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        if (stream->last)
            items[n++] = gsh_item_use(stream->last);
        else if (gsh_race_on)
            gsh_race_acquire(stream);
    while (n) {
        gsh_item_wait(items[--n]);
        gsh_item_drop(items[n]);
    }
    free(items);
    return cudaSuccess;
}

cudaError_t gsh_stream_wait_all(void)
{
    cudaError_t error;

    if (gsh_cuda_in_callback)
        return cudaErrorNotPermitted;
    pthread_mutex_lock(&gsh_cuda_lock);
    error = wait_all();
    pthread_mutex_unlock(&gsh_cuda_lock);
    return error;
}
