# Every wrong argument ends in one line that says what is wrong, with values.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program wrong <<'C'
#include <nvshmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long source;

int main(int argc, char **argv)
{
    const char *what = argv[argc - 1];
    long *p, not_symmetric = 0;
    int me;

    if (!strcmp(what, "early"))
        nvshmem_barrier_all();
    nvshmem_init();
    me = nvshmem_my_pe();
    p = nvshmem_malloc(1000);
    if (!strcmp(what, "pe"))
        nvshmem_long_p(p, 1, 17);
    if (!strcmp(what, "negative"))
        nvshmem_long_get(p, p, 1, -1);
    if (!strcmp(what, "rank"))
        nvshmemx_long_put_team(NVSHMEM_TEAM_WORLD, p, p, 1, 3);
    if (!strcmp(what, "member"))
        nvshmemx_long_get_team(NVSHMEM_TEAM_INVALID, p, p, 1, 0);
    if (!strcmp(what, "address"))
        nvshmem_long_p(&not_symmetric, 1, 0);
    if (!strcmp(what, "overrun"))
        nvshmem_putmem(p, &source, (size_t)1 << 40, 0);
    if (!strcmp(what, "huge"))
        nvshmem_long_put(p, p + 8, 1UL << 61, 0);
    if (!strcmp(what, "stride"))
        nvshmem_long_iget(p, p, 1L << 61, 1L << 61, 2, 0);
    if (!strcmp(what, "compare"))
        nvshmem_long_wait_until(p, 9, 1);
    if (!strcmp(what, "misaligned"))
        nvshmem_long_test((long *)((char *)p + 1), NVSHMEM_CMP_EQ, 1);
    if (!strcmp(what, "signal"))
        nvshmem_putmem_signal(p, &source, 8, (uint64_t *)p, 1, 3, 0);
    if (!strcmp(what, "free"))
        nvshmem_free(p + 1);
    if (!strcmp(what, "twice")) {
        nvshmem_free(p);
        nvshmem_free(p);
    }
    if (!strcmp(what, "sizes"))
        nvshmem_malloc(100 + 8 * (size_t)me);
    if (!strcmp(what, "calls") && me == 1)
        nvshmem_barrier_all();
    if (!strcmp(what, "calls") && me != 1)
        nvshmem_malloc(64);
    if (!strcmp(what, "missing") && me != 1)
        nvshmem_malloc(64);
    if (!strcmp(what, "root"))
        printf("root %d\n", nvshmem_long_broadcast(NVSHMEM_TEAM_WORLD, p, p + 8, 1, 99));
    if (!strcmp(what, "team"))
        printf("team %d\n", nvshmem_team_sync(77));
    if (!strcmp(what, "guard")) {
        ((char *)p)[1000] = 1;
        nvshmem_free(p);
    }
    nvshmem_finalize();
    return 0;
}
C

# wrong WHAT PATTERN [SETTING]: the mistake ends the job and the line is there.
wrong() {
    run gshrun -n 3 ${3:+-x "$3"} ./wrong "$1"
    ok "$1: the job ends with an error" failed
    ok "$1: says /$2/" says "$2"
}

wrong early 'nvshmem_barrier_all was called before nvshmem_init'
wrong pe 'nvshmem_long_p: PE 17 does not exist; the job has PEs 0 to 2'
wrong negative 'nvshmem_long_get: PE -1 does not exist'
wrong rank 'nvshmemx_long_put_team: there is no rank 3 in a team of 3 PEs'
wrong member 'nvshmemx_long_get_team: -1 is no team of this PE'
wrong address 'nvshmem_long_p: 0x[0-9a-f]+ is not a symmetric address'
wrong overrun 'nvshmem_putmem: .* beyond the symmetric heap'
wrong huge 'nvshmem_long_put: .* beyond the symmetric heap'
wrong stride 'nvshmem_long_iget: .* beyond the symmetric heap'
wrong compare 'nvshmem_long_wait_until: comparison 9'
wrong misaligned 'nvshmem_long_test: .* not aligned'
wrong signal 'nvshmem_putmem_signal: signal operation 3'
wrong free 'nvshmem_free: .* inside a block of 1000 bytes'
wrong twice 'nvshmem_free: .* not allocated'
wrong sizes 'nvshmem_malloc\(10[08] bytes'
wrong calls 'nvshmem_malloc\(64 bytes'
ok "calls: the other call is shown as well" says 'PE 1: nvshmem_barrier'
wrong missing 'PE 1: nvshmem_finalize'
wrong guard 'byte 1 behind the block of 1000 bytes allocated by main at wrong.c:[0-9]+' GSHMEM_CHECK=1

run gshrun -n 3 ./wrong root
ok "a root that does not exist is an error that is returned" is "$status" 0
ok "with a line" says 'root.* 99'
run gshrun -n 3 ./wrong team
ok "a team that does not exist is an error that is returned" is "$status" 0
ok "with a line" says '77'

run gshrun -n 2 -x GSHMEM_CHECK=1 ./wrong nothing
ok "with GSHMEM_CHECK what was not freed is reported once, with its place" \
    is "$(grep -c '1000 bytes allocated by main at wrong.c:[0-9]* were not freed' out)" 1
run gshrun -n 2 ./wrong nothing
ok "without it nothing is said" silent

run env NVSHMEM_SYMMETRIC_SIZE=12Q ./wrong nothing
ok "a size that is none ends init and names the variable" says "NVSHMEM_SYMMETRIC_SIZE is '12Q'"
run env NVSHMEM_SYMETRIC_SIZE=1G ./wrong nothing
ok "an unknown variable draws a warning with the nearest name" \
    says 'NVSHMEM_SYMETRIC_SIZE.*did you mean NVSHMEM_SYMMETRIC_SIZE'
ok "and the program runs" is "$status" 0
run env NVSHMEM_DEBUG=COMM,INIT ./wrong nothing
ok "NVSHMEM_DEBUG=COMM,INIT logs these parts" says 'info COMM'
ok "and no other" sh -c '! grep -q "info HEAP" out'
run env NVSHMEM_DEBUG=INFO NVSHMEM_DEBUG_FILE=log.%p ./wrong nothing
ok "NVSHMEM_DEBUG_FILE takes the log" silent
ok "in a file of that name" sh -c 'grep -q "info INIT" log.[0-9]*'
finish
