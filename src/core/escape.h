/* escape.h - the way out of a call that will not end, for calls that can return an error.
 *
 * With GSHMEM_SURVIVE such a call remembers where to go back to, and whoever would end this PE,
 * deep in the call, goes there. The job is lost all the same: what the call was doing is left
 * half done, and all that may follow is finalize.
 *
 *     struct gsh_escape here;
 *
 *     if (gsh_escape_wanted() && setjmp(gsh_escape_here(&here)->to))
 *         return an error, which has been said
 *     ...
 *     gsh_escape_end();
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_ESCAPE_H
#define GSH_CORE_ESCAPE_H

#include "core/env.h"
#include "core/log.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct gsh_escape {
    jmp_buf to;
};

/* Of the outermost call of this thread; NULL: none, or it cannot return an error. */
extern _Thread_local struct gsh_escape *gsh_escape;

static inline bool gsh_escape_wanted(void)
{
    return __builtin_expect(gsh_env.SURVIVE, 0);
}

static inline struct gsh_escape *gsh_escape_here(struct gsh_escape *here)
{
    return gsh_escape = here;
}

static inline void gsh_escape_end(void)
{
    gsh_escape = NULL;
}

/* Says it, and goes back to the call that can return an error, or ends the job. */
_Noreturn void gsh_escape_or_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* GSH_CORE_ESCAPE_H */
