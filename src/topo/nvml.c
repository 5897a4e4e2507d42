/* nvml.c - find libnvidia-ml and ask it. Facts of its interface; no header of NVIDIA's is
 * needed. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "topo/nvml.h"
#include "core/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct nvml_device;

struct nvml_pci {
    char bus_short[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
};

enum {
    MOST_LINKS = 36, /* of one GPU; some of these numbers are none */
    LINK_TO_GPU = 0, /* what a link leads to */
    LINK_TO_SWITCH = 2,
    P2P_READ = 0, /* capabilities of a pair */
    P2P_NVLINK = 2,
};

/* X(name here, symbol, parameters) */
/* clang-format off */
#define CALLS(X) \
    X(init, nvmlInit_v2, (void)) \
    X(driver, nvmlSystemGetDriverVersion, (char *text, unsigned bytes)) \
    X(count, nvmlDeviceGetCount_v2, (unsigned *n)) \
    X(by_index, nvmlDeviceGetHandleByIndex_v2, (unsigned i, struct nvml_device **device)) \
    X(by_bus, nvmlDeviceGetHandleByPciBusId_v2, (const char *bus, struct nvml_device **device)) \
    X(name, nvmlDeviceGetName, (struct nvml_device *device, char *text, unsigned bytes)) \
    X(uuid, nvmlDeviceGetUUID, (struct nvml_device *device, char *text, unsigned bytes)) \
    X(pci, nvmlDeviceGetPciInfo_v3, (struct nvml_device *device, struct nvml_pci *pci)) \
    X(mig, nvmlDeviceGetMigMode, (struct nvml_device *device, unsigned *now, unsigned *next)) \
    X(link_state, nvmlDeviceGetNvLinkState, (struct nvml_device *device, unsigned link, \
                                             int *active)) \
    X(link_kind, nvmlDeviceGetNvLinkRemoteDeviceType, (struct nvml_device *device, \
                                                       unsigned link, int *kind)) \
    X(link_pci, nvmlDeviceGetNvLinkRemotePciInfo_v2, (struct nvml_device *device, \
                                                      unsigned link, struct nvml_pci *pci)) \
    X(p2p, nvmlDeviceGetP2PStatus, (struct nvml_device *device, struct nvml_device *peer, \
                                    int capability, int *status))
/* clang-format on */

static struct {
    void *library; /* NULL: not open */
#define ROW(name, symbol, params) int(*name) params;
    CALLS(ROW)
#undef ROW
    char version[96];
} nvml;

static const struct {
    const char *symbol;
    size_t off;
} calls[] = {
#define ROW(name, symbol, params) { #symbol, offsetof(__typeof__(nvml), name) },
    CALLS(ROW)
#undef ROW
};

static int give_up(int err)
{
    dlclose(nvml.library);
    nvml.library = NULL;
    return err;
}

int gsh_nvml_open(void)
{
    int error;

    if (nvml.library)
        return 0;
    nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml.library)
        return gsh_miss(-ENODEV, "no NVML: %s", dlerror());
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        void *call = dlsym(nvml.library, calls[i].symbol);

        if (!call)
            return give_up(gsh_miss(-ENODEV, "NVML is too old: it has no %s", calls[i].symbol));
        memcpy((char *)&nvml + calls[i].off, &call, sizeof(call));
    }
    error = nvml.init();
    if (error)
        return give_up(gsh_miss(-ENODEV, "NVML does not start (its error %d)", error));
    if (nvml.driver(nvml.version, sizeof(nvml.version)))
        nvml.version[0] = '\0';
    return 0;
}

const char *gsh_nvml_driver(void)
{
    return nvml.library ? nvml.version : "";
}

int gsh_nvml_count(void)
{
    unsigned n = 0;

    return nvml.library && !nvml.count(&n) ? (int)n : 0;
}

/* NVML writes domains with 8 digits and the driver with 4, in either case of letters. */
static bool write_bus(char bus[16], const struct nvml_pci *pci)
{
    unsigned function = 0;
    const char *dot = strrchr(pci->bus_id, '.');

    if (dot)
        sscanf(dot, ".%x", &function);
    return snprintf(bus, 16, "%04x:%02x:%02x.%x", pci->domain, pci->bus, pci->device, function) <
           16;
}

bool gsh_nvml_describe(int i, struct gsh_nvml_gpu *gpu)
{
    struct nvml_device *device;
    struct nvml_pci pci = { 0 };
    unsigned mig = 0, next;

    *gpu = (struct gsh_nvml_gpu){ 0 };
    if (!nvml.library || nvml.by_index((unsigned)i, &device) || nvml.pci(device, &pci) ||
        !write_bus(gpu->bus, &pci) || nvml.name(device, gpu->name, sizeof(gpu->name)) ||
        nvml.uuid(device, gpu->uuid, sizeof(gpu->uuid)))
        return false;
    gpu->mig = !nvml.mig(device, &mig, &next) && mig;
    return true;
}

/* Both GPUs of a pair. */
static bool find(const char *bus, const char *peer, struct nvml_device *pair[2])
{
    return nvml.library && !nvml.by_bus(bus, &pair[0]) && !nvml.by_bus(peer, &pair[1]);
}

/* Active links of a GPU that lead to `peer`, and to switches. */
static void count_links(struct nvml_device *device, const char *peer, int *direct, int *switched)
{
    *direct = *switched = 0;
    for (unsigned link = 0; link < MOST_LINKS; link++) {
        struct nvml_pci pci = { 0 };
        char bus[16];
        int active = 0, kind = -1;

        if (nvml.link_state(device, link, &active) || !active ||
            nvml.link_kind(device, link, &kind))
            continue;
        *switched += kind == LINK_TO_SWITCH;
        *direct += kind == LINK_TO_GPU && !nvml.link_pci(device, link, &pci) &&
                   write_bus(bus, &pci) && !strcasecmp(bus, peer);
    }
}

int gsh_nvml_links(const char *bus, const char *peer)
{
    struct nvml_device *pair[2];
    int status = -1, direct, switched, back;

    if (!find(bus, peer, pair) || nvml.p2p(pair[0], pair[1], P2P_NVLINK, &status) || status)
        return 0;
    count_links(pair[0], peer, &direct, &switched);
    if (direct)
        return direct;
    count_links(pair[1], bus, &direct, &back);
    if (back < switched)
        switched = back;
    /* The driver knows of a link that has no number. */
    return switched ? switched : 1;
}

enum gsh_nvml_refusal gsh_nvml_refusal(const char *bus, const char *peer)
{
    struct nvml_device *pair[2];
    int status = 0;

    if (!find(bus, peer, pair) || nvml.p2p(pair[0], pair[1], P2P_READ, &status) || status < 0 ||
        status > GSH_NVML_SYSTEM)
        return GSH_NVML_NO_REASON;
    return (enum gsh_nvml_refusal)status;
}
