# A mistake in a kernel is reported with kernel, block, thread, call and source line, and the
# job ends within seconds, with every PE; the same programs without it say nothing.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

source=$GSH_SOURCE/tests/device/checks.cu
gshcc --target=cpu -g -O1 "$source" -o checks ||
    { echo "not ok - checks.cu does not compile" && exit 1; }

line_of() { sed -n "\\|// WRONG $1\$|=" "$source"; }
ended() { failed && [ "$status" -ne 124 ] && ! pgrep -x checks -s 0 >/dev/null; }
check() { run timeout 30 gshrun -n 3 -x GSHMEM_CHECK=1 "$@"; }

# fault NAME CALL TEXT: with GSHMEM_CHECK.
fault() {
    check ./checks "$1"
    ok "$1: is reported with its place" says \
        "PE [0-2]: kernel $1, block \\(1,0,0\\), thread \\(3,0,0\\), $2 in $1 at checks.cu:$(line_of "$1"): "
    ok "$1: with the reason" says "$3"
    ok "$1: the job ends, and no PE is left" ended
    check ./checks "$1" clean
    ok "$1: without the mistake all is well" is "$status $(grep -c 'done$' out) $(wc -l <out)" "0 3 3"
}

fault not_symmetric nvshmem_uint64_p 'is not a symmetric address'
fault out_of_bounds nvshmem_uint64_put \
    '808 bytes at .* are not inside the block of 800 bytes .*allocated in main at checks.cu:'
fault use_after_free nvshmem_uint64_g 'is not allocated; was it freed before\?'
fault wrong_pe nvshmem_uint64_p 'PE 3 does not exist; the job has PEs 0 to 2'
fault negative_pe nvshmem_uint64_p 'PE -1 does not exist'
fault misaligned nvshmem_uint64_p 'is not aligned to its 8 bytes'
fault misaligned_signal nvshmemx_signal_op 'is not aligned to its 8 bytes'
fault killed nvshmem_signal_wait_until 'PE 1 .*was killed by signal'
fault lost_wait nvshmem_signal_wait_until 'for the word at offset [0-9]+ to be EQ 2; it is 1'
check ./checks lost_wait
ok "lost_wait: each PE says once where it waits" is "$(grep -c ': waited ' out)" 3
ok "lost_wait: and that the job can never go on" says 'PE 0: the job can never go on'
fault lost_barrier nvshmem_barrier_all 'for PE 2 \(rank 2 of team 0\) to come to phase 1'

check ./checks divergent
ok "divergent: is reported with both places" says \
    "kernel divergent, block \\(1,0,0\\): .*3 wait in __syncthreads at divergent at checks.cu:$(line_of divergent) .*1 waits in nvshmemx_barrier_block"
ok "divergent: the job ends, and no PE is left" ended
check ./checks divergent clean
ok "divergent: without the mistake all is well" is "$status $(grep -c 'done$' out)" "0 3"

check ./checks overlapping
ok "overlapping: is reported with its place" says \
    "kernel overlapping, block \\([01],0,0\\), thread \\(0,0,0\\), nvshmem_barrier_all in overlapping at checks.cu:$(line_of overlapping): a second collective on a team"
ok "overlapping: the job ends, and no PE is left" ended
check ./checks overlapping clean
ok "overlapping: without the mistake all is well" is "$status $(grep -c 'done$' out)" "0 3"

for name in not_symmetric wrong_pe negative_pe; do
    run timeout 30 gshrun -n 3 ./checks $name
    ok "$name: is reported without GSHMEM_CHECK too" says \
        "kernel $name, block .* at checks.cu:$(line_of $name): "
done
run timeout 30 gshrun -n 3 -x GSHMEM_TIMEOUT=1 ./checks lost_wait
ok "GSHMEM_TIMEOUT ends a wait of a kernel" says \
    "nvshmem_signal_wait_until in lost_wait at checks.cu:$(line_of lost_wait): GSHMEM_TIMEOUT has passed"
ok "and the job" ended

check ./checks patience
ok "a kernel that computes for long is no reason to report those that wait for it" \
    is "$status $(grep -c 'done$' out) $(wc -l <out)" "0 3 3"
check ./checks patience clean
ok "nor is a thread of the host that sleeps for long" \
    is "$status $(grep -c 'done$' out) $(wc -l <out)" "0 3 3"

# Transports.
run timeout 30 gshrun -n 2 -x GSHMEM_CHECK=1 -x NVSHMEM_DISABLE_P2P=1 \
    -x NVSHMEM_REMOTE_TRANSPORT=delay ./checks lost_wait
ok "a job that is stuck is found behind a transport too" says 'PE 0: the job can never go on'
run timeout 30 gshrun -n 2 -x GSHMEM_CHECK=1 -x NVSHMEM_DISABLE_P2P=1 \
    -x NVSHMEM_REMOTE_TRANSPORT=delay ./checks lost_wait clean
ok "and one that is not goes on" is "$status $(grep -c 'done$' out)" "0 2"
finish
