# OpenSHMEM 1.5, section 8 (environment variables) and annex F: SHMEM_VERSION,
# SHMEM_INFO, SHMEM_SYMMETRIC_SIZE and SHMEM_DEBUG, and the same with SMA_, act as
# NVSHMEM_VERSION and so on, which win when both are set.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

program start <<'END'
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    shmem_init();
    if (!shmem_malloc(100 << 20))
        puts("full");
    shmem_finalize();
    return 0;
}
END

run gshrun -n 2 ./start
ok "nothing is printed by itself" is "$status $(cat out)" "0 "
SHMEM_VERSION=1 run gshrun -n 2 ./start
ok "SHMEM_VERSION prints the release" says "NVSHMEM v"
SHMEM_INFO=1 run gshrun -n 2 ./start
ok "SHMEM_INFO lists the variables" says "NVSHMEM_SYMMETRIC_SIZE"
SHMEM_DEBUG=1 run gshrun -n 2 ./start
ok "SHMEM_DEBUG logs" says "info"
SHMEM_SYMMETRIC_SIZE=10M NVSHMEM_DISABLE_CUDA_VMM=1 run gshrun -n 2 ./start
ok "SHMEM_SYMMETRIC_SIZE is the size of the heap" says "^full"
SHMEM_SYMMETRIC_SIZE=10M NVSHMEM_SYMMETRIC_SIZE=200M NVSHMEM_DISABLE_CUDA_VMM=1 \
    run gshrun -n 2 ./start
ok "NVSHMEM_SYMMETRIC_SIZE wins" is "$status $(cat out)" "0 "
SHMEM_SYMMETRIC_SIZE=77M run gshinfo -e
ok "gshinfo shows the name that set a value" says "NVSHMEM_SYMMETRIC_SIZE=77M .*\(SHMEM_SYMMETRIC_SIZE\)"
SMA_SYMMETRIC_SIZE=10M NVSHMEM_DISABLE_CUDA_VMM=1 run gshrun -n 2 ./start
ok "SMA_SYMMETRIC_SIZE, the older name, too" says "^full"
SHMEM_SYMMETRIC_SIZE=-1 run ./start
ok "a bad value is refused under the name that was set" says "gshmem: SHMEM_SYMMETRIC_SIZE is '-1'"
program old <<'END'
#include <mpp/shmem.h>

int main(void)
{
    start_pes(0);
    return 0;
}
END
run ./old
ok "mpp/shmem.h, the older header, is there" is "$status" 0
finish
