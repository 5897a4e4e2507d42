/* gpus.c - see gpus.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "topo/gpus.h"
#include "core/env.h"
#include "core/log.h"
#include "core/state.h"
#include "topo/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_ROWS = 16 }; /* of a table */

static unsigned char *ways; /* [n_pes * n_pes], from row to column; NULL: no GPUs */
static int *gpus;           /* [n_pes] */
static bool closed = true;  /* PEs of one host all reach each other while no GPUs are known */

static const struct {
    bool reached;
    const char *words;
} kinds[] = {
#define ROW(way, reached, words) { reached, words },
    GSH_WAYS(ROW)
#undef ROW
};

const char *gsh_way_words(enum gsh_way way)
{
    return kinds[way].words;
}

bool gsh_way_reaches(enum gsh_way way)
{
    return kinds[way].reached;
}

enum gsh_way gsh_way_between(int device, const struct gsh_gpu_card *peer, int *links)
{
    struct gsh_gpu_card own;
    enum gsh_gpu_access access = gsh_gpu_access(device, peer->uuid);

    *links = 0;
    if (access == GSH_GPU_SAME)
        return GSH_WAY_SAME_GPU;
    if (gsh_gpu_describe(device, &own))
        return GSH_WAY_REFUSED;
    if (!strcasecmp(own.bus, peer->bus))
        return GSH_WAY_OTHER_INSTANCE;
    if (access == GSH_GPU_HIDDEN)
        return GSH_WAY_HIDDEN;
    if (access == GSH_GPU_REFUSED)
        return (enum gsh_way)(GSH_WAY_REFUSED + (int)gsh_nvml_refusal(own.bus, peer->bus));
    *links = gsh_nvml_links(own.bus, peer->bus);
    if (*links)
        return GSH_WAY_NVLINK;
    return access == GSH_GPU_PEER ? GSH_WAY_PCI : GSH_WAY_PCI_BARE;
}

static enum gsh_way find_way(int pe, const struct gsh_gpu_card *card, int *links)
{
    *links = 0;
    if (pe == gsh.my_pe)
        return GSH_WAY_SELF;
    if (gsh_host_of(pe) != gsh_host_of(gsh.my_pe))
        return GSH_WAY_OTHER_HOST;
    if (gsh_env.DISABLE_P2P)
        return GSH_WAY_DISABLED;
    return gsh_way_between(gsh_gpu_taken(), card, links);
}

/* One line for PEs in a row that are reached alike. */
static void tell(int first, int last, const struct gsh_gpu_card *cards, enum gsh_way way, int links)
{
    char pes[32], by[32] = "";

    snprintf(pes, sizeof(pes), first == last ? "PE %d" : "PEs %d-%d", first, last);
    if (links)
        snprintf(by, sizeof(by), ", %d links", links);
    gsh_log(GSH_INFO, GSH_TOPO, "%s: GPU %s, %s%s: %s", pes, cards[first].bus,
            kinds[way].reached ? "by load and store" : "not by load and store", by,
            kinds[way].words);
}

static void find_ways(const struct gsh_gpu_card *cards, unsigned char *row)
{
    int first = 0, links_first = 0;

    for (int pe = 0; pe < gsh.n_pes; pe++) {
        int links;

        row[pe] = (unsigned char)find_way(pe, &cards[pe], &links);
        if (pe &&
            (row[pe] != row[first] || links != links_first ||
             strcmp(cards[pe].bus, cards[first].bus) || gsh_host_of(pe) != gsh_host_of(first))) {
            tell(first, pe - 1, cards, (enum gsh_way)row[first], links_first);
            first = pe;
        }
        links_first = links;
    }
    tell(first, gsh.n_pes - 1, cards, (enum gsh_way)row[first], links_first);
}

/* MIG instances of one GPU are GPUs of their own. */
static void number_gpus(const struct gsh_gpu_card *cards)
{
    for (int pe = 0; pe < gsh.n_pes; pe++) {
        gpus[pe] = 0;
        while (gsh_host_of(gpus[pe]) != gsh_host_of(pe) ||
               memcmp(cards[gpus[pe]].uuid, cards[pe].uuid, sizeof(cards[pe].uuid)))
            gpus[pe]++;
    }
}

static void tell_of_sharing(const struct gsh_gpu_card *cards)
{
    if (gsh_topo_sharers() > 1)
        gsh_log(GSH_INFO, GSH_TOPO, "%d PEs share this GPU, %s", gsh_topo_sharers(),
                cards[gsh.my_pe].mps ? "through MPS"
                                     : "by time slices; through MPS their kernels run at once "
                                       "(gshrun --mps)");
}

