/* backing.c - memory of the machine and of a GPU for heaps that grow. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/backing.h"
#include "core/state.h"
#include "gpu/gpu.h"
#include "heap/device.h"
#include "heap/physical.h"
#include "heap/pin.h"
#include "heap/segment.h"

#include <stdio.h>

/* What has been touched of the machine's windows is there; the rest of what the heaps have,
 * touched or not, must still be free. */
static bool machine_has(size_t committed, size_t bytes)
{
    size_t each = gsh.span - gsh.heap_off + gsh.device_span + bytes;
    size_t all = each * (size_t)gsh_segment.n_here;
    size_t touched = gsh_segment_touched(&gsh_segment);

    (void)committed;
    return gsh_physical_has(all > touched ? all - touched : 0);
}

static void machine_tell_free(char *text, size_t bytes)
{
    snprintf(text, bytes, "this machine has %zu MiB free for %d PEs", gsh_physical_free() >> 20,
             gsh_segment.n_here);
}

static bool host_has(size_t committed, size_t bytes)
{
    return machine_has(committed, bytes) && !gsh_pin_more(gsh.heap_off + committed, bytes);
}

static int host_extend(bool all, size_t committed, size_t bytes)
{
    if (all)
        gsh.span = gsh.heap_off + committed + bytes;
    else
        gsh_pin_less(gsh.heap_off + committed);
    return 0;
}

static int cpu_extend(bool all, size_t committed, size_t bytes)
{
    if (all)
        gsh.device_span = committed + bytes;
    return 0;
}

static bool gpu_has(size_t committed, size_t bytes)
{
    (void)committed;
    return !gsh_device_heap_make(bytes);
}

static int gpu_extend(bool all, size_t committed, size_t bytes)
{
    (void)committed, (void)bytes;
    if (all)
        return gsh_device_heap_map();
    gsh_device_heap_drop();
    return 0;
}

static void gpu_tell_free(char *text, size_t bytes)
{
    size_t available = 0, all = 0;

    gsh_gpu_memory(&available, &all);
    snprintf(text, bytes, "the GPU has %zu of %zu MiB free", available >> 20, all >> 20);
}

const struct gsh_backing gsh_backing_host = { host_has, host_extend, machine_tell_free };
const struct gsh_backing gsh_backing_cpu = { machine_has, cpu_extend, machine_tell_free };
const struct gsh_backing gsh_backing_gpu = { gpu_has, gpu_extend, gpu_tell_free };
