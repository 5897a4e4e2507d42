# printf in a kernel writes each thread's line whole, and an assert that does not hold ends the
# job with its text, source line and thread; where it holds nothing happens. On the host it is
# the C library's.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >talk.cu <<'EOT'
#include <assert.h>
#include <nvshmem.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void talk(int limit)
{
    int me = nvshmem_my_pe();

    printf("PE %d thread %d says %s %.2f\n", me, (int)threadIdx.x, "half", 0.5);
    assert((int)threadIdx.x < limit);
}

int main(int argc, char **argv)
{
    nvshmem_init();
    talk<<<1, 40>>>(argc > 1 ? atoi(argv[1]) : 40);
    int status = cudaDeviceSynchronize() != cudaSuccess;
    assert(argc < 3);
    nvshmem_finalize();
    return status;
}
EOT
gshcc --target=cpu -g -O1 talk.cu -o talk || { echo "not ok - talk.cu does not compile" && exit 1; }

run timeout 60 gshrun -n 2 ./talk
ok "a kernel whose asserts hold ends with 0" is "$status" 0
ok "each thread of each PE has written its line" is \
    "$(grep -Ec '^PE [01] thread [0-9]+ says half 0\.50$' out) $(sort -u out | wc -l)" "80 80"

run timeout 60 gshrun -n 2 ./talk 33
stopped() { failed && [ "$status" -ne 124 ]; }
ok "an assert that does not hold ends the job" stopped
ok "with its text and source line" \
    says "talk.cu:$(sed -n '/assert(.*limit/=' talk.cu):.*threadIdx.x < limit"
ok "and says which thread it was" \
    says '^gshmem: PE [01]: kernel talk, block \(0,0,0\), thread \(3[3-9],0,0\), assert in talk'

run timeout 60 gshrun -n 1 ./talk 40 more
ok "one on the host ends the job as the C library has it" \
    says "talk.cu:$(sed -n '/assert(argc/=' talk.cu): .*: Assertion \`argc < 3' failed"
finish
