/* The PEs of a machine share one segment: what one writes all see, a step that fails on
 * one PE is an error on all, and nothing is left over. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "heap/segment.h"
#include "core/env.h"
#include "topo/host.h"
#include "util/fault.h"
#include "util/test/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PES = 256, CARD = 256 };

#define MIB ((size_t)1 << 20)

/* A boot method over memory that the forked PEs share. */
struct hall {
    pthread_barrier_t barrier;
    char cards[MAX_PES][CARD];
};

static struct hall *hall;

static int meet(struct gsh_boot *boot)
{
    (void)boot;
    pthread_barrier_wait(&hall->barrier);
    return 0;
}

static int gather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    if (bytes > CARD)
        return -E2BIG;
    memcpy(hall->cards[boot->rank], mine, bytes);
    meet(boot);
    for (int pe = 0; pe < boot->n_ranks; pe++)
        memcpy((char *)all + (size_t)pe * bytes, hall->cards[pe], bytes);
    return meet(boot);
}

static int count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static int count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    int n = 0;

    while (maps && fgets(line, sizeof(line), maps))
        n += strstr(line, "memfd:gshmem") != NULL;
    if (maps)
        fclose(maps);
    return n;
}

/* What a PE of one trial does; 0 when all was as it should be, else a number that
 * says what was not. */
typedef int pe_main(struct gsh_boot *boot);

/* Runs n PEs; how many of them were content. */
static int run(int n, pe_main *pe)
{
    pid_t pids[MAX_PES];
    pthread_barrierattr_t attr;
    int content = 0;

    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&hall->barrier, &attr, (unsigned)n);
    fflush(stdout);
    for (int i = 0; i < n; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            struct gsh_boot boot = { .name = "test",
                                     .rank = i,
                                     .n_ranks = n,
                                     .life_fd = -1,
                                     .ops = { .allgather = gather, .barrier = meet } };

            alarm(60); /* a PE that hangs ends the trial */
            _exit(gsh_host_open(&boot) ? 99 : pe(&boot));
        }
    }
    for (int left = n; left > 0; left--) {
        int status;
        pid_t pid = wait(&status);

        for (int i = 0; i < n; i++)
            if (pids[i] == pid)
                pids[i] = 0;
        if (pid > 0 && status == 0) {
            content++;
            continue;
        }
        /* The others may wait for this one. */
        if (left == n - content)
            printf("# the first of %d PEs that failed ended with %#x\n", n, (unsigned)status);
        for (int i = 0; i < n; i++)
            if (pids[i] > 0)
                kill(pids[i], SIGKILL);
    }
    /* The barrier is not destroyed: that would wait for those who were killed in it. */
    return content;
}

/* Each PE writes to the first and last word of each window that is its own to
 * write: word [rank] there. */
static int exchange(struct gsh_segment *s, struct gsh_boot *boot, int salt)
{
    int n = boot->n_ranks, me = boot->rank;

    for (int pe = 0; pe < n; pe++) {
        int *first = (int *)(void *)s->windows[pe];
        int *last = (int *)(void *)(s->windows[pe] + s->window) - n;

        first[me] = last[me] = salt + me * 1000 + pe;
    }
    meet(boot);
    for (int from = 0; from < n; from++) {
        int *first = (int *)(void *)s->windows[me];
        int *last = (int *)(void *)(s->windows[me] + s->window) - n;

        if (first[from] != salt + from * 1000 + me || last[from] != first[from])
            return 1;
    }
    meet(boot);
    return 0;
}

static int share(struct gsh_boot *boot)
{
    int fds = count_fds(), mappings = count_mappings();

    for (int round = 0; round < 3; round++) {
        struct gsh_segment s;

        if (gsh_segment_open(&s, boot, (size_t)(256 << round) * MIB, MIB))
            return 2;
        if (s.n_here != boot->n_ranks || s.window < MIB || s.window % 512)
            return 3;
        for (int pe = 1; pe < boot->n_ranks; pe++)
            if (s.windows[pe] != s.windows[0] + (size_t)pe * s.window)
                return 4;
        if (exchange(&s, boot, round * 7))
            return 5;
        gsh_segment_close(&s);
        if (count_fds() != fds)
            return 6;
        if (count_mappings() != mappings)
            return 7;
    }
    return 0;
}

/* Two of three PEs are on the first host. */
static int divide(struct gsh_boot *boot)
{
    int host = boot->rank / 2;
    struct gsh_segment s;

    gsh_host_close();
    gsh_env.FAKE_NODES = 2;
    if (gsh_host_open(boot) || gsh_segment_open(&s, boot, 256 * MIB, MIB))
        return 1;
    if (s.n_here != 2 - host || s.here[0] != 2 * host)
        return 2;
    for (int pe = 0; pe < boot->n_ranks; pe++)
        if ((s.windows[pe] != NULL) != (pe / 2 == host))
            return 3;
    s.windows[2 * host][0] = (char)(host + 1);
    meet(boot);
    if (s.windows[2 * host][0] != host + 1)
        return 4;
    gsh_segment_close(&s);
    return 0;
}

