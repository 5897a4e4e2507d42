/* fake.h - a job of four PEs inside one process, for the tests of transports: this
 * process is PE 0, the windows are plain memory, and each PE is on the host that
 * the test says.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TR_TEST_FAKE_H
#define GSH_TR_TEST_FAKE_H

#include "core/env.h"
#include "core/remote.h"
#include "heap/segment.h"
#include "topo/host.h"
#include "util/fault.h"
#include "util/test/tap.h"

#include <errno.h>

enum { FAKE_PES = 4, FAKE_WINDOW = 1 << 20, FAKE_HEAP = 4096 };

static _Alignas(4096) char fake_memory[FAKE_PES][FAKE_WINDOW];
static char *fake_windows[FAKE_PES];
static struct gsh_peer fake_peers[FAKE_PES];
static char fake_told[FAKE_PES][512];

/* Keeps what each rank tells; rank 0 comes last and gets all of it. */
static int fake_allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    memcpy(fake_told[boot->rank], mine, bytes);
    if (boot->rank)
        return -EAGAIN;
    for (int pe = 0; pe < boot->n_ranks; pe++)
        memcpy((char *)all + (size_t)pe * bytes, fake_told[pe], bytes);
    return 0;
}

/* PE i is on the host that the i-th letter names. */
static inline int fake_hosts(const char *letters)
{
    int err = 0;

    gsh_host_close();
    for (int rank = FAKE_PES - 1; rank >= 0; rank--) {
        struct gsh_boot boot = { .rank = rank,
                                 .n_ranks = FAKE_PES,
                                 .ops = { .allgather = fake_allgather } };
        char name[] = { 'h', 'o', 's', 't', '-', letters[rank], '\0' };

        gsh_env.HOST_ID = name;
        err = gsh_host_open(&boot);
    }
    gsh_env.HOST_ID = "";
    return err;
}

/* For transports that meet when they open: all PEs tell what this one does. */
static int fake_echo(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    (void)boot;
    for (size_t pe = 0; pe < FAKE_PES; pe++)
        memcpy((char *)all + pe * bytes, mine, bytes);
    return 0;
}

/* Needs `fake_hosts` before the transports are opened. */
static inline void fake_job(const char *remote_transport, bool disable_p2p)
{
    for (int pe = 0; pe < FAKE_PES; pe++)
        fake_windows[pe] = fake_memory[pe];
    memset(fake_memory, 0, sizeof(fake_memory));
    memset(fake_peers, 0, sizeof(fake_peers));
    gsh_segment.window = FAKE_WINDOW;
    gsh_segment.windows = fake_windows;
    gsh_segment.n_here = FAKE_PES;
    gsh.base = fake_memory[0];
    gsh.span = gsh.window = FAKE_WINDOW;
    gsh.heap_off = FAKE_HEAP;
    gsh.peers = fake_peers;
    gsh.boot.ops.allgather = fake_echo;
    gsh.my_pe = 0;
    gsh.n_pes = FAKE_PES;
    gsh_env.REMOTE_TRANSPORT = remote_transport;
    gsh_env.DISABLE_P2P = disable_p2p;
}

static inline void fake_fault(const char *text)
{
    char bad[64];

    gsh_fault_open(text, bad, sizeof(bad));
}

/* The words of a PE's heap. */
static inline _Atomic uint64_t *fake_word(int pe, size_t i)
{
    return (_Atomic uint64_t *)(void *)(fake_memory[pe] + FAKE_HEAP) + i;
}

static inline size_t fake_off(size_t i)
{
    return FAKE_HEAP + i * sizeof(uint64_t);
}

#endif /* GSH_TR_TEST_FAKE_H */
