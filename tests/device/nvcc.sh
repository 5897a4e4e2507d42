# nvcc alone compiles and links programs with our headers without a warning: for each GPU that
# it knows from sm_75 on, at each language level, with and without relocatable and debug code,
# in one or several units; a barrier of a warp has a mask that the compiler does not know; and
# init refuses a unit that was compiled with other headers.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command -v nvcc >/dev/null || skip_all "there is no nvcc"

cat >one.cu <<'EOF'
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

void two(int *at);

__global__ void one_kernel(int *at)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    if (threadIdx.x == 0)
        nvshmem_int_p(at, me, (me + 1) % n);
    nvshmemx_int_put_block(at, at + 1, 10, (me + 1) % n);
    nvshmemx_barrier_all_block();
}

int main(int argc, char **argv)
{
    (void)argv;
    nvshmem_init();
    if (argc > 1) {
        int *at = (int *)nvshmem_malloc(1000);
        void *args[] = { &at };

        one_kernel<<<1, 32>>>(at);
        two(at);
        return nvshmemx_collective_launch((const void *)one_kernel, 0, 32, args, 0, 0);
    }
    printf("initialised, %d PE\n", nvshmem_n_pes());
    nvshmem_finalize();
    return 0;
}
EOF
cat >two.cu <<'EOF'
#include <nvshmem.h>
#include <nvshmemx.h>

__global__ void two_kernel(int *at)
{
    nvshmem_int_atomic_add(at, 1, 0);
    nvshmem_quiet();
}

void two(int *at)
{
    two_kernel<<<1, 1>>>(at);
}
EOF

flags="-Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Wno-unused-parameter -I$GSH_BUILD/include"
libraries="-L$GSH_BUILD/lib -lgshmem -Xlinker=-rpath,$GSH_BUILD/lib"

quiet() {
    run nvcc "$@"
    [ "$status" -eq 0 ] && silent
}

# Every GPU, and with each the next language level and kind of code.
turn=0
for arch in $(nvcc --list-gpu-arch | sed -n 's/compute_//p' | awk '$1 >= 75'); do
    std=c++$(echo 14 17 20 | cut -d' ' -f$((turn % 3 + 1)))
    kind=$(echo -rdc=false -rdc=true | cut -d' ' -f$((turn % 2 + 1)))
    # shellcheck disable=SC2086 # lists of flags
    ok "sm_$arch, $std, $kind: compiles without a warning" \
        quiet -c -arch=sm_$arch -std=$std $kind $flags one.cu -o one.o
    turn=$((turn + 1))
done

started() { [ "$status" -eq 0 ] && says '^initialised, 1 PE'; }

# Programs of two units, which run as far as they need no GPU.
for options in -rdc=false -rdc=true '-rdc=true -G -g'; do
    # shellcheck disable=SC2086 # lists of flags
    ok "$options: two units are linked" \
        quiet -arch=sm_80 $options $flags one.cu two.cu -o program $libraries
    run gshrun -n 1 ./program
    ok "$options: and the program starts" started
done

# What ptxas makes of a full mask that it knows, see warp_sync(), cannot be seen without a GPU.
cat >meet.cu <<'EOF'
#include <nvshmem.h>
#include <nvshmemx.h>

__global__ void meet()
{
    nvshmemx_barrier_all_warp();
}
EOF
# shellcheck disable=SC2086 # a list of flags
ok "a barrier of a warp compiles" quiet -arch=sm_80 -ptx $flags meet.cu -o meet.ptx
ok "it keeps the warp together" grep -q 'bar.warp.sync' meet.ptx
ok "by a mask that is known when it runs" eval "! grep -E 'bar.warp.sync[^%]*;' meet.ptx"

# Other headers: a copy whose state is of another version.
cp -rL "$GSH_BUILD/include" other
version=$(sed -n 's/^#define GSH_DEVICE_STATE_VERSION //p' other/gshmem/impl/state.h)
sed -i 's/^\(#define GSH_DEVICE_STATE_VERSION\).*/\1 4711/' other/gshmem/impl/state.h
# shellcheck disable=SC2086 # a list of flags
ok "a unit is compiled with headers of another version" \
    quiet -arch=sm_80 -c -Iother two.cu -o two.o
# shellcheck disable=SC2086 # a list of flags
ok "and linked with one of ours" quiet -arch=sm_80 $flags one.cu two.o -o program $libraries
run gshrun -n 1 ./program
refused() { failed && says "program was compiled with .* version 4711 \\(.* version $version \\("; }
ok "init refuses it, with the file and both versions" refused

finish
