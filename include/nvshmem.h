/* nvshmem.h - the NVSHMEM interface, host part: umbrella of gshmem/ headers. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef NVSHMEM_H
#define NVSHMEM_H

#include <gshmem/amo.h>
#include <gshmem/coll.h>
#include <gshmem/memory.h>
#include <gshmem/rma.h>
#include <gshmem/setup.h>
#include <gshmem/signal.h>
#include <gshmem/team.h>
#include <gshmem/wait.h>

#endif /* NVSHMEM_H */
