# Memory on a GPU, over a pretended driver: see memory.c, with heaps that grow, that are shared
# by CUDA IPC, and with a driver that registers little; all is given back.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

export LD_LIBRARY_PATH="$GSH_BUILD/test/fake" FAKE_REPORT="$PWD/report" FAKE_GPUS=1 FAKE_MEMORY=1024

# try NAME PES [SETTING...]
try() {
    name=$1 n=$2
    shift 2
    rm -f report
    run env "$@" gshrun -n "$n" "$GSH_BUILD/test/gpu/memory"
    ok "$name, $n PEs" passes
    ok "$name, $n PEs: nothing is left" \
        is "$(grep -c 'left: 0 handles, 0 reserved, 0 mapped, 0 opened, 0 registered' report)" "$n"
}

passes() {
    [ "$status" -eq 0 ] && says '^1\.\.' && ! says '^not ok'
}

for pes in 1 2 3 5 8; do try "a heap that grows" $pes; done
for pes in 1 3; do
    try "a heap of fixed size" $pes NVSHMEM_DISABLE_CUDA_VMM=1 NVSHMEM_SYMMETRIC_SIZE=64M
    try "a device without descriptors" $pes FAKE_NO_DESCRIPTORS=1 NVSHMEM_SYMMETRIC_SIZE=64M
    try "a driver that registers 8 MiB at most" $pes FAKE_PINNED=8
done
finish
