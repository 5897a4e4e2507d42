/* key.h - names of who acts in a job, in 64 bits, and the moments of their clocks.
 *
 *     | domain 2 | PE 8 | grid 20 | block 20 | thread 11 | free 3 |
 *
 * A thread of the host has grid 0 and block 0; kernels count their grids from 1 on. The
 * thread is its number plus 1; those that serve streams count from 1025 on. Coarser names stand for
 * all that they hold: thread 1025 + w for warp w, thread 0 for the block, block 0 for the grid
 * (blocks count from 1), and grid 0 with thread 0 for a row of grids that have ended. Numbers
 * beyond the bits begin again at the first: then two are taken for one, and a race between them is
 * not seen.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_RACE_KEY_H
#define GSH_RACE_KEY_H

#include <stdint.h>

/* Who makes an access: the thread itself; a put or get that it has begun, which is known to
 * be over only after a fence or quiet; the payload of a put with a signal, which is known
 * to be over by its signal as well. */
enum gsh_race_domain { GSH_RACE_THREAD, GSH_RACE_ASYNC, GSH_RACE_PAYLOAD };

enum {
    GSH_RACE_DOMAIN_BIT = 62,
    GSH_RACE_PE_BIT = 54,
    GSH_RACE_GRID_BIT = 34,
    GSH_RACE_BLOCK_BIT = 14,
    GSH_RACE_THREAD_BIT = 3,
    GSH_RACE_FIRST_WARP = 1025,   /* as a thread */
    GSH_RACE_FIRST_STREAM = 1025, /* of the host's threads: those that serve streams */
};

#define GSH_RACE_ALL ((1u << 28) - 1) /* a clock that never comes: all of it */

static inline uint64_t gsh_race_key(unsigned pe, uint64_t grid, uint64_t block, uint64_t thread)
{
    return (uint64_t)(pe & 0xff) << GSH_RACE_PE_BIT |
           (grid ? (grid - 1) % 0xfffff + 1 : 0) << GSH_RACE_GRID_BIT |
           (block ? (block - 1) % 0xfffff + 1 : 0) << GSH_RACE_BLOCK_BIT |
           thread << GSH_RACE_THREAD_BIT;
}

static inline unsigned gsh_race_key_pe(uint64_t key)
{
    return key >> GSH_RACE_PE_BIT & 0xff;
}

static inline uint32_t gsh_race_key_grid(uint64_t key)
{
    return key >> GSH_RACE_GRID_BIT & 0xfffff;
}

static inline uint32_t gsh_race_key_block(uint64_t key)
{
    return key >> GSH_RACE_BLOCK_BIT & 0xfffff;
}

static inline uint32_t gsh_race_key_thread(uint64_t key)
{
    return key >> GSH_RACE_THREAD_BIT & 0x7ff;
}

static inline enum gsh_race_domain gsh_race_key_domain(uint64_t key)
{
    return (enum gsh_race_domain)(key >> GSH_RACE_DOMAIN_BIT);
}

static inline uint64_t gsh_race_in_domain(uint64_t key, enum gsh_race_domain domain)
{
    return (key & (UINT64_MAX >> 2)) | (uint64_t)domain << GSH_RACE_DOMAIN_BIT;
}

/* The coarser names of a thread's key. */
static inline uint64_t gsh_race_block_of(uint64_t key)
{
    return key & ~(UINT64_C(0x7ff) << GSH_RACE_THREAD_BIT);
}

static inline uint64_t gsh_race_grid_of(uint64_t key)
{
    return key & ~((UINT64_C(1) << GSH_RACE_GRID_BIT) - 1);
}

static inline uint64_t gsh_race_pe_of(uint64_t key)
{
    return key & ~((UINT64_C(1) << GSH_RACE_PE_BIT) - 1);
}

static inline uint64_t gsh_race_warp_of(uint64_t key)
{
    uint32_t thread = gsh_race_key_thread(key);

    if (!gsh_race_key_grid(key) || thread == 0 || thread >= GSH_RACE_FIRST_WARP)
        return key;
    return gsh_race_block_of(key) | (uint64_t)(GSH_RACE_FIRST_WARP + (thread - 1) / 32)
                                        << GSH_RACE_THREAD_BIT;
}

#endif /* GSH_RACE_KEY_H */
