/* members.h - PEs without the rest of the library: processes over one shared
 * mapping, with a hand-made state and one team of all.
 *
 *     members_run(&(struct members){ .n = 3, .kind = GSH_SYNC_FLAT }, body);
 *
 * forks them and returns what went wrong, NULL when all came through.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_TEST_MEMBERS_H
#define GSH_COLL_TEST_MEMBERS_H

#include "coll/coll.h"
#include "core/remote.h"
#include "team/make.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MEMBERS_MOST = 9,
    MEMBERS_AREA = 3 << 20, /* bytes of each of the areas below */
    MEMBERS_LIMIT_S = 60,
};

struct members {
    int n;
    enum gsh_sync_kind kind;
    bool remote;   /* no member can load from or store to another */
    uint64_t seq;  /* calls that the team has behind it */
    bool met_only; /* and those were meetings: the words of data are as at the start */
    int to;        /* descriptor for standard error; 0: as it is */
};

struct members_shared {
    _Atomic int come;
    _Atomic int failed;
    char text[256];
};

static struct members_shared *members_shared;
static char *members_map;
static char *dest_area, *source_area; /* symmetric */

static size_t members_window(void)
{
    return (size_t)3 * MEMBERS_AREA;
}

static void *members_memory(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return at;
}

/* A transport that does all at once. */
static int remote_put(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes)
{
    (void)tr;
    if (bytes)
        memcpy(members_map + (size_t)pe * members_window() + off, src, bytes);
    return 0;
}

static int remote_get(struct gsh_tr *tr, int pe, void *dst, size_t off, size_t bytes)
{
    (void)tr;
    memcpy(dst, members_map + (size_t)pe * members_window() + off, bytes);
    return 0;
}

static int remote_post(struct gsh_tr *tr, int pe, size_t off, const struct gsh_amo_args *args)
{
    char *window = members_map + (size_t)pe * members_window();

    (void)tr;
    __atomic_store_n((uint64_t *)(void *)(window + off), args->operand, __ATOMIC_SEQ_CST);
    gsh_ring_flag(&((struct gsh_inner *)(void *)window)->bell);
    return 0;
}

static int remote_fence(struct gsh_tr *tr)
{
    (void)tr;
    return 0;
}

static int remote_flag(struct gsh_tr *tr, int pe, size_t off, const void *src, size_t bytes,
                       size_t flag_off, uint64_t value)
{
    const struct gsh_amo_args set = { .op = GSH_AMO_set, .bytes = 8, .operand = value };

    remote_put(tr, pe, off, src, bytes);
    return remote_post(tr, pe, flag_off, &set);
}

static struct gsh_tr members_tr = {
    .name = "test",
    .ops = { .amo_post = remote_post,
             .fence = remote_fence,
             .flag = remote_flag,
             .get = remote_get,
             .peek = remote_get,
             .put = remote_put },
};

static void set_words(const struct members *m, struct gsh_team *team)
{
    uint64_t word = m->seq << GSH_SIGN_BITS;

    for (int i = 0; i < GSH_TEAM_FLAGS; i++)
        atomic_store(&team->block->flags[i].word, word);
    if (m->met_only)
        return;
    atomic_store(&team->block->bcast.word, word);
    for (int i = 0; i < GSH_TEAM_SETS * team->n; i++) {
        size_t off = gsh_team_slot(team, (uint32_t)(i / team->n), i % team->n);
        struct gsh_slot *slot = (struct gsh_slot *)(void *)(gsh.base + off);

        atomic_store(&slot->word, word);
        atomic_store(&slot->result, word);
    }
}

static struct gsh_team *members_team(const struct members *m, int my)
{
    static const nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    int pes[MEMBERS_MOST];
    struct gsh_team *team;

    gsh = (struct gsh_state){ .base = members_map + (size_t)my * members_window(),
                              .span = members_window(),
                              .window = members_window(),
                              .my_pe = my,
                              .n_pes = m->n,
                              .spin = m->n > 2 ? 20 : 1000,
                              .crowded = m->kind == GSH_SYNC_COUNTER,
                              .n_init = 1,
                              .teams_off = sizeof(struct gsh_inner) };
    gsh.peers = calloc((size_t)m->n, sizeof(*gsh.peers));
    for (int pe = 0; pe < m->n; pe++) {
        char *window = members_map + (size_t)pe * members_window();

        pes[pe] = pe;
        gsh.peers[pe].tr = &members_tr;
        if (m->remote && pe != my)
            continue;
        gsh.peers[pe].base = window;
        gsh.peers[pe].bell = &((struct gsh_inner *)(void *)window)->bell;
    }
    dest_area = gsh.base + MEMBERS_AREA;
    source_area = dest_area + MEMBERS_AREA;

    team = gsh_team_create(pes, m->n, 0, &config);
    team->sync_kind = m->kind;
    team->seq = m->seq;
    set_words(m, team);
    atomic_store(&gsh_inner()->state, GSH_PE_RUNNING);
    return team;
}

/* For bodies: keeps the first text, and ends this member. */
#define EXPECT(good, ...) \
    do { \
        if (!(good)) { \
            if (!atomic_exchange(&members_shared->failed, 1)) \
                snprintf(members_shared->text, sizeof(members_shared->text), __VA_ARGS__); \
            exit(1); \
        } \
    } while (0)

static void members_main(const struct members *m, int my, void (*body)(struct gsh_team *team))
{
    struct gsh_team *team;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(MEMBERS_LIMIT_S);
    if (m->to && dup2(m->to, STDERR_FILENO) < 0)
        exit(1);
    team = members_team(m, my);
    atomic_fetch_add(&members_shared->come, 1);
    while (atomic_load(&members_shared->come) < m->n)
        usleep(100);
    body(team);
    exit(0);
}

/* Ends the members when one failed; the others may wait for it. */
static const char *members_collect(const pid_t *pids, int n)
{
    static char text[300];
    bool bad = false;
    int status;

    for (int left = n; left; left--) {
        pid_t pid = wait(&status);

        if (!status || bad)
            continue;
        bad = true;
        snprintf(text, sizeof(text), "%s",
                 *members_shared->text                                ? members_shared->text
                 : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "a member hangs"
                                                                      : "a member has died");
        for (int i = 0; i < n; i++)
            if (pids[i] != pid)
                kill(pids[i], SIGTERM);
    }
    return bad ? text : NULL;
}

static const char *members_run(const struct members *m, void (*body)(struct gsh_team *team))
{
    size_t bytes = members_window() * (size_t)m->n;
    pid_t pids[MEMBERS_MOST];
    const char *wrong;

    members_map = members_memory(bytes);
    members_shared = members_memory(sizeof(*members_shared));
    fflush(stdout);
    for (int my = 0; my < m->n; my++) {
        pids[my] = fork();
        if (!pids[my])
            members_main(m, my, body);
    }
    wrong = members_collect(pids, m->n);
    munmap(members_map, bytes);
    munmap(members_shared, sizeof(*members_shared));
    return wrong;
}

#endif /* GSH_COLL_TEST_MEMBERS_H */
