/* remote.c - wakes who carries out what threads of kernels want at PEs that they cannot load
 * from and store to.
 *
 * That needs more stack than the thread may have, and is done on that of the block.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cpu/block.h"
#include "gpu/state.h"

static void wake(struct block *block)
{
    (void)block;
    gsh_proxy_bell(&gsh_device_proxy);
}

void gsh_cpu_ring_bell(void)
{
    struct block *block;

    if (!gsh_proxy_needs_bell(&gsh_device_proxy))
        return;
    block = gsh_cpu_enter_block("a command");
    gsh_cpu_at_home(block, wake);
    gsh_cpu_leave_block(block);
}
