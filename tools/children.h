/* children.h - the processes whose parent is this one: its own, and those it has come to reap. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_TOOLS_CHILDREN_H
#define GSHMEM_TOOLS_CHILDREN_H

#include <sys/types.h>

/* Calls `each` with their pids. The list is of the moment: some may just have ended. */
void gsh_children(void (*each)(pid_t pid, void *ctx), void *ctx);

#endif /* GSHMEM_TOOLS_CHILDREN_H */
