/* soak.h - what the rounds of the soak test share.
 *
 * Every PE draws the operations of all PEs from the same seed, performs its own,
 * and keeps a model of the memory of all. A round begins and ends with all PEs
 * together. In between nobody's operation depends on the order of two PEs, but
 * where operations commute, so that the model has one outcome.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_SOAK_H
#define GSH_TESTS_SOAK_H

/* CUDA's types as a host program without CUDA may complete them. */
struct __half {
    unsigned short bits;
};
struct __nv_bfloat16 {
    unsigned short bits;
};

#include <nvshmem.h>
#include <nvshmemx.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>

enum { SOAK_PES = 16 };

extern int me, n_pes;
extern unsigned soak_seed;
extern unsigned long soak_step;

/* A row of numbers; equal beginnings give equal rows on all PEs. */
struct dice {
    uint64_t state;
};

/* The dice of this step: of all PEs (actor -1), or of one. */
struct dice soak_dice(int actor);
unsigned draw(struct dice *dice, unsigned limit);
/* Mostly small, 0 included, at most `most`. */
size_t draw_size(struct dice *dice, size_t most);
bool flip(struct dice *dice);

/* Byte i of the contents that a number names. */
static inline unsigned char byte_of(uint64_t name, size_t i)
{
    uint64_t x = (name + i) * UINT64_C(0x9e3779b97f4a7c15);

    return (unsigned char)(x >> 56 ^ x >> 20);
}

uint64_t name_of(uint64_t a, uint64_t b);
void fill(void *at, size_t bytes, uint64_t name);
/* Ends the job unless the bytes are those that `name` names, from byte `from` of it on. */
void expect(const void *at, size_t bytes, uint64_t name, size_t from, const char *what);
void expect_bytes(const void *at, const void *model, size_t bytes, const char *what);
void expect_value(const void *at, size_t bytes, unsigned char value, const char *what);

/* Says seed, step, round and PE, and ends the job. */
_Noreturn void soak_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Symmetric and private memory, zeroed; without it the test ends. */
void *need_symmetric(size_t bytes);
void *need_private(size_t bytes);

/* A way to meet, completing what this PE has put. */
void meet(struct dice *dice);

/* A team as all PEs know it. The handle is this PE's own, and valid on members only. */
struct soak_team {
    shmem_team_t handle;
    int n;
    int pes[SOAK_PES];
};

enum { SOAK_TEAMS = 24 };
extern struct soak_team soak_teams[SOAK_TEAMS];
extern int soak_n_teams;

/* This PE's rank in the team, or -1. */
int soak_rank(const struct soak_team *team);

void memory_setup(void);
void memory_round(void);
void words_setup(void);
void amo_round(void);
void ticket_round(void);
void signal_round(void);
void wait_round(void);
void lock_round(void);
void teams_setup(void);
void team_round(void);
void coll_setup(void);
void coll_round(void);
void heap_round(void);

#endif /* GSH_TESTS_SOAK_H */
