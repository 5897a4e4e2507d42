# Teams by topology on one host, and on two where a transport joins them: who is linked, heaps
# over both, the names of teams, and what goes wrong with them.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program teams <<'C'
#include <nvshmem.h>
#include <stdio.h>
#include <string.h>

static void show(const char *what, nvshmem_team_t team)
{
    int n = nvshmem_team_n_pes(team);

    printf("PE %d %s:", nvshmem_my_pe(), what);
    for (int i = 0; i < n; i++)
        printf(" %d", nvshmem_team_translate_pe(team, i, NVSHMEM_TEAM_WORLD));
    printf("\n");
}

static void linked(const char *what, nvshmem_team_t parent)
{
    nvshmemx_team_config_t config = { .symmetric_heap_size = 1 << 20,
                                      .flags = NVSHMEMX_TEAM_NV_LINK };
    nvshmem_team_t team;
    char *p, *q;

    if (nvshmemx_team_create_simple(parent, &config, 0, &team))
        printf("%s\n", nvshmemx_last_error());
    show(what, team);
    p = nvshmemx_team_malloc(team, 100);
    q = nvshmem_malloc(100);
    if (p && q && p != q)
        printf("PE %d has both\n", nvshmem_my_pe());
    nvshmem_team_destroy(team);
    nvshmem_free(q);
}

static void name(const char *spec)
{
    nvshmem_team_t team = 12345, again;
    int status = nvshmemx_get_team_from_spec(spec, &team);

    if (status)
        printf("PE %d: %d %d %s\n", nvshmem_my_pe(), status, team, nvshmemx_last_error());
    else
        show(spec, team);
    if (!status && (nvshmemx_get_team_from_spec(spec, &again) || again != team))
        printf("another team the second time\n");
    if (!strcmp(spec, "nvlink"))
        nvshmem_team_destroy(team);
    if (!status && nvshmem_team_n_pes(team) < 1)
        printf("destroyed\n");
}

int main(int argc, char **argv)
{
    const char *what = argv[argc - 1];
    nvshmemx_team_config_t config = { .symmetric_heap_size = 1 << 20 };
    nvshmem_team_t team, backwards;

    nvshmem_init();
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, nvshmem_n_pes() - 1, -1, nvshmem_n_pes(), NULL,
                               0, &backwards);
    if (!strcmp(what, "linked")) {
        linked("of all", NVSHMEM_TEAM_WORLD);
        linked("of the node", NVSHMEMX_TEAM_NODE);
        linked("backwards", backwards);
        linked("of equal rank", NVSHMEMX_TEAM_SAME_MYPE_NODE);
    }
    if (!strcmp(what, "names")) {
        for (int i = 1; i < argc - 1; i++)
            name(argv[i]);
        name("");
    }
    config.symmetric_heap_size += !strcmp(what, "sizes") ? 8 * (size_t)nvshmem_my_pe() : 0;
    nvshmemx_team_create_simple(NVSHMEMX_TEAM_NODE, &config, 0, &team);
    if (!strcmp(what, "free"))
        nvshmem_free(nvshmemx_team_malloc(team, 64));
    if (!strcmp(what, "other"))
        nvshmemx_team_free(team, nvshmem_malloc(64));
    if (!strcmp(what, "without"))
        nvshmemx_team_free(NVSHMEMX_TEAM_NODE, &team);
    if (!strcmp(what, "guard")) {
        ((char *)nvshmemx_team_malloc(team, 100))[100] = 1;
        nvshmem_team_destroy(team);
    }
    nvshmem_finalize();
    return 0;
}
C

# in_all WHAT LOW HIGH: the members that PEs 0 and 1 see, and those that PEs 2 and 3 see.
in_all() {
    says "^PE 0 $1: $2\$" && says "^PE 1 $1: $2\$" && says "^PE 2 $1: $3\$" && says "^PE 3 $1: $3\$"
}

# try HOSTS LOW HIGH: what the PEs of a host see.
try() {
    run timeout 30 gshrun -n 4 -x GSHMEM_FAKE_NODES="$1" ./teams linked
    ok "$1 hosts: the job is well" is "$status" 0
    ok "$1 hosts: out of all PEs those of a host are linked" in_all 'of all' "$2" "$3"
    ok "$1 hosts: out of the node all are" in_all 'of the node' "$2" "$3"
    ok "$1 hosts: members are in the order of the parent" in_all backwards \
        "$(echo "$2" | rev)" "$(echo "$3" | rev)"
    ok "$1 hosts: PEs of different hosts are not linked" says '^PE 3 of equal rank: 3$'
    ok "$1 hosts: each allocates in a heap of its team and in that of all" \
        is "$(grep -c 'has both' out)" 16

    run timeout 30 gshrun -n 4 -x GSHMEM_FAKE_NODES="$1" ./teams \
        node NODE Same_MyPE_Node world same_gpu nvlink NVLink names
    ok "$1 hosts: node is the team of the host" in_all node "$2" "$3"
    ok "$1 hosts: in any case" in_all NODE "$2" "$3"
    ok "$1 hosts: same_mype_node is that of equal ranks" says '^PE 3 Same_MyPE_Node:( 1)? 3$'
    ok "$1 hosts: world is all" in_all world '0 1 2 3' '0 1 2 3'
    ok "$1 hosts: same_gpu is the host, which counts as one" in_all same_gpu "$2" "$3"
    ok "$1 hosts: nvlink is the PEs that are linked" in_all nvlink "$2" "$3"
    ok "$1 hosts: and stays" says 'nvshmem_team_destroy: [0-9]+ is a predefined team, which stays'
    ok "$1 hosts: a team is the same the second time" is "$(grep -c 'another team\|destroyed' out)" 0
    ok "$1 hosts: what is no name gives an error that lists the names" \
        says "PE 0: 1 -1 .*: there is no team ''; they are: nvlink, WORLD, .*NODE"
}
try 1 '0 1 2 3' '0 1 2 3'
run timeout 30 gshrun -n 2 -x GSHMEM_FAKE_NODES=2 ./teams nothing
says 'no transport reaches these PEs' || try 2 '0 1' '2 3'

# wrong WHAT TEXT [SETTING]
wrong() {
    run timeout 30 gshrun -n 2 ${3:+-x "$3"} ./teams "$1"
    ok "$1: the job ends with an error" failed
    ok "$1: says /$2/" says "$2"
}
wrong sizes 'nvshmemx_team_create_simple\(flags 0, heap of [0-9]+ bytes\)'
wrong free 'nvshmem_free: 0x[0-9a-f]+ is in the heap of a team; nvshmemx_team_free frees it'
wrong other 'nvshmemx_team_free: 0x[0-9a-f]+ is not in the heap of team [0-9]+'
wrong guard 'byte 1 behind the block of 100 bytes allocated by main at teams.c:' GSHMEM_CHECK=1
run timeout 30 gshrun -n 2 ./teams without
ok "to free in a team without a heap is said" \
    says 'nvshmemx_team_free: 2 is a team without a heap of its own'
run timeout 30 gshrun -n 2 -x GSHMEM_CHECK=1 ./teams nothing
ok "a team that was not destroyed goes with the job" is "$status $(wc -l <out)" "0 0"
finish
