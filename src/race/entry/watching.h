/* watching.h - is an access of the program to be told now? */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_RACE_ENTRY_WATCHING_H
#define GSH_RACE_ENTRY_WATCHING_H

#include <gshmem/cpu/engine.h>
#include <gshmem/cpu/race.h>
#include <stdbool.h>

static inline bool gsh_race_watching(void)
{
    return gsh_race_on && !(gsh_cpu_fiber && gsh_cpu_fiber->muted);
}

#endif /* GSH_RACE_ENTRY_WATCHING_H */
