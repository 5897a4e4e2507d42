# On a machine with several GPUs, which a pretended driver describes: which PE uses which GPU,
# what reaches what and why not, the teams that follow, and a device chosen after init.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cp "$GSH_SOURCE/tests/gpu/fake/unit.h" .
program pes <<'C'
/* Each PE takes the device of its rank, after init, and says what it then has. */
#include "unit.h"
#include <gshmem/launch.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int me, n, devices = argc > 1 ? atoi(argv[1]) : 1, wrong = 0, early, seen[16];
    char reached[16] = "";
    nvshmemx_team_config_t links = { .flags = NVSHMEMX_TEAM_NV_LINK };
    nvshmem_team_t linked;
    int *words;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    early = gsh_launch_blocks(2, 132);
    if (state.bytes || nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE) != n)
        return printf("too early\n"), 1;
    choose(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices);
    words = nvshmem_calloc(n, sizeof(*words));
    if (!words || !state.bytes)
        return printf("no memory: %s\n", nvshmemx_last_error()), 1;
    for (int pe = 0; pe < n; pe++) {
        reached[pe] = nvshmem_ptr(words, pe) ? '1' : '0';
        if (reached[pe] == '1')
            nvshmem_int_p(&words[me], 100 + me, pe);
    }
    nvshmem_barrier_all();
    nvshmem_int_get(seen, words, n, me); /* the host may not read the heap */
    for (int pe = 0; pe < n; pe++)
        wrong += seen[pe] != (nvshmem_ptr(words, pe) ? 100 + pe : 0);
    if (argc > 2)
        nvshmem_int_p(words, 1, atoi(argv[2]));
    if (nvshmemx_team_create_simple(NVSHMEMX_TEAM_NODE, &links, 0, &linked))
        return printf("no team: %s\n", nvshmemx_last_error()), 1;
    printf("PE %d reaches %s, linked %d of %d, shared %d of %d, GPU %d of %d, leader %d of %d, wrong %d\n", me,
           reached, nvshmem_team_my_pe(linked), nvshmem_team_n_pes(linked),
           nvshmem_team_my_pe(NVSHMEM_TEAM_SHARED),
           nvshmem_team_n_pes(NVSHMEM_TEAM_SHARED), nvshmem_team_my_pe(NVSHMEMI_TEAM_SAME_GPU),
           nvshmem_team_n_pes(NVSHMEMI_TEAM_SAME_GPU),
           nvshmem_team_my_pe(NVSHMEMI_TEAM_GPU_LEADERS),
           nvshmem_team_n_pes(NVSHMEMI_TEAM_GPU_LEADERS), wrong);
    if (argc > 3)
        printf("%d blocks, %d before\n", gsh_launch_blocks(2, 132), early);
    nvshmem_free(words);
    nvshmem_finalize();
    return 0;
}
C

# with [NAME=VALUE]... COMMAND...: on the pretended GPUs.
with() { run env LD_LIBRARY_PATH="$GSH_BUILD/test/fake" "$@"; }
counts() { is "$(grep -Ec -- "$2" out)" "$1"; }
works() { is "$status" 0 && ! says 'wrong [1-9]'; }

with gshrun -n 4 ./pes 4
ok "a device that is chosen after init is taken by the first allocation" works
ok "nothing is printed when all is well" counts 4 .
ok "each PE reaches each other" counts 4 'reaches 1111, linked 0 of 1, shared . of 4'
ok "each is alone on its GPU, and leads it" counts 4 'GPU 0 of 1, leader [0-3] of 4'

with gshrun -n 4 ./pes 2
ok "two PEs that share a GPU are in a team, and the first leads" \
    counts 1 'PE 3 reaches 1111, .*, GPU 1 of 2, leader -1 of -1, wrong 0'
ok "and the leaders are as many as GPUs" counts 1 'PE 1 .*, leader 1 of 2'

with FAKE_NVLINK='0-1:4 2-3:2' gshrun -n 4 -x NVSHMEM_DEBUG=INFO ./pes 4
ok "the log shows an NVLink with the number of links" \
    says 'PE 2: info .*PE 3: GPU 0000:04:00.0, by load and store, 2 links: NVLink'
