/* watch.h - the thread of each PE that learns when another PE dies, and ends
 * this one when the job cannot go on.
 *
 * A PE that is blocked in a call of ours ends by itself and says what it waited
 * for (core/wait.c); one that computes is ended after a grace.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_WATCH_WATCH_H
#define GSH_WATCH_WATCH_H

#include "core/state.h"

/* Starts the thread where the boot method has a life line. */
int gsh_watch_start(void);
void gsh_watch_stop(void);

/* The process of the PE with this window has ended without gsh_watch_stop(). */
bool gsh_watch_is_dead(const struct gsh_inner *inner);

/* A transport reaches this PE no more: `why`, which stays. If the life line has not said within
 * some seconds what has become of the PE, it is lost. From any thread; the first one counts. */
void gsh_watch_suspect(int pe, const char *why);

/* Why the job must end, "" while it need not. */
const char *gsh_watch_cause(void);

#endif /* GSH_WATCH_WATCH_H */
