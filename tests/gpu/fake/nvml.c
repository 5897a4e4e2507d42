/* nvml.c - a pretended libnvidia-ml: the calls that gshmem makes, for the GPUs of gpus.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpus.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#define CALL __attribute__((visibility("default"))) int

enum { OK, INVALID = 2, NOT_FOUND = 6, MOST_LINKS = 18 };

struct pci {
    char bus_short[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
};

/* A handle is the number of the GPU and one. */
static int gpu_of(const void *handle)
{
    return (int)(uintptr_t)handle - 1;
}

static void *stay(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/* The real one has threads of its own, which take signals that nobody blocks. */
CALL nvmlInit_v2(void)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, stay, NULL) ? INVALID : OK;
}

CALL nvmlSystemGetDriverVersion(char *text, unsigned bytes)
{
    return snprintf(text, bytes, "580.00") < 0;
}

CALL nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = (unsigned)(fake_number("FAKE_MIG", 0) ? 1 : fake_count());
    return OK;
}

CALL nvmlDeviceGetHandleByIndex_v2(unsigned i, void **handle)
{
    *handle = (void *)(uintptr_t)(i + 1);
    return i < (unsigned)fake_count() ? OK : INVALID;
}

CALL nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle)
{
    unsigned number = 0;

    if (sscanf(bus, "%*x:%x:", &number) != 1 || number > (unsigned)fake_count())
        return NOT_FOUND;
    *handle = (void *)(uintptr_t)number;
    return OK;
}

CALL nvmlDeviceGetName(void *handle, char *text, unsigned bytes)
{
    return !handle || snprintf(text, bytes, "Pretended GPU") < 0;
}

CALL nvmlDeviceGetUUID(void *handle, char *text, unsigned bytes)
{
    return snprintf(text, bytes, "GPU-00000000-0000-0000-0000-%012d", gpu_of(handle)) < 0;
}

static void fill_pci(int gpu, struct pci *pci)
{
    *pci = (struct pci){ .bus = (unsigned)fake_bus(gpu) };
    snprintf(pci->bus_id, sizeof(pci->bus_id), "00000000:%02X:00.0", pci->bus);
}

CALL nvmlDeviceGetPciInfo_v3(void *handle, struct pci *pci)
{
    fill_pci(gpu_of(handle), pci);
    return OK;
}

CALL nvmlDeviceGetMigMode(void *handle, unsigned *now, unsigned *next)
{
    *now = *next = handle && fake_number("FAKE_MIG", 0);
    return OK;
}

/* The GPU that a link leads to; -1 when there is no such link, the number of GPUs when it leads to
 * a switch. */
static int end_of(int gpu, unsigned link)
{
    unsigned first = 0;

    if (fake_switched())
        return link < (unsigned)fake_switched() ? fake_count() : -1;
    for (int other = 0; other < fake_count(); other++) {
        first += (unsigned)(other == gpu ? 0 : fake_pair("FAKE_NVLINK", gpu, other));
        if (link < first)
            return other;
    }
    return -1;
}

CALL nvmlDeviceGetNvLinkState(void *handle, unsigned link, int *active)
{
    *active = link < MOST_LINKS && end_of(gpu_of(handle), link) >= 0;
    return link < MOST_LINKS ? OK : INVALID;
}

CALL nvmlDeviceGetNvLinkRemoteDeviceType(void *handle, unsigned link, int *kind)
{
    *kind = end_of(gpu_of(handle), link) == fake_count() ? 2 : 0;
    return OK;
}

CALL nvmlDeviceGetNvLinkRemotePciInfo_v2(void *handle, unsigned link, struct pci *pci)
{
    fill_pci(end_of(gpu_of(handle), link), pci);
    return OK;
}

CALL nvmlDeviceGetP2PStatus(void *handle, void *peer, int capability, int *status)
{
    int a = gpu_of(handle), b = gpu_of(peer);
    bool linked = fake_switched() || fake_pair("FAKE_NVLINK", a, b);

    *status = capability == 2 ? (linked ? 0 : 5) : fake_peers(a, b) ? 0 : 3;
    return OK;
}
