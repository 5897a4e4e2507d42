/* stuck.c - finds out that no PE can ever go on. It must never say so wrongly; what it
 * cannot be sure of it takes for a job that runs.
 *
 * A thread of each PE looks, twice a second, at all other threads of the process. The PE is
 * still when since the last look each of them
 *
 *     polls    it has polled in vain, again and again, words that it waits for, and done
 *              nothing else: its seat has the same `since` and more polls than before.
 *              A thread that runs a block counts a poll when each fiber that can run has
 *              polled its wait, and a new `since` when any has done anything else: begun or
 *              ended a wait or a barrier, yielded in another way, been interrupted;
 *     or sleeps in a futex without a limit of time, on a lock, a condition or the end of a
 *              thread, and has not been awake (its voluntary switches are the same): what
 *              ends such a sleep is another thread of this process.
 *
 * At least one must poll. Threads of the library that only listen are left out. Any other
 * thread, one that computes, sleeps for some time, reads from a socket or waits in another
 * library, keeps the PE from being still, and so does a GPU that the job uses. A signal
 * handler of the program that writes to symmetric memory, and writes from outside of the
 * job, are not seen.
 *
 * Each PE publishes how often it was not still, and for how many looks it has been since.
 * The lowest PE that runs reads these words of all PEs at a moment T, and later again. When
 * each PE had been still for two looks at T, and with the same count for two looks more at the
 * end, then
 *  - each PE was still from before T until after T: of the looks after T the first one
 *    proves what lies before it, and the second one that polls went on after it;
 *  - so at T nobody did anything but poll, and nobody could write, now or later, unless
 *    some poll after T finds its condition true;
 *  - but all that is polled has been polled once more after T, in vain.
 * Nothing can change any more. PEs that have ended count as still: they write nothing.
 * Transports complete by threads of this process, which are looked at like others.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "watch/stuck.h"
#include "core/log.h"
#include "core/remote.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LOOK_MS = 500,
    LOOKS = 2, /* in a row that make sure */
    POLLS = 2, /* between two looks */
    LINES = 4, /* of waiters, from each PE */
    SEATS = 2048,
    OWN = 16,
    SAY_MS = 500, /* for the waiters to say where they wait */
};

/* What a thread that polls tells. Written by it alone. */
struct seat {
    _Atomic int tid; /* 0: free */
    _Atomic uint64_t since;
    _Atomic uint64_t polls;
    /* The looking thread's: */
    uint64_t seen_since;
    uint64_t seen_polls;
};

static struct seat seats[SEATS];
static _Thread_local struct seat *my_seat;
static pthread_key_t seat_key; /* frees the seat of a thread that ends */
static pthread_once_t seat_once = PTHREAD_ONCE_INIT;

static _Atomic int own[OWN]; /* thread ids of listeners */
static _Atomic int n_own;    /* the library's threads, of both kinds */
static _Thread_local _Atomic int *own_place;

static pthread_t thread;
static int stop_fd = -1;
static _Atomic int lines;

static int thread_id(void)
{
    return (int)syscall(SYS_gettid);
}

static void leave_seat(void *seat)
{
    atomic_store(&((struct seat *)seat)->tid, 0);
}

static void make_key(void)
{
    pthread_key_create(&seat_key, leave_seat);
}

/* NULL when all are taken: then nothing is known of this thread. */
static struct seat *take_seat(void)
{
    int tid = thread_id();

    pthread_once(&seat_once, make_key);
    for (int i = 0; i < SEATS; i++) {
        int expected = 0;

        if (!atomic_load_explicit(&seats[i].tid, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&seats[i].tid, &expected, tid)) {
            pthread_setspecific(seat_key, &seats[i]);
            return &seats[i];
        }
    }
    return NULL;
}

void gsh_stuck_poll(uint64_t since)
{
    if (!my_seat)
        my_seat = take_seat();
    if (!my_seat)
        return;
    atomic_store_explicit(&my_seat->since, since, memory_order_relaxed);
    atomic_fetch_add_explicit(&my_seat->polls, 1, memory_order_release);
}

bool gsh_stuck_may_speak(void)
{
    return atomic_fetch_add(&lines, 1) < LINES;
}

