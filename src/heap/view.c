/* view.c - see view.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/view.h"
#include "core/log.h"
#include "heap/segment.h"
#include "util/fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What a buffer that is mapped from a file, or shared with other processes, means to the
 * program would end with its pages. */
static int is_private(const char *buffer, size_t bytes)
{
    uintptr_t at = (uintptr_t)buffer, end = at + bytes, first, last;
    FILE *file = fopen("/proc/self/maps", "re");
    char line[512], mode[8];

    while (file && at < end && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &first, &last, mode) != 3 || last <= at)
            continue;
        if (first > at || strncmp(mode, "rw", 2) || mode[3] != 'p')
            break;
        at = last;
    }
    if (file)
        fclose(file);
    return at >= end;
}

int gsh_view_check(const char *call, const char *buffer, size_t bytes)
{
    if (is_private(buffer, bytes))
        return 0;
    return gsh_miss(-EINVAL,
                    "%s: %zu bytes at %p are not private memory of this process that can be read "
                    "and written",
                    call, bytes, (const void *)buffer);
}

/* By the file, not by mremap(): UCX puts one of its own in the place of libc's, which forgets where
 * to. */
int gsh_view_begin(char *buffer, char *pages, size_t bytes)
{
    off_t off = pages - gsh_segment.windows[gsh_segment.here[0]];

    if (gsh_fault_fails("view.map"))
        return gsh_miss(-ENOMEM, "a fault was injected");
    memcpy(pages, buffer, bytes);
    if (mmap(buffer, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, gsh_segment.fd, off) ==
        MAP_FAILED)
        return gsh_miss(-errno, "cannot map symmetric memory at %p: %s", (void *)buffer,
                        strerror(errno));
    return 0;
}

void gsh_view_end(char *buffer, size_t bytes)
{
    char *copy = malloc(bytes);

    if (copy)
        memcpy(copy, buffer, bytes);
    if (!copy || mmap(buffer, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        gsh_log(GSH_WARN, GSH_HEAP, "the buffer at %p stays in shared memory: %s", (void *)buffer,
                strerror(errno));
    else
        memcpy(buffer, copy, bytes);
    free(copy);
}
