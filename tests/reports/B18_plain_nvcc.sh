# B18: a CUDA file that only includes the header compiles with plain nvcc.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command -v nvcc >/dev/null || skip_all "no nvcc here"
cat >unit.cu <<'C'
#include <nvshmem.h>
#include <nvshmemx.h>

__global__ void kernel(float *p) { *p = 1; }

int main() { nvshmem_init(); return nvshmem_my_pe(); }
C
run nvcc -I"$GSH_BUILD/include" -c unit.cu -o unit.o
ok "it compiles without -rdc" is "$status" 0
run nvcc -rdc=true -I"$GSH_BUILD/include" -c unit.cu -o unit.o
ok "and with it" is "$status" 0
finish