void gsh_stuck_own(bool listens)
{
    atomic_fetch_add(&n_own, 1);
    for (int i = 0; i < OWN && listens && !own_place; i++) {
        int expected = 0;

        if (atomic_compare_exchange_strong(&own[i], &expected, thread_id()))
            own_place = &own[i];
    }
}

void gsh_stuck_disown(void)
{
    if (own_place)
        atomic_store(own_place, 0);
    own_place = NULL;
    atomic_fetch_sub(&n_own, 1);
}

void gsh_stuck_own_more(int n)
{
    atomic_fetch_add(&n_own, n);
}

/* The folder of threads has two links and one for each of them. */
int gsh_stuck_threads(void)
{
    struct stat tasks;

    return stat("/proc/self/task", &tasks) ? INT_MAX : (int)tasks.st_nlink - 2;
}

bool gsh_stuck_alone(void)
{
    return gsh.gpu == GSH_GPU_NONE && gsh_stuck_threads() - atomic_load(&n_own) <= 1;
}

static bool listens(int tid)
{
    for (int i = 0; i < OWN; i++)
        if (atomic_load(&own[i]) == tid)
            return true;
    return false;
}

static FILE *open_task(int tid, const char *file)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, file);
    return fopen(path, "re");
}

static bool is_thread(long tid)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/task/%ld", tid);
    return tid > 0 && !access(path, F_OK);
}

/* In a futex without a limit of time that only this process can end: a private one, or the
 * one of a thread that is joined, which holds that thread's id. */
static bool sleeps(int tid)
{
    FILE *file = open_task(tid, "syscall");
    long number = -1;
    unsigned long at, op, value, limit;
    int n = file ? fscanf(file, "%ld %lx %lx %lx %lx", &number, &at, &op, &value, &limit) : 0;
    unsigned long command;

    if (file)
        fclose(file);
    if (n != 5 || number != SYS_futex || limit)
        return false;
    command = op & (unsigned long)FUTEX_CMD_MASK;
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
        return false;
    return op & FUTEX_PRIVATE_FLAG || is_thread((long)value);
}

static bool read_switches(int tid, uint64_t *switches)
{
    FILE *file = open_task(tid, "status");
    unsigned long long n;
    char line[256];
    bool found = false;

    while (file && !found && fgets(line, sizeof(line), file)) {
        found = sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1;
        if (found)
            *switches = n;
    }
    if (file)
        fclose(file);
    return found;
}

/* Has the thread polled, and done nothing else, since the last look? */
static bool polls(int tid, uint64_t *since)
{
    struct seat *seat = seats;
    uint64_t now, n;
    bool same;

    while (seat < seats + SEATS && atomic_load(&seat->tid) != tid)
        seat++;
    if (seat == seats + SEATS)
        return false;
    n = atomic_load_explicit(&seat->polls, memory_order_acquire);
    now = atomic_load_explicit(&seat->since, memory_order_relaxed);
    same = now == seat->seen_since && n - seat->seen_polls >= POLLS;
    seat->seen_since = now;
    seat->seen_polls = n;
    *since = now;
    return same;
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 29);
}

/* True when each thread polls or sleeps; then `sum` stands for which does what. */
static bool look(uint64_t *sum)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int n_polling = 0;
    bool all = tasks != NULL;

    *sum = 1;
    while (tasks && (entry = readdir(tasks))) {
        int tid = atoi(entry->d_name);
        uint64_t value = 0;
        bool polling;

        if (!tid || listens(tid))
            continue;
        polling = polls(tid, &value);
        n_polling += polling;
        if (!polling)
            all = all && sleeps(tid) && read_switches(tid, &value);
        *sum = mix(mix(mix(*sum, (uint64_t)tid), polling), value);
    }
    if (tasks)
        closedir(tasks);
    return all && n_polling && gsh.gpu == GSH_GPU_NONE;
}

/* How often the PE was not still, in the upper half, and the looks for which it is. */
static uint64_t publish(void)
{
    static uint64_t last;
    struct gsh_inner *inner = gsh_inner();
    uint64_t sum, word = atomic_load(&inner->still);
    bool still = look(&sum);

    if (still && sum == last)
        word++;
    else
        word = ((word >> 32) + 1) << 32;
    last = sum;
    atomic_store(&inner->still, word);
    return word;
}

