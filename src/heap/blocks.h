/* blocks.h - the blocks of one range of symmetric memory, as a team of PEs has them in step.
 *
 * All members make the same calls in the same order, so that their records are equal and a
 * block has the same offset on each. Arguments are compared by the signature of the call.
 * Only growth needs an answer from the others, since memory may be short on one of them: then
 * all vote before anything changes.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_BLOCKS_H
#define GSH_HEAP_BLOCKS_H

#include "coll/coll.h"
#include "heap/backing.h"

struct gsh_alloc;

/* Blocks are at base + the arena's offset. */
struct gsh_blocks {
    struct gsh_alloc *arena; /* NULL: not open */
    char *base;
    size_t window;    /* bytes from base to the end of the range */
    size_t limit;     /* bytes the arena may grow to, guards not counted */
    size_t step;      /* growth is a multiple of it where the limit allows it */
    size_t guards;    /* bytes of guards in it */
    bool checks;      /* blocks have guards */
    bool warned;      /* that it is full */
    const char *kind; /* of memory, for messages */
    const struct gsh_backing *from;
};

/* The arena, empty; all else has been filled in. */
int gsh_blocks_open(struct gsh_blocks *blocks);

/* Checks the guards, and reports what was not freed when `leaks`. */
void gsh_blocks_close(struct gsh_blocks *blocks, bool leaks);

/* A block of call->bytes at a multiple of `align`, after all members have come; NULL on all
 * when it is full. */
void *gsh_blocks_take(struct gsh_blocks *blocks, struct gsh_team *team, struct gsh_call *call,
                      size_t align, bool zero);

/* Frees the block at ptr when all members have come. Ends the job when none begins there. */
void gsh_blocks_give(struct gsh_blocks *blocks, struct gsh_team *team, struct gsh_call *call,
                     void *ptr);

/* The same without a meeting: `start` is an offset of the arena at which a block begins. */
void gsh_blocks_drop(struct gsh_blocks *blocks, size_t start);

/* The offset at which the block of ptr begins; ends the job when none does. */
size_t gsh_blocks_start(const struct gsh_blocks *blocks, const char *call, const void *ptr);

/* The live block that holds ptr, as the user knows it, and where it was allocated. False
 * when there is none. From any thread. */
bool gsh_blocks_find(const struct gsh_blocks *blocks, const void *ptr, const char **start,
                     size_t *bytes, const void **where);

#endif /* GSH_HEAP_BLOCKS_H */
