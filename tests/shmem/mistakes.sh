# OpenSHMEM's mistakes are told in one line that names the call: a pSync that was not set, is too
# short or not symmetric (with GSHMEM_CHECK), a PE that is not in its active set, a lock that is
# not held, a context that was not created.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program mistake <<'END'
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static long unset[SHMEM_SYNC_SIZE], lock;
static struct {
    long words[SHMEM_SYNC_SIZE - 1];
    long behind;
} shorter;

static void barrier(long *sync)
{
    shmem_barrier(0, 0, shmem_n_pes(), sync);
}

int main(int argc, char **argv)
{
    const char *what = argv[argc - 1];
    long local[SHMEM_SYNC_SIZE];
    long *heap;

    shmem_init();
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        local[i] = SHMEM_SYNC_VALUE;
    memcpy(shorter.words, local, sizeof(shorter.words));
    heap = shmem_malloc((SHMEM_SYNC_SIZE - 1) * sizeof(*heap));
    memcpy(heap, local, (SHMEM_SYNC_SIZE - 1) * sizeof(*heap));
    if (!strcmp(what, "unset"))
        barrier(unset);
    else if (!strcmp(what, "short"))
        barrier(shorter.words);
    else if (!strcmp(what, "short heap"))
        barrier(heap);
    else if (!strcmp(what, "local"))
        barrier(local);
    else if (!strcmp(what, "outside"))
        shmem_barrier(0, 1, 1, unset + 2 * (shmem_my_pe() == 1));
    else if (!strcmp(what, "clear"))
        shmem_clear_lock(&lock);
    else if (!strcmp(what, "twice")) {
        if (shmem_my_pe() == 0) {
            shmem_set_lock(&lock);
            shmem_set_lock(&lock);
        }
    } else if (!strcmp(what, "context"))
        shmem_ctx_int_p(SHMEM_CTX_INVALID, (int *)unset, 1, 0);
    else if (!strcmp(what, "pe"))
        shmem_int_p((int *)unset, 1, 7);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
END

# mistake FACT TEXT WORD [SETTING...]
mistake() {
    fact=$1 text=$2 word=$3
    shift 3
    run env "$@" gshrun -n 2 ./mistake "$word"
    ok "$fact: the job ends" failed
    ok "$fact: and says so" says "$text"
}

mistake "a pSync that was not set" "shmem_barrier: word 0 of pSync is 0" unset GSHMEM_CHECK=1
mistake "a pSync that is too short" "shmem_barrier: word 3 of pSync" short GSHMEM_CHECK=1
mistake "a pSync that is too short, on the heap" "shmem_barrier: word 3 of pSync" "short heap" \
    GSHMEM_CHECK=1
mistake "a pSync on the stack" "shmem_barrier: .* is not a symmetric address" local GSHMEM_CHECK=1
mistake "a PE that is not in its active set" "shmem_barrier: this PE is not in" outside
mistake "a lock that nobody holds" "shmem_clear_lock: no PE has the lock" clear
mistake "a lock that this PE holds" "shmem_set_lock: this PE has the lock" twice
mistake "a context that was not created" "shmem_ctx_int_p: .*SHMEM_CTX_INVALID" context
mistake "a PE that does not exist" "shmem_int_p: PE 7 does not exist" pe
run gshrun -n 2 ./mistake none
ok "without a mistake nothing is said" is "$status $(cat out)" "0 "
finish
