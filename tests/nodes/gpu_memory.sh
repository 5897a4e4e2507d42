#!/bin/sh
# Symmetric memory on GPUs of other nodes, here of a pretended driver, is put to and got from, in
# small pieces and in large ones.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
[ -f "$GSH_BUILD/test/fake/libcuda.so.1" ] || skip_all "the pretended driver is not built"

cp "$GSH_SOURCE/tests/gpu/fake/unit.h" .
program gpus <<'C'
#include "unit.h"
#include <nvshmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 << 20 };

int main(void)
{
    int me, n, wrong = 0, next, before;
    char *there, *source, *back;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    next = (me + 1) % n;
    before = (me + n - 1) % n;
    choose(me);
    there = nvshmem_malloc(MOST);
    if (!there || !state.bytes)
        return printf("no memory on the GPU\n"), 1;
    source = malloc(MOST);
    back = malloc(MOST);
    for (size_t bytes = 1; bytes <= MOST; bytes = bytes * 7 + 1) {
        memset(source, me + (int)(bytes % 100), bytes);
        nvshmem_putmem(there, source, bytes, next);
        nvshmem_barrier_all();
        memset(source, before + (int)(bytes % 100), bytes);
        nvshmem_getmem(back, there, bytes, me);
        wrong += memcmp(back, source, bytes) != 0;
        memset(source, me + (int)(bytes % 100), bytes);
        nvshmem_getmem(back, there, bytes, next);
        wrong += memcmp(back, source, bytes) != 0;
        nvshmem_barrier_all();
    }
    printf("PE %d of %d: next is %s, %d wrong\n", me, n, nvshmem_ptr(there, next) ? "here" : "away",
           wrong);
    nvshmem_free(there);
    nvshmem_finalize();
    return wrong != 0;
}
C
run env LD_LIBRARY_PATH="$GSH_BUILD/test/fake" gshrun -n 3 -x GSHMEM_FAKE_NODES=2 -x UCX_TLS=tcp ./gpus
ok "the job is well" is "$status" 0
ok "all bytes come to and from the memory of GPUs" is "$(grep -c ' 0 wrong' out)" 3
ok "between PEs of different nodes too" is "$(grep -c 'next is away' out)" 2
finish
