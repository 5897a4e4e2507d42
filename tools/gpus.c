/* gpus.c - see gpus.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpus.h"
#include "core/log.h"
#include "gpu/kernels.h"
#include "topo/gpus.h"
#include "topo/nvml.h"

#include <gshmem/cpu/engine.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* The memory that is near a place on the bus; -1 when that is not known. */
static int numa_node(hwloc_topology_t topology, const char *bus)
{
    hwloc_obj_t pci = hwloc_get_pcidev_by_busidstring(topology, bus);
    hwloc_obj_t around = pci ? hwloc_get_non_io_ancestor_obj(topology, pci) : NULL;

    return around && around->nodeset && hwloc_bitmap_weight(around->nodeset) == 1
               ? hwloc_bitmap_first(around->nodeset)
               : -1;
}

/* All GPUs of the machine, as the management library lists them. */
static void show_cards(hwloc_topology_t topology)
{
    struct gsh_nvml_gpu gpu;

    for (int i = 0; i < gsh_nvml_count(); i++) {
        if (!gsh_nvml_describe(i, &gpu))
            continue;
        printf("  GPU %-8d %s, %s", i, gpu.name, gpu.bus);
        if (numa_node(topology, gpu.bus) >= 0)
            printf(", NUMA node %d", numa_node(topology, gpu.bus));
        printf(", %s%s\n", gpu.uuid, gpu.mig ? ", divided into MIG instances" : "");
    }
}

/* Those that CUDA shows to this process. */
static void show_devices(void)
{
    struct gsh_gpu_card card;

    for (int i = 0; i < gsh_gpu_count(); i++)
        if (!gsh_gpu_describe(i, &card))
            printf("  device %-5d %s, %s, compute %d.%d, %d multiprocessors, %llu MiB, %d copy "
                   "engines%s\n",
                   i, card.name, card.bus, card.compute / 10, card.compute % 10,
                   card.multiprocessors, (unsigned long long)card.memory >> 20, card.copy_engines,
                   card.mps ? ", shared through MPS" : "");
}

static enum gsh_way way(int from, int to, int *links)
{
    struct gsh_gpu_card peer;

    *links = 0;
    return gsh_gpu_describe(to, &peer) ? GSH_WAY_REFUSED : gsh_way_between(from, &peer, links);
}

static void show_cell(int from, int to)
{
    int links;
    enum gsh_way by = way(from, to, &links);
    char text[16];

    if (from == to)
        snprintf(text, sizeof(text), "-");
    else if (links)
        snprintf(text, sizeof(text), "NV%d", links);
    else
        snprintf(text, sizeof(text), "%s", gsh_way_reaches(by) ? "PCI" : "no");
    printf(" %-4s", text);
}

/* The pairs that reach each other in this way, or do not for this reason. */
static void show_pairs(enum gsh_way by)
{
    int shown = 0, links;

    for (int from = 0; from < gsh_gpu_count(); from++) {
        for (int to = from + 1; to < gsh_gpu_count(); to++) {
            if (way(from, to, &links) != by)
                continue;
            if (!shown++)
                printf("  %-12s %s:", gsh_way_reaches(by) ? "PCI" : "no", gsh_way_words(by));
            printf(" %d-%d", from, to);
        }
    }
    if (shown)
        printf("\n");
}

/* The path of each pair. */
static void show_paths(void)
{
    int n = gsh_gpu_count();

    if (n < 2)
        return;
    printf("  %-12s", "paths to");
    for (int to = 0; to < n; to++)
        printf(" %-4d", to);
    printf("\n");
    for (int from = 0; from < n; from++) {
        printf("  from %-7d", from);
        for (int to = 0; to < n; to++)
            show_cell(from, to);
        printf("\n");
    }
    printf("  %-12s NVLink, with the number of links\n", "NV");
    for (enum gsh_way by = GSH_WAY_PCI; by < GSH_N_WAYS; by++)
        show_pairs(by);
}

static void show_mps(void)
{
    const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
    const char *share = getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    char path[4096];
    FILE *file;
    int pid = 0;

    folder = folder ? folder : "/tmp/nvidia-mps";
    snprintf(path, sizeof(path), "%s/nvidia-cuda-mps-control.pid", folder);
    file = fopen(path, "re");
    if (file && fscanf(file, "%d", &pid) != 1)
        pid = 0;
    if (file)
        fclose(file);
    if (pid > 0 && (!kill(pid, 0) || errno == EPERM))
        printf("  %-12s its daemon (pid %d) serves in %s%s%s\n", "MPS", pid, folder,
               share ? ", thread percentage " : "", share ? share : "");
    else
        printf("  %-12s no daemon serves in %s; gshrun --mps starts one for a job\n", "MPS",
               folder);
}

static void show_driver(int err)
{
    int version = gsh_gpu_cuda_version();

    if (err)
        printf("  %-12s not used: %s\n", "driver", gsh_last_error());
    else
        printf("  %-12s %s%sfor CUDA %d.%d\n", "driver", gsh_nvml_driver(),
               *gsh_nvml_driver() ? ", " : "", version / 1000, version % 1000 / 10);
}

static void show_cpu_device(void)
{
    printf("CPU device, for kernels of gshcc --target=cpu\n");
    printf("  %-12s one for each PE of the job on this machine, and all are its cores\n",
           "devices");
    printf("  %-12s compute %d.0, %d multiprocessors of %d threads, warps of %d, blocks of up to "
           "%d threads with %u KiB of shared memory\n",
           "each", GSH_CPU_COMPUTE, GSH_CPU_SMS, GSH_CPU_SM_THREADS, GSH_CPU_WARP,
           GSH_CPU_MAX_THREADS, GSH_CPU_SHARED_BYTES >> 10);
    printf("  %-12s PEs of a machine count as on one GPU\n\n", "paths");
}

void gsh_show_gpus(hwloc_topology_t topology)
{
    int err;

    printf("GPUs\n");
    if (gsh_nvml_open())
        printf("  %-12s not used: %s\n", "NVML", gsh_last_error());
    err = gsh_gpu_open();
    show_driver(err);
    show_cards(topology);
    if (!err) {
        show_devices();
        show_paths();
        show_mps();
    }
    printf("  %-12s %s\n\n", "kernels",
           gsh_kernels_image ? "the library has its own"
                             : "the library has none of its own, as it was built without nvcc: no "
                               "atomics and reductions of the host on GPU memory");
    show_cpu_device();
}
