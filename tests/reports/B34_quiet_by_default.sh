# B34: nothing is printed when all is well; what was passed over is one line at
# info level.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program hello <<'C'
#include <nvshmem.h>

int main(void)
{
    nvshmem_init();
    nvshmem_free(nvshmem_malloc(64));
    nvshmem_finalize();
    return 0;
}
C
run gshrun -n 3 ./hello
ok "the program is silent" silent
run gshrun -n 3 -x GSHMEM_FAKE_NODES=2 ./hello
ok "also over several nodes" silent
run gshrun -n 1 -x NVSHMEM_DEBUG=INFO ./hello
ok "at info level each transport that was passed over is one line with its reason" \
    is "$(grep -c 'transport delay is passed over: ' out)" 1
finish
