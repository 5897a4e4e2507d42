/* devices.c - how many CPU devices there are. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/state.h"
#include "heap/segment.h"

#include <gshmem/cpu/engine.h>

#include <stdlib.h>

/* Before init only the launcher may have said how many of its processes are here. */
static const char *const launchers[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                         "SLURM_STEP_TASKS_PER_NODE" };

int gsh_cpu_devices(void)
{
    int n = gsh.n_init ? gsh_segment.n_here : 0;

    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]) && n < 1; i++)
        if (getenv(launchers[i]))
            n = atoi(getenv(launchers[i]));
    return n < 1 ? 1 : n;
}
