/* data.c - moves static data into the window and back. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "heap/data.h"
#include "core/log.h"
#include "core/state.h"
#include "heap/data_find.h"
#include "util/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum {
    LOOK = 4096, /* pages whose presence is asked for at once */
    COPY = 64,   /* pages that are copied before they are mapped: some 10 us */
};

/* What a step does with the copies of some pages. */
enum step {
    SHARE,  /* maps them over the originals, and keeps them */
    DETACH, /* puts them in the place of the originals, which end */
    KEEP,   /* nothing */
};

static struct gsh_ranges ranges;
static bool shared; /* the ranges are in the window */
static char why_not[160];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* no fork amid a change */

/* The ranges, for the handlers of a fork. Not a plain variable, since the child shares
 * those with its parent at first, who has gone on. */
static _Thread_local struct gsh_ranges forked;

static size_t page_bytes(void)
{
    static size_t bytes;

    if (!bytes)
        bytes = (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

/* By the kernel itself: UCX, which an MPI may have brought in, puts a mremap() of its own in
 * the place of libc's, and that one forgets the last argument. */
static void *move_pages(void *from, size_t old_bytes, size_t bytes, int flags, void *to)
{
    long at = syscall(SYS_mremap, from, old_bytes, bytes, flags, to);

    return at == -1 ? MAP_FAILED : (void *)at;
}

static char *own_place(const struct gsh_range *r)
{
    return gsh.base + gsh.data_off + r->off;
}

/* mincore() does not know of pages that are swapped out. */
static bool swaps(void)
{
    struct sysinfo info;

    return sysinfo(&info) || info.totalswap != info.freeswap;
}

/* Sets a byte for each page that may hold something else than zeros. */
static void look(char *at, size_t pages, size_t file_pages, unsigned char *present)
{
    if (swaps() || mincore(at, pages * page_bytes(), present))
        memset(present, 1, pages);
    memset(present, 1, file_pages < pages ? file_pages : pages);
}

/* By hand, and not with memcpy: the redzones of AddressSanitizer are copied as well.
 * `to` is a page of zeros. */
__attribute__((no_sanitize("address"))) static void copy_page(char *to, const char *from)
{
    const volatile uint64_t *source = (const volatile uint64_t *)(const void *)from;
    volatile uint64_t *dest = (volatile uint64_t *)(void *)to;
    size_t n = page_bytes() / sizeof(*source), i = 0;

    while (i < n && !source[i])
        i++;
    for (; i < n; i++)
        dest[i] = source[i];
}

static int finish_step(const struct gsh_range *r, char *copy, size_t off, size_t bytes,
                       enum step step)
{
    if (step != KEEP && move_pages(copy + off, step == SHARE ? 0 : bytes, bytes,
                                   MREMAP_MAYMOVE | MREMAP_FIXED, r->at + off) == MAP_FAILED)
        return -errno;
    if (step == DETACH)
        madvise(own_place(r) + off, bytes, MADV_REMOVE);
    return 0;
}

/* Copies the range to `copy`, which is all zeros, step by step. */
static int go_through(const struct gsh_range *r, char *copy, enum step step)
{
    size_t page = page_bytes(), pages = r->bytes / page;
    size_t in_file = step == SHARE ? r->file_bytes / page : 0;
    unsigned char present[LOOK];
    size_t seen = 0, done = 0;

    while (done < pages) {
        size_t first = done, copied = 0;
        int err;

        if (done == seen) {
            seen += pages - seen < LOOK ? pages - seen : LOOK;
            look(r->at + done * page, seen - done, in_file > done ? in_file - done : 0,
                 present + done % LOOK);
        }
        for (; done < seen && copied < COPY; done++) {
            if (!present[done % LOOK])
                continue;
            copy_page(copy + done * page, r->at + done * page);
            copied++;
        }
        err = finish_step(r, copy, first * page, (done - first) * page, step);
        if (err)
            return err;
    }
    return 0;
}

static char *zeros(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
}

/* The first n ranges become private. Where that fails they stay as they are, which is
 * safe as well: the mapping outlives the window. */
static void detach(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct gsh_range *r = &ranges.all[i];
        char *copy = zeros(r->bytes);

        if (copy == MAP_FAILED || go_through(r, copy, DETACH))
            gsh_log(GSH_WARN, GSH_HEAP, "the static data of %s stays in shared memory: %s", r->name,
                    strerror(errno));
    }
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    forked = shared ? ranges : (struct gsh_ranges){ 0 };
    for (size_t i = 0; i < forked.n; i++) {
        struct gsh_range *r = &forked.all[i];

        r->snapshot = zeros(r->bytes);
        if (r->snapshot != MAP_FAILED)
            go_through(r, r->snapshot, KEEP);
    }
}

static void after_fork_in_parent(void)
{
    for (size_t i = 0; i < forked.n; i++)
        if (forked.all[i].snapshot != MAP_FAILED)
            munmap(forked.all[i].snapshot, forked.all[i].bytes);
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    static const char text[] = "gshmem: no memory for the static data of a process made by fork\n";

    for (size_t i = 0; i < forked.n; i++) {
        const struct gsh_range *r = &forked.all[i];

        if (r->snapshot != MAP_FAILED &&
            move_pages(r->snapshot, r->bytes, r->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, r->at) !=
                MAP_FAILED)
            continue;
        /* It would write into the variables of its parent. */
        if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
            _exit(126);
        _exit(127);
    }
    pthread_mutex_unlock(&lock);
}

/* Can one page be mapped at two addresses without a file descriptor? Not under each
 * emulator. */
static bool can_map_twice(void)
{
    size_t bytes = page_bytes();
    char *one = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *two = one == MAP_FAILED ? MAP_FAILED : move_pages(one, 0, bytes, MREMAP_MAYMOVE, NULL);
    bool can = two != MAP_FAILED;

    if (one != MAP_FAILED)
        munmap(one, bytes);
    if (can)
        munmap(two, bytes);
    return can;
}

struct card {
    uint64_t hash;
    uint64_t bytes;
    bool can;
};

/* Sets why_not when the PEs have not all the same. */
static int compare(struct gsh_boot *boot)
{
    struct card mine = { .hash = ranges.hash, .bytes = ranges.bytes, .can = !ranges.why_not };
    struct card *all = calloc((size_t)boot->n_ranks, sizeof(*all));
    int err;

    if (!all)
        return gsh_fail(-ENOMEM, "no memory to compare the programs of %d PEs", boot->n_ranks);
    snprintf(why_not, sizeof(why_not), "%s", ranges.why_not ? ranges.why_not : "");
    err = boot->ops.allgather(boot, &mine, all, sizeof(mine));
    for (int pe = 0; pe < boot->n_ranks && !err && !*why_not; pe++)
        if (!all[pe].can)
            snprintf(why_not, sizeof(why_not), "PE %d cannot share it", pe);
        else if (all[pe].hash != mine.hash || all[pe].bytes != mine.bytes)
            snprintf(why_not, sizeof(why_not),
                     "PE %d runs another program, or other libraries, than PE %d", pe, boot->rank);
    free(all);
    return err;
}

int gsh_data_plan(struct gsh_boot *boot)
{
    int err;

    gsh_ranges_free(&ranges);
    err = gsh_ranges_find(&ranges);
    if (err)
        return err;
    if (!ranges.why_not && !can_map_twice())
        ranges.why_not = "this system cannot map a page at two addresses";
    err = compare(boot);
    if (err || *why_not)
        gsh_ranges_free(&ranges);
    if (*why_not)
        gsh_log(GSH_INFO, GSH_HEAP, "static data is not symmetric: %s", why_not);
    return err;
}

size_t gsh_data_bytes(void)
{
    return ranges.bytes;
}

static int share(void)
{
    sigset_t signals, old;
    size_t i = 0;
    int err = gsh_fault_fails("data.map") ? -ENOMEM : 0;

    sigfillset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, &old);
    for (; i < ranges.n && !err; i++) {
        err = go_through(&ranges.all[i], own_place(&ranges.all[i]), SHARE);
        madvise(ranges.all[i].at, ranges.all[i].bytes, MADV_DODUMP);
    }
    if (err)
        detach(i);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return err;
}

