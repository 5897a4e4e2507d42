/* space.c - tells shared and local memory by their addresses. Shared memory is the block's
 * dynamic part and the thread-local variables of the operating-system thread that runs it;
 * local memory is on the stacks of the block. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/cpu/block.h"

#include <link.h>

static bool within(const void *address, const void *start, size_t bytes)
{
    return start && (uintptr_t)address - (uintptr_t)start < bytes;
}

/* True for the module whose thread-local variables the address is among. */
static int has_variable(struct dl_phdr_info *module, size_t bytes, void *address)
{
    (void)bytes;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_TLS &&
            within(address, module->dlpi_tls_data, module->dlpi_phdr[i].p_memsz))
            return 1;
    return 0;
}

enum gsh_cpu_space gsh_cpu_space(const void *address)
{
    const struct block *block = gsh_cpu_block;

    if (!gsh_cpu_fiber)
        return GSH_CPU_GLOBAL;
    if (within(address, block->slab.map, block->slab.bytes))
        return GSH_CPU_LOCAL;
    if (within(address, block->shared, block->shared_bytes) ||
        dl_iterate_phdr(has_variable, (void *)(uintptr_t)address))
        return GSH_CPU_SHARED;
    return GSH_CPU_GLOBAL;
}
