/* gpus.h - the part of gshinfo about GPUs and what stands in for them. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOOLS_GPUS_H
#define GSH_TOOLS_GPUS_H

#include <hwloc.h>

void gsh_show_gpus(hwloc_topology_t topology);

#endif /* GSH_TOOLS_GPUS_H */
