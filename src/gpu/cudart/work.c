/* work.c - what streams and graphs do: a function with its data, shared by those who queue
 * it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.h"

#include <stdatomic.h>
#include <stdlib.h>

struct gsh_work *gsh_work_new(const struct gsh_work *like)
{
    struct gsh_work *work = malloc(sizeof(*work));

    if (work) {
        *work = *like;
        atomic_init(&work->refs, 1);
    } else if (like->release) {
        like->release(like->data);
    }
    return work;
}

struct gsh_work *gsh_work_use(struct gsh_work *work)
{
    if (work)
        atomic_fetch_add(&work->refs, 1);
    return work;
}

void gsh_work_drop(struct gsh_work *work)
{
    if (!work || atomic_fetch_sub(&work->refs, 1) > 1)
        return;
    if (work->release)
        work->release(work->data);
    free(work);
}
