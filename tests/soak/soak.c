/* Random operations of all kinds, on random teams and of random sizes, have the outcome that a
 * sequential model gives them.
 *
 * SOAK_SECONDS (5), SOAK_SEED (1) and SOAK_STEPS (as many as there is time for) are
 * read from the environment. A fault is shown with the seed and the step; the same
 * seed and number of PEs give the same operations again. */
// SPDX-License-Identifier: BSD-3-Clause
#include "soak.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int me, n_pes;
unsigned soak_seed;
unsigned long soak_step;

static const struct kind {
    const char *name;
    void (*round)(void);
    unsigned weight;
} all_kinds[] = {
    { "put and get", memory_round, 24 },  { "atomics", amo_round, 12 },
    { "tickets", ticket_round, 6 },       { "put with signal", signal_round, 14 },
    { "wait and test", wait_round, 10 },  { "locks", lock_round, 3 },
    { "teams", team_round, 8 },           { "collectives", coll_round, 28 },
    { "symmetric heap", heap_round, 10 },
};
enum { N_KINDS = sizeof(all_kinds) / sizeof(all_kinds[0]) };

static unsigned long counts[N_KINDS];
static const char *round_name = "setup";
static int *stop; /* symmetric: time is up on this PE, and on PE 0 */

uint64_t name_of(uint64_t a, uint64_t b)
{
    uint64_t x = (a + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9) ^ b;

    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

struct dice soak_dice(int actor)
{
    return (struct dice){ name_of(name_of(soak_seed, soak_step), (uint64_t)(actor + 1)) };
}

unsigned draw(struct dice *dice, unsigned limit)
{
    dice->state = name_of(dice->state, 77);
    return (unsigned)(dice->state >> 16) % limit;
}

size_t draw_size(struct dice *dice, size_t most)
{
    static const size_t bounds[] = { 9, 65, 300, 4097, 40000, SIZE_MAX - 1 };
    size_t bound = bounds[draw(dice, 6)];

    return draw(dice, (unsigned)(bound < most ? bound : most) + 1);
}

bool flip(struct dice *dice)
{
    return draw(dice, 2);
}

_Noreturn void soak_fail(const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    printf("not ok 1 - seed %u, step %lu, %d PEs: %s: PE %d: %s\n", soak_seed, soak_step, n_pes,
           round_name, me, text);
    fflush(stdout);
    shmem_global_exit(1);
    abort(); /* not reached */
}

void fill(void *at, size_t bytes, uint64_t name)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)at)[i] = byte_of(name, i);
}

void expect(const void *at, size_t bytes, uint64_t name, size_t from, const char *what)
{
    const unsigned char *p = at;

    for (size_t i = 0; i < bytes; i++)
        if (p[i] != byte_of(name, from + i))
            soak_fail("%s: byte %zu of %zu is %02x, not %02x", what, i, bytes, p[i],
                      byte_of(name, from + i));
}

void expect_bytes(const void *at, const void *model, size_t bytes, const char *what)
{
    const unsigned char *p = at, *m = model;

    for (size_t i = 0; memcmp(p, m, bytes) && i < bytes; i++)
        if (p[i] != m[i])
            soak_fail("%s: byte %zu of %zu is %02x, not %02x", what, i, bytes, p[i], m[i]);
}

void expect_value(const void *at, size_t bytes, unsigned char value, const char *what)
{
    const unsigned char *p = at;

    for (size_t i = 0; i < bytes; i++)
        if (p[i] != value)
            soak_fail("%s: byte %zu of %zu is %02x, not %02x", what, i, bytes, p[i], value);
}

static void *checked(void *memory, size_t bytes)
{
    if (!memory)
        soak_fail("no %zu bytes of memory: %s", bytes, nvshmemx_last_error());
    return memory;
}

void *need_symmetric(size_t bytes)
{
    return checked(shmem_calloc(1, bytes), bytes);
}

void *need_private(size_t bytes)
{
    return checked(calloc(1, bytes), bytes);
}

void meet(struct dice *dice)
{
    switch (draw(dice, 4)) {
    case 0:
        shmem_quiet();
        shmem_sync_all();
        break;
    case 1:
        nvshmem_barrier(NVSHMEM_TEAM_WORLD);
        break;
    case 2:
        shmem_quiet();
        shmem_team_sync(SHMEM_TEAM_WORLD);
        break;
    default:
        shmem_barrier_all();
    }
}

static void one_round(void)
{
    struct dice dice = soak_dice(-2);
    unsigned sum = 0, at;

    for (int i = 0; i < N_KINDS; i++)
        sum += all_kinds[i].weight;
    at = draw(&dice, sum);
    for (int i = 0; i < N_KINDS; i++) {
        if (at < all_kinds[i].weight) {
            counts[i]++;
            round_name = all_kinds[i].name;
            all_kinds[i].round();
            return;
        }
        at -= all_kinds[i].weight;
    }
}

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? atol(text) : otherwise;
}

/* PE 0 has the clock; all are told at the same step. */
static bool is_over(time_t end, unsigned long steps)
{
    if (soak_step == steps)
        return true;
    if (soak_step % 32)
        return false;
    stop[0] = time(NULL) >= end;
    shmem_int_broadcast(SHMEM_TEAM_WORLD, &stop[1], stop, 1, 0);
    shmem_sync_all();
    return stop[1];
}

static void report(void)
{
    for (int i = 0; i < N_KINDS; i++)
        printf("# %8lu rounds of %s\n", counts[i], all_kinds[i].name);
    printf("ok 1 - %lu rounds on %d PEs with seed %u go as the model says\n1..1\n", soak_step,
           n_pes, soak_seed);
    fflush(stdout);
}

int main(void)
{
    unsigned long steps = (unsigned long)setting("SOAK_STEPS", -1);
    time_t end = time(NULL) + setting("SOAK_SECONDS", 5);

    soak_seed = (unsigned)setting("SOAK_SEED", 1);
    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    if (n_pes > SOAK_PES)
        soak_fail("at most %d PEs", SOAK_PES);
    stop = need_symmetric(2 * sizeof(*stop));
    memory_setup();
    words_setup();
    teams_setup();
    coll_setup();
    shmem_barrier_all();
    for (; !is_over(end, steps); soak_step++)
        one_round();
    if (me == 0)
        report();
    shmem_finalize();
    return 0;
}
