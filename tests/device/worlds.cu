/* Worlds that begin and end in a loop, each with memory of both kinds and a kernel, leave no
 * memory of the device taken and no descriptor open (B28). */
// SPDX-License-Identifier: BSD-3-Clause
#include "../conform/check.h"

#include <cuda_runtime.h>
#include <limits.h>
#include <unistd.h>

/* The first worlds, up to WARM, open what stays. After them fewer than one descriptor a world
 * may be left: SPARE. */
enum { ROUNDS = 8, WARM = 2, SPARE = 4, BLOCK = 64 };

__global__ void ring(int *at, int round, unsigned *wrong)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), i = threadIdx.x;

    nvshmem_int_p(at + i, 1000 * round + me, (me + 1) % n);
    nvshmemx_barrier_all_block();
    if (at[i] != 1000 * round + (me + n - 1) % n)
        atomicAdd(wrong, 1u);
    nvshmemx_barrier_all_block();
}

/* Descriptors that are open, once no more than `enough` are, or after 10 s: the thread that
 * serves the job ends when every PE has left, which is after this one's finalize. */
static int open_files(int enough)
{
    int files = count_entries("/proc/self/fd");

    for (int tries = 0; files > enough && tries < 1000; tries++) {
        usleep(10000);
        files = count_entries("/proc/self/fd");
    }
    return files;
}

/* One world's work. */
static void use(int round, unsigned *wrong)
{
    int *at[2] = { (int *)nvshmemx_malloc_kind(1 << 20, NVSHMEMX_KIND_DEVICE),
                   (int *)nvshmemx_malloc_kind(1 << 20, NVSHMEMX_KIND_HOST) };
    unsigned count = 1;

    CHECK(at[0] && at[1], "%s", nvshmemx_last_error());
    for (int kind = 0; kind < 2; kind++)
        ring<<<1, BLOCK>>>(at[kind], round, wrong);
    CHECK(!cudaDeviceSynchronize(), "round %d", round);
    cudaMemcpy(&count, wrong, sizeof(count), cudaMemcpyDeviceToHost);
    CHECK(!count, "round %d: %u details", round, count);
    nvshmem_barrier_all();
    nvshmem_free(at[0]);
    if (round % 2)
        nvshmem_free(at[1]); /* else finalize does it */
}

int main(void)
{
    size_t before = 0, now = 0, all;
    int files = INT_MAX, files_now, status;
    unsigned *wrong;

    cudaSetDevice(0);
    cudaMalloc((void **)&wrong, sizeof(*wrong));
    cudaMemset(wrong, 0, sizeof(*wrong));
    for (int round = 0; round < ROUNDS; round++) {
        nvshmem_init();
        use(round, wrong);
        nvshmem_barrier_all();
        cudaMemGetInfo(&now, &all);
        nvshmem_barrier_all();
        nvshmem_finalize();
        files_now = count_entries("/proc/self/fd");
        if (round <= WARM && files_now < files)
            files = files_now;
        if (round == WARM)
            before = now;
    }
    files_now = open_files(files + SPARE);
    nvshmem_init();
    CHECK(now + ((size_t)256 << 20) > before, "%zu bytes free, before %zu", now, before);
    CHECK(files_now <= files + SPARE, "%d descriptors, up to round %d %d", files_now, WARM, files);
    for (int fd = 0; files_now > files + SPARE && fd < 2 * files_now; fd++) {
        char path[64], what[256];

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        ssize_t got = readlink(path, what, sizeof(what) - 1);
        if (got > 0)
            printf("# descriptor %d: %.*s\n", fd, (int)got, what);
    }
    fact("%d worlds with kernels leave nothing behind", ROUNDS);
    status = finish();
    nvshmem_finalize();
    return status;
}
