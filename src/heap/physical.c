/* physical.c - free memory as /proc/meminfo and the control group tell it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/physical.h"
#include "util/fault.h"

#include <stdint.h>
#include <stdio.h>

static size_t available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    size_t kib = SIZE_MAX >> 10;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "MemAvailable: %zu", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib << 10;
}

/* A number in a file; SIZE_MAX when there is none, as for "max". */
static size_t read_number(const char *path)
{
    FILE *file = fopen(path, "re");
    size_t value = SIZE_MAX;

    if (!file)
        return SIZE_MAX;
    if (fscanf(file, "%zu", &value) != 1)
        value = SIZE_MAX;
    fclose(file);
    return value;
}

size_t gsh_physical_free(void)
{
    size_t bytes = available();
    size_t most = read_number("/sys/fs/cgroup/memory.max");
    size_t used = read_number("/sys/fs/cgroup/memory.current");

    if (most != SIZE_MAX && used != SIZE_MAX)
        bytes = used >= most ? 0 : most - used < bytes ? most - used : bytes;
    return bytes;
}

bool gsh_physical_has(size_t bytes)
{
    return !gsh_fault_fails("physical") && bytes <= gsh_physical_free();
}