/* PEs of one host that should reach each other, and do not. */
static bool is_cut(int from, int to)
{
    enum gsh_way way = gsh_topo_way(from, to);

    return !kinds[way].reached && way != GSH_WAY_OTHER_HOST && way != GSH_WAY_DISABLED;
}

static void warn_of(int from, int first, int last, int row)
{
    char pes[32];

    if (!row)
        gsh_log(
            GSH_WARN, GSH_TOPO,
            "these PEs cannot load and store each other's GPU memory; who uses it ends the job");
    if (row == MOST_ROWS)
        gsh_log(GSH_WARN, GSH_TOPO, "  and more; NVSHMEM_DEBUG=INFO shows those of each PE");
    if (row >= MOST_ROWS)
        return;
    snprintf(pes, sizeof(pes), first == last ? "PE %d" : "PEs %d-%d", first, last);
    gsh_log(GSH_WARN, GSH_TOPO, "  PE %d to %s: %s", from, pes,
            kinds[gsh_topo_way(from, first)].words);
}

/* One table of all pairs, a row for peers with the same reason. */
static void warn_of_cuts(void)
{
    int row = 0;

    for (int from = 0; from < gsh.n_pes; from++) {
        for (int to = 0, last; to < gsh.n_pes; to = last + 1) {
            last = to;
            if (!is_cut(from, to))
                continue;
            while (last + 1 < gsh.n_pes && gsh_topo_way(from, last + 1) == gsh_topo_way(from, to))
                last++;
            warn_of(from, to, last, row++);
        }
    }
}

static bool is_closed(void)
{
    for (int a = 0; a < gsh.n_pes; a++)
        for (int b = 0; gsh_topo_mutual(gsh.my_pe, a) && b < gsh.n_pes; b++)
            if (gsh_topo_mutual(gsh.my_pe, b) != gsh_topo_mutual(a, b))
                return false;
    return true;
}

int gsh_topo_open_gpus(const struct gsh_gpu_card *cards)
{
    size_t n = (size_t)gsh.n_pes;
    unsigned char *row = malloc(n);
    int err = 0;

    ways = malloc(n * n);
    gpus = malloc(n * sizeof(*gpus));
    if (!row || !ways || !gpus)
        err = gsh_fail(-ENOMEM, "no memory for the GPUs of %zu PEs", n);
    if (!err && gsh_nvml_open())
        gsh_log(GSH_INFO, GSH_TOPO, "NVLinks are not known: %s", gsh_last_error());
    if (!err) {
        number_gpus(cards);
        find_ways(cards, row);
        err = gsh.boot.ops.allgather(&gsh.boot, row, ways, n);
    }
    free(row);
    if (err) {
        gsh_topo_close_gpus();
        return err;
    }
    closed = is_closed();
    tell_of_sharing(cards);
    if (!gsh.my_pe)
        warn_of_cuts();
    return 0;
}

void gsh_topo_close_gpus(void)
{
    free(ways);
    free(gpus);
    ways = NULL;
    gpus = NULL;
    closed = true;
}

enum gsh_way gsh_topo_way(int from, int to)
{
    if (ways)
        return (enum gsh_way)ways[(size_t)from * (size_t)gsh.n_pes + (size_t)to];
    if (from == to)
        return GSH_WAY_SELF;
    return gsh_host_of(from) == gsh_host_of(to) ? GSH_WAY_SAME_GPU : GSH_WAY_OTHER_HOST;
}

bool gsh_topo_mutual(int a, int b)
{
    return gsh_way_reaches(gsh_topo_way(a, b)) && gsh_way_reaches(gsh_topo_way(b, a));
}

bool gsh_topo_closed(void)
{
    return closed;
}

bool gsh_topo_linked(int a, int b)
{
    return gsh_topo_way(a, b) <= GSH_WAY_NVLINK && gsh_topo_way(b, a) <= GSH_WAY_NVLINK;
}

int gsh_topo_gpu(int pe)
{
    int first = 0;

    if (gpus)
        return gpus[pe];
    while (gsh_host_of(first) != gsh_host_of(pe))
        first++;
    return first;
}

int gsh_topo_sharers(void)
{
    int n = 0;

    for (int pe = 0; pe < gsh.n_pes; pe++)
        n += gsh_topo_gpu(pe) == gsh_topo_gpu(gsh.my_pe);
    return n;
}
