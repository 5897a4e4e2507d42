/* Global and static variables are symmetric: initialised, zero and static in a function,
 * of any size, for every kind of operation; they keep their values and their addresses
 * over finalize and init, and a child of fork has its own. OpenSHMEM 1.5, section 3. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGS = 3000, MOST_PES = 64 }; /* LONGS: several pages */

int initialised = 77;
static long zero;
static long many[LONGS] = { 1, 2, 3 };
static long from_all[MOST_PES];
static unsigned char odd[4099];
static double real = 0.5;
static uint64_t arrived;
static int lock_word;
static short shorts[5] = { 1, 2, 3, 4, 5 };
static const int constant = 5;

static int *in_function(void)
{
    static int here = 9;

    return &here;
}

static void kept(void)
{
    CHECK(initialised == 77 && *in_function() == 9 && real == 0.5, "scalars");
    CHECK(zero == 0 && arrived == 0 && lock_word == 0, "zeros");
    CHECK(many[0] == 1 && many[1] == 2 && many[2] == 3 && many[3] == 0 && many[LONGS - 1] == 0,
          "array");
    CHECK(shorts[0] == 1 && shorts[4] == 5, "shorts");
    fact("init leaves all values as they were");
}

static void put_and_get(int me, int n)
{
    int next = (me + 1) % n, before = (me + n - 1) % n;
    long got[LONGS];
    unsigned char mine[sizeof(odd)];

    nvshmem_int_p(&initialised, 100 + me, next);
    nvshmem_int_p(in_function(), 200 + me, next);
    nvshmem_short_p(&shorts[3], (short)(300 + me), next);
    fill(mine, sizeof(mine), 5 + (unsigned)me);
    nvshmem_putmem(odd, mine, sizeof(mine), next);
    nvshmem_barrier_all();
    CHECK(initialised == 100 + before, "is %d", initialised);
    CHECK(*in_function() == 200 + before, "is %d", *in_function());
    CHECK(shorts[3] == 300 + before && shorts[2] == 3 && shorts[4] == 5, "is %d", shorts[3]);
    CHECK(differs(odd, sizeof(odd), 5 + (unsigned)before) == sizeof(odd), "byte %zu",
          differs(odd, sizeof(odd), 5 + (unsigned)before));
    fact("put reaches initialised, function-static and byte variables, and nothing beside them");

    nvshmem_barrier_all();
    for (int i = 0; i < LONGS; i++)
        many[i] = me * 10000L + i;
    nvshmem_barrier_all();
    nvshmem_long_get(got, many, LONGS, next);
    for (int i = 0; i < LONGS; i++)
        CHECK(got[i] == next * 10000L + i, "word %d is %ld", i, got[i]);
    CHECK(nvshmem_long_g(&many[LONGS - 1], before) == before * 10000L + LONGS - 1, "g");
    nvshmem_long_iput(many, got, 2, 1, 3, next);
    nvshmem_barrier_all();
    CHECK(many[2] == me * 10000L + 1 && many[4] == me * 10000L + 2, "strided %ld", many[2]);
    fact("get sees what the owner stored to an array of several pages, and strides work");
}

static void atomics(int me, int n)
{
    int got;

    nvshmem_barrier_all();
    for (int i = 0; i < 100; i++) {
        nvshmem_long_atomic_add(&zero, 1, 0);
        if (me == 0)
            __atomic_fetch_add(&zero, 1, __ATOMIC_RELAXED);
    }
    while (nvshmem_int_atomic_compare_swap(&lock_word, 0, me + 1, 0) != 0)
        sched_yield();
    nvshmem_double_put(&real, &(double){ nvshmem_double_g(&real, 0) + 1 }, 1, 0);
    nvshmem_quiet();
    got = nvshmem_int_atomic_swap(&lock_word, 0, 0);
    CHECK(got == me + 1, "the lock was of %d", got);
    nvshmem_barrier_all();
    if (me == 0) {
        CHECK(zero == 100L * (n + 1), "the sum is %ld", zero);
        CHECK(real == 0.5 + n, "%g under the lock", real);
    }
    fact("atomics on static variables are atomic towards each other and the owner's own");
}

static void signals(int me, int n)
{
    int next = (me + 1) % n;
    long mine[4] = { me, me, me, me };

    nvshmem_long_put_signal(&many[8], mine, 4, &arrived, 1, NVSHMEM_SIGNAL_ADD, next);
    CHECK(nvshmem_signal_wait_until(&arrived, NVSHMEM_CMP_EQ, 1) == 1, "signal");
    CHECK(many[8] == (me + n - 1) % n && many[11] == (me + n - 1) % n, "payload %ld", many[8]);
    nvshmem_barrier_all();
    nvshmem_long_p(&from_all[me], me + 1, next);
    nvshmem_long_wait_until(&from_all[(me + n - 1) % n], NVSHMEM_CMP_NE, 0);
    nvshmem_barrier_all();
    from_all[(me + n - 1) % n] = 0;
    fact("signals and waits work on static variables");
}