/* The fault of this trial, and the PE that has it. */
static const char *fault;
static int faulty;

static int fail_then_work(struct gsh_boot *boot)
{
    int fds = count_fds(), mappings = count_mappings();
    struct gsh_segment s;
    char bad[64];

    if (gsh_fault_open(boot->rank == faulty ? fault : "", bad, sizeof(bad)))
        return 1;
    if (!gsh_segment_open(&s, boot, 256 * MIB, MIB))
        return 2;
    if (count_fds() != fds || count_mappings() != mappings)
        return 3;
    return share(boot);
}

static int tell_window(struct gsh_boot *boot)
{
    struct gsh_segment s;
    size_t own, all[MAX_PES];

    /* One PE would like less than the others; all get what it can. */
    if (gsh_segment_open(&s, boot, boot->rank == 1 ? 128 * MIB : 1024 * MIB, MIB))
        return 2;
    own = s.window;
    gather(boot, &own, all, sizeof(own));
    for (int pe = 0; pe < boot->n_ranks; pe++)
        if (all[pe] != own)
            return 3;
    gsh_segment_close(&s);
    return own <= 128 * MIB ? 0 : 4;
}

static int narrow(struct gsh_boot *boot)
{
    struct rlimit limit = { 4096 * MIB, 4096 * MIB };
    struct gsh_segment s;
    int result;

    if (boot->rank == 0 && setrlimit(RLIMIT_AS, &limit))
        return 1;
    if (gsh_segment_open(&s, boot, (size_t)64 << 30, 64 * MIB))
        return 2;
    if (s.window * (size_t)boot->n_ranks > 4096 * MIB || s.window < 64 * MIB)
        return 3;
    result = exchange(&s, boot, 3);
    gsh_segment_close(&s);
    return result;
}

static int too_narrow(struct gsh_boot *boot)
{
    struct rlimit limit = { 1024 * MIB, 1024 * MIB };
    int fds = count_fds();
    struct gsh_segment s;

    if (boot->rank == 0 && setrlimit(RLIMIT_AS, &limit))
        return 1;
    if (!gsh_segment_open(&s, boot, (size_t)64 << 30, 2048 * MIB))
        return 2;
    return count_fds() == fds ? 0 : 3;
}

static int hold(struct gsh_boot *boot)
{
    struct gsh_segment s;
    int result;

    if (gsh_segment_open(&s, boot, (size_t)256 << 30, MIB))
        return 2;
    result = s.window * (size_t)boot->n_ranks <= (size_t)16 << 40 ? 0 : 3;
    s.windows[(boot->rank + 1) % boot->n_ranks][0] = 1;
    meet(boot);
    result |= s.windows[boot->rank][0] == 1 ? 0 : 4;
    gsh_segment_close(&s);
    return result;
}

static void failures(void)
{
    static const struct {
        const char *text;
        int pe;
    } cases[] = { { "fail:segment.memfd", 0 },
                  { "fail:segment.send", 0 },
                  { "fail:segment.send:2", 0 },
                  { "fail:segment.map", 0 },
                  { "fail:segment.map", 2 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fault = cases[i].text;
        faulty = cases[i].pe;
        tap_ok(run(3, fail_then_work) == 3,
               "%s on PE %d is an error on all, leaves nothing, and the next open works", fault,
               faulty);
    }
}

/* What is limited by RLIMIT_AS cannot be tried where a sanitizer has taken more. */
static bool can_be_narrow(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    size_t pages = 0;
    bool known = file && fscanf(file, "%zu", &pages) == 1;

    if (file)
        fclose(file);
    return known && pages * 4096 < 512 * MIB;
}

int main(void)
{
    static const int counts[] = { 1, 2, 3, 8 };

    gsh_env.HOST_ID = "";
    hall = mmap(NULL, sizeof(*hall), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (hall == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        tap_ok(run(counts[i], share) == counts[i],
               "%d PEs see each other's data three times and close everything", counts[i]);
    tap_ok(run(3, divide) == 3, "PEs of two hosts share nothing, and those of one host do");
    failures();
    tap_ok(run(3, tell_window) == 3, "the window is the least that a PE asks for, on all");
    if (can_be_narrow()) {
        tap_ok(run(2, narrow) == 2, "the window shrinks to the address space of the poorest PE");
        tap_ok(run(2, too_narrow) == 2, "too little address space on one PE is an error on all");
    } else {
        tap_skip("the window shrinks to the address space", "a sanitizer has taken more");
        tap_skip("too little address space is an error", "a sanitizer has taken more");
    }
    tap_ok(run(256, hold) == 256, "256 PEs share at most 16 TiB");
    munmap(hall, sizeof(*hall));
    return tap_end();
}
