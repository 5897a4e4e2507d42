/* physical.c - free memory as /proc/meminfo and the control group tell it. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/physical.h"
#include "util/fault.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

/* Where the memory limit of this process is kept: the folder of its control group,
 * of version 2, or of the memory controller of version 1. */
static void group_folder(char *folder, size_t bytes, bool *old)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[512];

    snprintf(folder, bytes, "/sys/fs/cgroup");
    *old = false;
    while (file && fgets(line, sizeof(line), file)) {
        char *path = strstr(line, "::/");
        char *memory = strstr(line, ":memory:/");

        line[strcspn(line, "\n")] = '\0';
        if (memory) {
            snprintf(folder, bytes, "/sys/fs/cgroup/memory%s", memory + strlen(":memory:"));
            *old = true;
            break;
        }
        if (path)
            snprintf(folder, bytes, "/sys/fs/cgroup%s", path + strlen("::"));
    }
    if (file)
        fclose(file);
}

static size_t group_number(const char *folder, const char *name)
{
    char path[640];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return read_number(path);
}

size_t gsh_physical_free(void)
{
    size_t bytes = available();
    char folder[600];
    bool old;

    group_folder(folder, sizeof(folder), &old);

    size_t most = group_number(folder, old ? "memory.limit_in_bytes" : "memory.max");
    size_t used = group_number(folder, old ? "memory.usage_in_bytes" : "memory.current");

    if (most != SIZE_MAX && used != SIZE_MAX)
        bytes = used >= most ? 0 : most - used < bytes ? most - used : bytes;
    return bytes;
}

bool gsh_physical_has(size_t bytes)
{
    return !gsh_fault_fails("physical") && bytes <= gsh_physical_free();
}
