#!/bin/sh
# The first messages of PEs to each other, from several threads at once, small ones and large ones,
# arrive, whoever knows of whom before.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program first <<'C'
#include <pthread.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, SMALL = 200, LARGE = 1 << 20, MOST_PES = 8 };

static long small[MOST_PES][THREADS][SMALL], sum; /* symmetric */
static char *large[MOST_PES], *source;            /* of them, one of each PE is symmetric */
static int me, n;

/* Thread 0 sends what is large. */
static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;

    for (int i = 1; i < n; i++) {
        int pe = (me + i) % n;

        if (!thread)
            shmem_putmem(large[me], source, LARGE, pe);
        for (int k = 0; k < SMALL; k++)
            shmem_long_p(&small[me][thread][k], me * 1000 + k, pe);
        shmem_long_atomic_add(&sum, 1, pe);
    }
    return NULL;
}

static int check(int pe)
{
    int wrong = 0;

    for (int k = 0; k < SMALL * THREADS; k++)
        wrong += small[pe][k / SMALL][k % SMALL] != pe * 1000 + k % SMALL;
    for (int k = 0; k < LARGE; k++)
        wrong += large[pe][k] != (char)(pe + k);
    return wrong;
}

int main(void)
{
    pthread_t threads[THREADS];
    int provided, wrong = 0;

    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    n = shmem_n_pes();
    for (int pe = 0; pe < n; pe++)
        large[pe] = shmem_malloc(LARGE);
    source = malloc(LARGE);
    for (int k = 0; k < LARGE; k++)
        source[k] = (char)(me + k);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        wrong += pe != me && check(pe);
    wrong += sum != (n - 1) * THREADS;
    if (wrong)
        printf("PE %d: %d are wrong\n", me, wrong);
    shmem_finalize();
    return wrong != 0;
}
C

# PE 2 reads at once what a PE that it has not dealt with yet has sent: puts, and a question.
program stopped <<'C'
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { FROM = 1, TO = 2, WORDS = 300, A_WHILE_US = 30000 };

static long words[WORDS]; /* symmetric */

static void *ask(void *wrong)
{
    *(int *)wrong = shmem_long_g(&words[0], TO) != 1;
    return NULL;
}

static int send_to_stopped(pid_t other)
{
    pthread_t asker;
    int wrong = 1;

    shmem_long_p(&words[0], 1, TO);
    usleep(A_WHILE_US);
    kill(other, SIGSTOP);
    pthread_create(&asker, NULL, ask, &wrong);
    usleep(A_WHILE_US);
    for (int k = 1; k < WORDS; k++)
        shmem_long_p(&words[k], k + 1, TO);
    kill(other, SIGCONT);
    pthread_join(asker, NULL);
    return wrong;
}

int main(void)
{
    int provided, me, wrong = 0;
    FILE *file;
    long other = 0;

    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    if (me == TO) {
        file = fopen("new", "w");
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
        rename("new", "pid");
    }
    while (me == FROM && !(file = fopen("pid", "r")))
        usleep(1000);
    if (me == FROM && fscanf(file, "%ld", &other) == 1)
        wrong = send_to_stopped((pid_t)other);
    shmem_barrier_all();
    for (int k = 0; me == TO && k < WORDS; k++)
        wrong += words[k] != k + 1;
    if (wrong)
        printf("PE %d: %d are wrong\n", me, wrong);
    shmem_finalize();
    return wrong != 0;
}
C

# many RUNS PES PROGRAM: as often as chance needs.
many() {
    i=0
    while [ "$i" -lt "$1" ]; do
        rm -f pid
        run env GSHMEM_FAKE_NODES=2 UCX_TLS=tcp gshrun -n "$2" "./$3"
        [ "$status" -eq 0 ] || return 1
        i=$((i + 1))
    done
}

ok "a PE answers one that it has not dealt with, with more of it at hand" many 6 3 stopped
for pes in 3 5; do
    ok "$pes PEs: the first messages of all to all arrive, from several threads" many 5 $pes first
done
finish
