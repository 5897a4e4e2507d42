/* gpus.h - which PE uses which GPU, and how the PEs of a host reach each other's GPU memory by
 * load and store.
 *
 * Known to all PEs of all pairs from the GPU stage on. Before it, and on the CPU device, all PEs
 * of a host count as on one GPU.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOPO_GPUS_H
#define GSH_TOPO_GPUS_H

#include "gpu/gpu.h"
#include "topo/nvml.h"

#include <stdbool.h>

/* X(way, reached, words): from best to worst; what is refused is in the order of
 * enum gsh_nvml_refusal. */
/* clang-format off */
#define GSH_WAYS(X) \
    X(SELF, true, "itself") \
    X(SAME_GPU, true, "the same GPU") \
    X(NVLINK, true, "NVLink") \
    X(PCI, true, "peer access over PCIe") \
    X(PCI_BARE, true, "peer access over PCIe, which has no atomics") \
    X(OTHER_HOST, false, "it is on another host") \
    X(DISABLED, false, "NVSHMEM_DISABLE_P2P is set") \
    X(HIDDEN, false, "its GPU is not visible here (CUDA_VISIBLE_DEVICES, or the container); let " \
                     "each PE see all GPUs, and choose by cudaSetDevice()") \
    X(OTHER_INSTANCE, false, "it is on another MIG instance, and instances cannot reach each " \
                             "other") \
    X(REFUSED, false, "the driver refuses peer access between the GPUs") \
    X(REFUSED_CHIPSET, false, "the chipset does not support peer access between the GPUs") \
    X(REFUSED_GPU, false, "the GPUs do not support peer access") \
    X(REFUSED_BUS, false, "the GPUs are on parts of the PCI bus that have no peer access") \
    X(REFUSED_SETTING, false, "a setting of the driver switches peer access off") \
    X(REFUSED_SYSTEM, false, "this system does not support peer access between the GPUs")
/* clang-format on */

enum gsh_way {
#define ROW(way, reached, words) GSH_WAY_##way,
    GSH_WAYS(ROW)
#undef ROW
        GSH_N_WAYS
};

const char *gsh_way_words(enum gsh_way way);
bool gsh_way_reaches(enum gsh_way way);

/* From a device of this process to the GPU of this card, without regard to hosts and settings.
 * The number of NVLinks goes to *links. NVML has to be open for links and reasons. */
enum gsh_way gsh_way_between(int device, const struct gsh_gpu_card *peer, int *links);

/* Collective over all PEs, with the cards of all; PE 0 warns of those that do not reach each
 * other. */
int gsh_topo_open_gpus(const struct gsh_gpu_card *cards);
void gsh_topo_close_gpus(void);

/* From one PE to another. */
enum gsh_way gsh_topo_way(int from, int to);
bool gsh_topo_mutual(int a, int b); /* each reaches the other */
bool gsh_topo_closed(void);         /* whom this PE reaches mutually, they all reach alike */

/* Do they load and store each other's memory, over NVLink or in one GPU? Any two PEs give the
 * same answer on all PEs. */
bool gsh_topo_linked(int a, int b);

/* A number that the PEs of one GPU have in common: that of the first of them. */
int gsh_topo_gpu(int pe);

/* PEs on the GPU of this one, itself included. */
int gsh_topo_sharers(void);

#endif /* GSH_TOPO_GPUS_H */
