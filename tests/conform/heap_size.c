/* NVSHMEM_SYMMETRIC_SIZE set just before init, an odd number of bytes, is wholly there
 * for the program, and the next init reads it again. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

static void take_all(const char *text, size_t bytes)
{
    int me, n;
    unsigned char *p;

    setenv("NVSHMEM_SYMMETRIC_SIZE", text, 1);
    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    p = (unsigned char *)nvshmem_malloc(bytes);
    CHECK(p != NULL, "%s: %s", text, nvshmemx_last_error());
    if (p) {
        memset(p, 1, bytes);
        nvshmem_barrier_all();
        nvshmem_char_p((char *)&p[bytes - 1], (char)(me + 2), (me + 1) % n);
        nvshmem_barrier_all();
        CHECK(p[bytes - 1] == (me + n - 1) % n + 2, "the last byte of %s", text);
        CHECK(differs_from(p, bytes - 1, 1) == bytes - 1, "the other bytes of %s", text);
    }
    nvshmem_free(p);
    nvshmem_finalize();
}

static void take_too_much(void)
{
    void *p;

    setenv("NVSHMEM_SYMMETRIC_SIZE", "1M", 1);
    nvshmem_init();
    p = nvshmem_malloc((size_t)64 << 20);
    CHECK(p == NULL, "64 MiB of a heap of 1 MiB");
    CHECK(nvshmemx_last_error()[0] != 0, "the error has a text");
    p = nvshmem_malloc(1 << 20);
    CHECK(p != NULL, "1 MiB of a heap of 1 MiB: %s", nvshmemx_last_error());
    CHECK(nvshmem_malloc((size_t)64 << 20) == NULL, "64 MiB of a full heap");
    nvshmem_free(p);
    p = nvshmem_calloc(1 << 10, 1 << 10);
    CHECK(p != NULL, "1 MiB again: %s", nvshmemx_last_error());
    nvshmem_free(p);
    nvshmem_finalize();
}

int main(void)
{
    int status;

    take_all("288376", 288376);
    fact("an odd number of bytes is allocatable to the last one");
    take_all("3M", (size_t)3 << 20);
    take_all("5000K", (size_t)5000 << 10);
    fact("K and M count in powers of 1024");
    setenv("NVSHMEM_DISABLE_CUDA_VMM", "1", 1);
    take_all("288376", 288376);
    take_all("2097153", 2097153);
    fact("so is an odd number of bytes of a heap that does not grow");
    take_too_much();
    fact("a heap that does not grow gives NULL when it is full, and goes on");
    unsetenv("NVSHMEM_DISABLE_CUDA_VMM");
    setenv("NVSHMEM_SYMMETRIC_SIZE", "1M", 1);
    nvshmem_init();
    nvshmem_free(need((size_t)9 << 20));
    fact("a heap that grows serves more than NVSHMEM_SYMMETRIC_SIZE");
    status = finish();
    nvshmem_finalize();
    return status;
}