static bool has_ended(int pe)
{
    return gsh_pe_state(pe) > GSH_PE_RUNNING;
}

static uint64_t word_of(int pe)
{
    size_t off = (size_t)((char *)&gsh_inner()->still - gsh.base);
    uint64_t word;

    if (gsh.peers[pe].base)
        return atomic_load((_Atomic uint64_t *)(void *)(gsh.peers[pe].base + off));
    return gsh_peek_at(pe, &word, off, sizeof(word)) ? word : 0;
}

/* What the lowest PE has read of all at one moment. */
struct record {
    uint64_t *words; /* [n_pes] */
    bool made;
};

static bool is_lowest(void)
{
    for (int pe = 0; pe < gsh.my_pe; pe++)
        if (!has_ended(pe))
            return false;
    return true;
}

static bool make(struct record *record)
{
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        record->words[pe] = has_ended(pe) ? 0 : word_of(pe);
        if (!has_ended(pe) && (uint32_t)record->words[pe] < LOOKS)
            return false;
    }
    return true;
}

/* Each PE as in the record, and for some looks more. A PE that has ended since then did
 * something. */
static bool is_proved(struct record *record)
{
    bool all = true;

    for (int pe = 0; pe < gsh.n_pes && record->made; pe++) {
        uint64_t then = record->words[pe], now = has_ended(pe) ? 0 : word_of(pe);

        if (then >> 32 != now >> 32)
            record->made = false;
        all = all && (!then || (uint32_t)now >= (uint32_t)then + LOOKS);
    }
    return record->made && all;
}

static void tell_all(void)
{
    size_t off = (size_t)((char *)&gsh_inner()->stuck - gsh.base);
    uint32_t yes = 1;

    for (int pe = 0; pe < gsh.n_pes; pe++)
        if (!has_ended(pe))
            gsh_put_at(pe, off, &yes, sizeof(yes));
    gsh_quiet();
}

/* Waits for stop or the time; true when it is time to stop. */
static bool stopped_within(int ms)
{
    struct pollfd p = { .fd = stop_fd, .events = POLLIN };

    return poll(&p, 1, ms) > 0;
}

static void *run(void *arg)
{
    struct record *record = arg;

    gsh_stuck_own(true);
    while (!stopped_within(LOOK_MS)) {
        publish();
        if (!is_lowest())
            continue;
        if (!record->made) {
            record->made = make(record);
        } else if (is_proved(record)) {
            tell_all();
            stopped_within(SAY_MS);
            gsh_die("the job can never go on: on each PE all threads wait, as said above, and "
                    "none is left to do what they wait for");
        }
    }
    gsh_stuck_disown();
    free(record->words);
    free(record);
    return NULL;
}

static int start(struct record *record)
{
    sigset_t all, old;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&thread, NULL, run, record);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err)
        gsh_fail(-err, "cannot start the thread that looks for a stuck job: %s", strerror(err));
    return -err;
}

int gsh_stuck_start(void)
{
    struct record *record;
    int err = 0;

    if (!gsh_env.CHECK)
        return 0;
    atomic_store(&lines, 0);
    record = calloc(1, sizeof(*record));
    if (record)
        record->words = calloc((size_t)gsh.n_pes, sizeof(*record->words));
    stop_fd = eventfd(0, EFD_CLOEXEC);
    if (!record || !record->words || stop_fd < 0)
        err = gsh_fail(-ENOMEM, "no memory or descriptor to look for a stuck job of %d PEs",
                       gsh.n_pes);
    if (!err)
        err = start(record);
    if (err) {
        free(record ? record->words : NULL);
        free(record);
        close(stop_fd);
        stop_fd = -1;
    }
    return err;
}

void gsh_stuck_stop(void)
{
    const uint64_t one = 1;

    if (stop_fd < 0)
        return;
    if (write(stop_fd, &one, sizeof(one)) == sizeof(one))
        pthread_join(thread, NULL);
    close(stop_fd);
    stop_fd = -1;
}
