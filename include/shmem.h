/* shmem.h - the OpenSHMEM interface: umbrella of gshmem/shmem/ headers.
 *
 * OpenSHMEM 1.5, with the deprecated calls and what 1.6 adds. In C11 each typed call has a
 * type-generic name as well. May be included together with nvshmem.h: the two are names
 * of one implementation.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef SHMEM_H
#define SHMEM_H

#include <gshmem/shmem/amo.h>
#include <gshmem/shmem/coll.h>
#include <gshmem/shmem/ctx.h>
#include <gshmem/shmem/deprecated.h>
#include <gshmem/shmem/lock.h>
#include <gshmem/shmem/memory.h>
#include <gshmem/shmem/rma.h>
#include <gshmem/shmem/setup.h>
#include <gshmem/shmem/signal.h>
#include <gshmem/shmem/team.h>
#include <gshmem/shmem/wait.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include <gshmem/shmem/generic.h>
#endif

#endif /* SHMEM_H */
