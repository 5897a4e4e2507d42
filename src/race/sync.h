/* sync.h - places at which knowledge is released and acquired, for all PEs of the job. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_RACE_SYNC_H
#define GSH_RACE_SYNC_H

#include "race/know.h"

#include <stddef.h>

/* The name of a place: an address, which in symmetric memory is that of all PEs. */
uint64_t gsh_race_place(const void *address);

/* Adds what is known, and a few moments besides, to what was released there. */
void gsh_race_sync_release(uint64_t place, struct gsh_race_know *know, struct gsh_race_list more);
/* Adds what was released there. */
void gsh_race_sync_acquire(uint64_t place, struct gsh_race_know **know);
void gsh_race_sync_forget(uint64_t place);
/* Of all places in the memory. */
void gsh_race_sync_forget_all(const void *at, size_t bytes);

/* Nobody else is between the two for this word. */
void gsh_race_sync_lock(uint64_t place);
void gsh_race_sync_unlock(uint64_t place);

/* Gives back the copy of a value. */
void gsh_race_sync_drop(uint32_t copy);

#endif /* GSH_RACE_SYNC_H */
