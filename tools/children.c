/* children.c - see children.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "children.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0: there is no such process any more. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512], *end;
    size_t got = 0;
    FILE *file;
    int parent;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "re");
    if (file) {
        got = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
    }
    text[got] = '\0';
    end = strrchr(text, ')'); /* of the name, which may have any characters */
    return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* The kernel's own list of children is not on every system. */
void gsh_children(void (*each)(pid_t pid, void *ctx), void *ctx)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;

    while (all && (entry = readdir(all))) {
        pid_t pid = atoi(entry->d_name);

        if (pid > 0 && parent_of(pid) == getpid())
            each(pid, ctx);
    }
    if (all)
        closedir(all);
}
