/* gpus.h - the GPUs that the pretended libcuda and libnvidia-ml of this folder know, as the
 * environment describes them:
 *
 *   FAKE_GPUS=4             how many there are on the machine
 *   FAKE_NVLINK="0-1:4"     pairs with NVLinks, and how many; "switch:18": all, by switches
 *   FAKE_NO_PEER="0-2 1-2"  pairs without peer access
 *   FAKE_MIG=1              all are MIG instances of one GPU
 *   FAKE_MPS=1              contexts are shared through MPS
 *   FAKE_CUDA=11000         the version that the driver is for
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_FAKE_GPUS_H
#define GSH_TESTS_FAKE_GPUS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int fake_number(const char *name, int preset)
{
    const char *text = getenv(name);

    return text ? atoi(text) : preset;
}

static inline int fake_count(void)
{
    return fake_number("FAKE_GPUS", 4);
}

/* What a list of pairs says of one, 1 when it only names it; 0 when it does not. */
static inline int fake_pair(const char *list, int a, int b)
{
    const char *at = getenv(list);
    int x, y, value, length;

    for (; at && *at; at += length) {
        length = 0;
        value = 1;
        if (sscanf(at, " %d-%d%n:%d%n", &x, &y, &length, &value, &length) < 2)
            return 0;
        if ((x == a && y == b) || (x == b && y == a))
            return value;
    }
    return 0;
}

/* Links through switches; 0: there is none. */
static inline int fake_switched(void)
{
    const char *links = getenv("FAKE_NVLINK");

    return links && !strncmp(links, "switch:", 7) ? atoi(links + 7) : 0;
}

static inline bool fake_peers(int a, int b)
{
    return !fake_number("FAKE_MIG", 0) && !fake_pair("FAKE_NO_PEER", a, b);
}

/* The GPU that is device `device` of this process. */
static inline int fake_gpu_of(int device)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    for (; visible && device > 0; device--) {
        visible = strchr(visible, ',');
        visible = visible ? visible + 1 : "-1";
    }
    return !visible ? device : *visible ? atoi(visible) : -1;
}

/* The address of a GPU on the bus. */
static inline int fake_bus(int gpu)
{
    return fake_number("FAKE_MIG", 0) ? 1 : gpu + 1;
}

#endif /* GSH_TESTS_FAKE_GPUS_H */