static void collectives(int me, int n)
{
    static long result[LONGS], blocks[MOST_PES * 3], source[MOST_PES * 3];
    long sum = (long)n * (n - 1) / 2;

    nvshmem_barrier_all();
    for (int i = 0; i < LONGS; i++)
        many[i] = me == n - 1 ? 7000 + i : 0;
    nvshmem_barrier_all();
    nvshmem_long_broadcast(NVSHMEM_TEAM_WORLD, many, many, LONGS, n - 1);
    for (int i = 0; i < LONGS; i++)
        CHECK(many[i] == 7000 + i, "broadcast %d is %ld", i, many[i]);
    nvshmem_barrier_all();
    for (int i = 0; i < LONGS; i++)
        many[i] = me + i;
    nvshmem_long_sum_reduce(NVSHMEM_TEAM_WORLD, result, many, LONGS);
    nvshmem_long_sum_reduce(NVSHMEM_TEAM_WORLD, many, many, LONGS);
    for (int i = 0; i < LONGS; i++)
        CHECK(result[i] == sum + (long)n * i && many[i] == result[i], "sum %d is %ld", i,
              result[i]);
    fact("broadcast and reduction work from and to static variables, in place as well");

    for (int i = 0; i < 3 * n; i++)
        source[i] = me * 100 + i;
    nvshmem_long_fcollect(NVSHMEM_TEAM_WORLD, blocks, source, 3);
    for (int i = 0; i < 3 * n; i++)
        CHECK(blocks[i] == i / 3 * 100 + i % 3, "fcollect %d is %ld", i, blocks[i]);
    nvshmem_barrier_all();
    nvshmem_long_alltoall(NVSHMEM_TEAM_WORLD, blocks, source, 3);
    for (int i = 0; i < 3 * n; i++)
        CHECK(blocks[i] == i / 3 * 100 + me * 3 + i % 3, "alltoall %d is %ld", i, blocks[i]);
    nvshmem_barrier_all();
    nvshmem_long_sum_reducescatter(NVSHMEM_TEAM_WORLD, result, source, 3);
    for (int i = 0; i < 3; i++)
        CHECK(result[i] == sum * 100 + (long)n * (me * 3 + i), "part %d is %ld", i, result[i]);
    fact("fcollect, alltoall and reducescatter work from and to static variables");
}

static void pointers(int me, int n)
{
    nvshmem_barrier_all();
    CHECK(nvshmem_ptr(&zero, me) == &zero, "own");
    CHECK(!nvshmem_ptr(&constant, me) && !nvshmem_ptr(&n, me), "constant and stack");
    zero = 40 + me;
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        const long *there = (const long *)nvshmem_ptr(&zero, pe);

        CHECK(!there || *there == 40 + pe, "pe %d", pe);
    }
    nvshmem_barrier_all();
    fact("nvshmem_ptr gives an alias of a static, which is the variable itself on its owner");
}

/* Both sides write at once; neither may see the other. */
static void forks(int me)
{
    static int told[2];
    char byte = 0;
    int status = -1;
    pid_t child;

    zero = 1000 + me;
    many[2000] = 5;
    CHECK(!pipe(told), "pipe");
    fflush(NULL);
    child = fork();
    if (child == 0) {
        int good = read(told[0], &byte, 1) == 1 && zero == 1000 + me && many[2000] == 5;

        zero = -1;
        many[2000] = -1;
        many[5] = -1;
        _exit(good ? 0 : 1);
    }
    zero = 2000 + me;
    many[2000] = 6;
    many[5] = 7;
    CHECK(write(told[1], &byte, 1) == 1, "pipe");
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with %#x", status);
    CHECK(zero == 2000 + me && many[2000] == 6 && many[5] == 7, "the parent has %ld", zero);
    close(told[0]);
    close(told[1]);
    CHECK(system("exit 3") == 3 << 8, "system");
    fact("a child of fork has the values of then, and its writes are its own");
    nvshmem_barrier_all();
}

static void again(int me, int n)
{
    nvshmem_barrier_all();
    zero = 500 + me;
    many[LONGS - 1] = 600 + me;
    nvshmem_finalize();
    CHECK(zero == 500 + me && many[LONGS - 1] == 600 + me, "after finalize");
    zero++;
    nvshmem_init();
    CHECK(zero == 501 + me, "after init");
    nvshmem_barrier_all();
    CHECK(nvshmem_long_g(&zero, (me + 1) % n) == 501 + (me + 1) % n, "get");
    nvshmem_barrier_all();
    nvshmem_long_p(&many[LONGS - 1], me, (me + 1) % n);
    nvshmem_barrier_all();
    CHECK(many[LONGS - 1] == (me + n - 1) % n, "put");
    fact("values stay over finalize and init, and are symmetric again");
}

int main(void)
{
    int me, n, status;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    if (n > MOST_PES)
        return skip_all("more than 64 PEs");
    kept();
    nvshmem_barrier_all();
    put_and_get(me, n);
    atomics(me, n);
    signals(me, n);
    collectives(me, n);
    pointers(me, n);
    forks(me);
    again(me, n);
    status = finish();
    nvshmem_finalize();
    return status;
}