int gsh_data_open(void)
{
    static bool at_fork;
    int err;

    if (!ranges.n)
        return 0;
    if (!at_fork) {
        err = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        if (err)
            return gsh_fail(-err, "cannot prepare for a fork: %s", strerror(err));
        at_fork = true;
    }
    pthread_mutex_lock(&lock);
    err = share();
    shared = !err;
    pthread_mutex_unlock(&lock);
    if (err)
        return gsh_fail(err, "cannot map the static data of %s into the window: %s",
                        ranges.all[0].name, strerror(-err));
    gsh_log(GSH_INFO, GSH_HEAP, "%zu KiB of static data in %zu places are symmetric",
            ranges.bytes >> 10, ranges.n);
    return 0;
}

void gsh_data_close(void)
{
    sigset_t signals, old;

    pthread_mutex_lock(&lock);
    if (shared) {
        sigfillset(&signals);
        pthread_sigmask(SIG_SETMASK, &signals, &old);
        detach(ranges.n);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    shared = false;
    gsh_ranges_free(&ranges);
    pthread_mutex_unlock(&lock);
}

static const struct gsh_range *range_of(const void *sym)
{
    for (size_t i = 0; shared && i < ranges.n; i++)
        if ((size_t)((const char *)sym - ranges.all[i].at) < ranges.all[i].bytes)
            return &ranges.all[i];
    return NULL;
}

bool gsh_data_offset(const void *sym, size_t bytes, size_t *off)
{
    const struct gsh_range *r = range_of(sym);
    size_t at;

    if (!r)
        return false;
    at = (size_t)((const char *)sym - r->at);
    *off = gsh.data_off + r->off + at;
    return bytes <= r->bytes - at;
}

bool gsh_data_place(const void *sym, char *text, size_t bytes)
{
    const struct gsh_range *r = range_of(sym);

    if (r)
        snprintf(text, bytes, "%s+%#zx", r->name, (size_t)((uintptr_t)sym - r->load));
    return r != NULL;
}

void gsh_data_explain(const void *sym, size_t bytes, char *text, size_t room)
{
    const struct gsh_range *r = range_of(sym);

    if (r)
        snprintf(text, room, "%zu bytes reach beyond the static data of %s", bytes, r->name);
    else
        gsh_ranges_explain(sym, *why_not ? why_not : NULL, text, room);
}
