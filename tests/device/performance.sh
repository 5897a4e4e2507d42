# A program in the manner of NVSHMEM's performance programs, tests/cudacpu/performance.cu, takes the
# options of such programs, and nvcc compiles it without a word where it has nvml.h. The programs
# of bench/gpu give right results on the CPU device.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

source=$GSH_SOURCE/tests/cudacpu/performance.cu
gshcc --target=cpu -x cu -O1 "$source" -o performance ||
    { echo "not ok - performance.cu does not compile" && exit 1; }
run timeout 100 gshrun -n 2 ./performance -b 16 -e 0x8000 -n 8 -w 3 -c 4 -t 96
ok "it runs with -b -e -n -w -c -t, in hexadecimal too" is "$status $(grep -c '^ok' out)" "0 6"
run timeout 100 gshrun -n 2 ./performance -b 4096 -e 64
ok "and finds nothing to measure when -b is more than -e" failed

if command -v nvcc >/dev/null && echo '#include <nvml.h>' | nvcc -x cu -E - >out 2>&1; then
    run nvcc -arch=sm_90 -std=c++17 -I"$GSH_BUILD/include" -c "$source" -o performance.o
    quiet() { is "$status" 0 && silent; }
    ok "nvcc compiles it without a word" quiet
fi

# A row of each file; the script ends with 1 when a result is wrong.
rows=put_signal/thread/1024,put_quiet/warp/8192,g/,barrier_all/block,sum_reduce/warp,alltoall/warp
rows=$rows,fcollect/thread,put_signal/graph/65536,sum_reduce/stream/256
run timeout 200 "$GSH_SOURCE/bench/gpu/run" --cpu --build "$GSH_BUILD" --pes 2 --rounds 1 --ms 0.5 \
    --only "$rows" --json figures.json
ok "the benchmarks of kernels and streams are right on 2 PEs" is "$status" 0
ok "each in a row that was checked" is "$(grep -c '"checked": [1-9]' figures.json)" 13
run timeout 200 "$GSH_SOURCE/bench/gpu/run" --cpu --build "$GSH_BUILD" --pes 3 --rounds 1 --ms 0.5 \
    --only sync_all/thread,sum_reduce/warp/4,broadcast/warp,fcollect/warp --json figures.json
ok "and on 3" is "$status" 0
finish
