/* What is released at a word is acquired there, at little cost, until its memory is freed. */
// SPDX-License-Identifier: BSD-3-Clause
#include "race/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WORDS = 1000, THREADS = 64 };

static int n, failed;
static uint32_t words[WORDS];

static void ok(bool good, const char *fact)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++n, fact);
    failed |= !good;
}

static bool set_up(void)
{
    gsh_race.shared = calloc(1, sizeof(*gsh_race.shared));
    gsh_race.arena = mmap(NULL, GSH_RACE_ARENA, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return gsh_race.shared && gsh_race.arena != MAP_FAILED;
}

static uint64_t thread(uint64_t grid, uint64_t rank)
{
    return gsh_race_key(0, grid, 1, rank + 1);
}

/* Thread `rank`, which knows `know`, releases its moment at the word. */
static void release(const void *word, struct gsh_race_know *know, uint64_t rank)
{
    struct gsh_race_entry own = { .key = thread(9, rank), .clock = 7 };

    gsh_race_sync_release(gsh_race_place(word), know, (struct gsh_race_list){ &own, 1 });
}

static bool is_acquired(const void *word, uint64_t key, uint32_t clock)
{
    struct gsh_race_know *know = NULL;
    bool found;

    gsh_race_sync_acquire(gsh_race_place(word), &know);
    found = gsh_race_know_has(know, key, clock);
    gsh_race_know_drop(know);
    return found;
}

/* What a block with many entries knows. */
static struct gsh_race_know *many(void)
{
    struct gsh_race_know *know = NULL;

    for (uint64_t rank = 0; rank < THREADS; rank++)
        gsh_race_know_raise(&know, thread(3, rank), 5);
    return know;
}

static uint32_t used(void)
{
    return gsh_race.shared->arena_used;
}

static void cheap(struct gsh_race_know *know)
{
    uint32_t before;

    release(&words[0], know, 0);
    ok(is_acquired(&words[0], thread(3, 5), 5) && is_acquired(&words[0], thread(9, 0), 7) &&
           !is_acquired(&words[0], thread(9, 1), 1),
       "who acquires knows what the one who released knew, and its own moment");
    ok(!is_acquired(&words[1], thread(9, 0), 1), "who acquires elsewhere knows nothing");
    before = used();
    for (int i = 1; i < WORDS; i++)
        release(&words[i], know, 0);
    ok(used() - before == WORDS - 1, "another word of the same block costs 64 bytes");
    before = used();
    for (uint64_t rank = 1; rank < THREADS; rank++)
        release(&words[0], know, rank);
    ok(is_acquired(&words[0], thread(9, THREADS - 1), 7) && used() - before < 100,
       "threads of a block that release at one word add a moment each");
}

/* What the place refers to gives way to what knows more. */
static void renewed(struct gsh_race_know *know)
{
    struct gsh_race_know *more = gsh_race_know_use(know);

    gsh_race_know_cover(&more, gsh_race_key(0, 9, 0, 0), GSH_RACE_ALL);
    gsh_race_sync_release(gsh_race_place(&words[0]), more, (struct gsh_race_list){ 0 });
    ok(is_acquired(&words[0], thread(9, 77), 1000) && is_acquired(&words[0], thread(3, 0), 5),
       "what is released later is added");
    gsh_race_know_drop(more);
}

static void given_back(struct gsh_race_know *know)
{
    uint32_t before = used();

    gsh_race_sync_forget_all(&words[1], sizeof(words) - sizeof(words[0]));
    ok(!is_acquired(&words[1], thread(9, 0), 7) && !is_acquired(&words[WORDS - 1], thread(9, 0), 7),
       "words of memory that is freed are forgotten");
    ok(is_acquired(&words[0], thread(9, 0), 7), "words beside it are not");
    for (int i = 1; i < WORDS; i++)
        release(&words[i], know, 0);
    ok(used() == before, "their memory is used again");
    gsh_race_sync_forget(gsh_race_place(&words[0]));
    ok(!is_acquired(&words[0], thread(9, 0), 7), "a single word is forgotten");
}

static void short_of_memory(struct gsh_race_know *know)
{
    gsh_race.shared->arena_used = GSH_RACE_ARENA / 2 / 64;
    for (uint64_t rank = 0; rank < THREADS; rank++)
        release(&words[0], know, rank);
    ok(used() - GSH_RACE_ARENA / 2 / 64 <= 2 && is_acquired(&words[0], thread(9, 5), 7),
       "with little memory left, threads of a block are one moment");
}

int main(void)
{
    struct gsh_race_know *know = many();

    if (!set_up()) {
        printf("no memory\n");
        return 77;
    }
    cheap(know);
    renewed(know);
    given_back(know);
    short_of_memory(know);
    gsh_race_know_drop(know);
    printf("1..%d\n", n);
    return failed;
}
