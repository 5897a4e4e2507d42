/* nvml.h - what NVIDIA's management library knows of the GPUs of this machine; loaded at run
 * time. It makes no context, and sees the GPUs that CUDA_VISIBLE_DEVICES hides as well.
 *
 * A GPU is named by its address on the PCI bus, as the driver writes it: "0000:1b:00.0".
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOPO_NVML_H
#define GSH_TOPO_NVML_H

#include <stdbool.h>

struct gsh_nvml_gpu {
    char bus[16];
    char name[96];
    char uuid[96];
    bool mig; /* it is divided into instances */
};

/* -ENODEV, with the reason in gsh_last_error(), when there is none. It stays open until the process
 * ends: gshrun still had a second thread after NVML's shutdown. */
int gsh_nvml_open(void);

/* The version of the driver; "" when it is not known. */
const char *gsh_nvml_driver(void);

int gsh_nvml_count(void);
/* GPU `i`; false when it cannot be asked. */
bool gsh_nvml_describe(int i, struct gsh_nvml_gpu *gpu);

/* NVLinks between two GPUs, direct ones or through switches; 0 where there is none, and where
 * the library is not there. */
int gsh_nvml_links(const char *bus, const char *peer);

/* Why the driver refuses access between two GPUs. */
enum gsh_nvml_refusal {
    GSH_NVML_NO_REASON,
    GSH_NVML_CHIPSET,
    GSH_NVML_GPU,
    GSH_NVML_BUS,
    GSH_NVML_SETTING,
    GSH_NVML_SYSTEM,
};
enum gsh_nvml_refusal gsh_nvml_refusal(const char *bus, const char *peer);

#endif /* GSH_TOPO_NVML_H */
