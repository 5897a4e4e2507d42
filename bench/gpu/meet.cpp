/* meet.cpp - see meet.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "meet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct place {
    unsigned come; /* processes that have come, over all meetings */
    char bytes[MEET_BYTES];
    double numbers[MEET_PES][MEET_NUMBERS];
};

static struct place *place;
static int me, n;

void meet_open(const char *path, int rank, int processes)
{
    int file = open(path, O_RDWR);
    void *at = MAP_FAILED;

    me = rank;
    n = processes;
    if (file >= 0 && ftruncate(file, sizeof(*place)) == 0)
        at = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED || n > MEET_PES) {
        perror(path);
        exit(2);
    }
    close(file);
    place = (struct place *)at;
}

void meet_all(void)
{
    unsigned mine = __atomic_fetch_add(&place->come, 1, __ATOMIC_ACQ_REL);
    unsigned all = (mine / n + 1) * n;

    while ((int)(__atomic_load_n(&place->come, __ATOMIC_ACQUIRE) - all) < 0)
        usleep(20);
}

void meet_max(double *numbers, int many)
{
    memcpy(place->numbers[me], numbers, many * sizeof(*numbers));
    meet_all();
    for (int pe = 0; pe < n; pe++)
        for (int i = 0; i < many; i++)
            if (place->numbers[pe][i] > numbers[i])
                numbers[i] = place->numbers[pe][i];
    meet_all();
}

void meet_share(void *bytes, size_t many)
{
    if (me == 0)
        memcpy(place->bytes, bytes, many);
    meet_all();
    memcpy(bytes, place->bytes, many);
    meet_all();
}