ok "and PCIe where there is none" says 'PE 0: info .*PE 2: .*peer access over PCIe, which has no atomics'
ok "the PEs of a pair are a team of NVLink" counts 2 'linked 1 of 2'
with FAKE_NVLINK=switch:18 gshrun -n 4 -x NVSHMEM_DEBUG=INFO ./pes 4
ok "all PEs are one through switches" counts 1 'linked 3 of 4'
ok "links through switches are counted" counts 12 '18 links: NVLink$'
with gshrun -n 4 -x NVSHMEM_DEBUG=INFO ./pes 2
ok "the log tells of PEs that share a GPU by time slices" \
    counts 4 '2 PEs share this GPU, by time slices'

with gshrun -n 4 ./pes 1 0 blocks
ok "by time slices each has all blocks of the GPU" counts 4 '^264 blocks, 264 before'
with FAKE_MPS=1 gshrun -n 4 ./pes 1 0 blocks
ok "through MPS each has an equal part, once all GPUs are known" counts 4 '^66 blocks, 264 before'
with FAKE_MPS=1 CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50 gshrun -n 4 ./pes 1 0 blocks
ok "of what the percentage leaves it" counts 4 '^33 blocks, 132 before'

with FAKE_NO_PEER='0-2 0-3 1-2 1-3' gshrun -n 4 ./pes 4
ok "PEs whose GPUs have no peer access work on, without each other" works
ok "they are told once, with the reason" \
    counts 1 'PE 0 to PEs 2-3: the GPUs are on parts of the PCI bus that have no peer access'
ok "and have no address of each other" counts 2 'reaches 1100, linked 0 of 1, shared [01] of 2'
with FAKE_NO_PEER='0-2' gshrun -n 3 ./pes 3
ok "PEs that do not all reach the same are alone in the shared team" counts 3 'shared 0 of 1'
with FAKE_NO_PEER='0-1' gshrun -n 2 ./pes 2 0
ok "who uses the GPU memory of such a PE ends the job, which says why" \
    says 'GPU memory of PE 0 cannot be reached: the GPUs are on parts of the PCI bus'
ok "and not with 0" failed

with gshrun -n 2 sh -c 'CUDA_VISIBLE_DEVICES=${GSHMEM_BOOT%%,*} exec ./pes 1'
ok "a GPU that CUDA_VISIBLE_DEVICES hides from another PE is told with this reason" \
    says 'PE 0 to PE 1: its GPU is not visible here \(CUDA_VISIBLE_DEVICES'
ok "and the PEs work on" works
with FAKE_MIG=1 gshrun -n 2 ./pes 2
ok "so is another MIG instance" says 'PE 1 to PE 0: it is on another MIG instance'
with NVSHMEM_DISABLE_P2P=1 NVSHMEM_REMOTE_TRANSPORT=delay gshrun -n 2 ./pes 2
ok "with NVSHMEM_DISABLE_P2P no PE is reached" counts 2 'shared 0 of 1'

rm -rf alone && mkdir alone && cp "$GSH_BUILD/test/fake/libcuda.so.1" alone
run env LD_LIBRARY_PATH="$PWD/alone" gshrun -n 2 -x NVSHMEM_DEBUG=INFO ./pes 2
ok "without NVML all works, and the log says what is not known" says 'NVLinks are not known: no NVML'

with FAKE_CUDA=11000 gshrun -n 2 ./pes
ok "a driver that is too old is told of by one PE" counts 1 "no GPU for this program's kernels"
ok "with both versions" says 'no GPU .*the CUDA driver is too old: it is one for CUDA 11.0, and 11.2 or newer is needed'
run gshrun -n 2 ./pes
if says 'no GPU for this program'; then
    ok "a driver that is missing is named, once" counts 1 'no CUDA driver: libcuda.so.1'
fi
with CUDA_VISIBLE_DEVICES= gshrun -n 2 ./pes
ok "a driver without a device is named, once" counts 1 'no GPU .*sees no device'
finish
