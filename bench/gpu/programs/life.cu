/* life.cu - a process that starts, launches one kernel and ends; the slowest PE's milliseconds
 * of each step are appended to a file, a JSON object a line. The CUDA context is made before, so
 * that init is the library's alone: init_attr, and the first allocation and barrier.
 *
 * usage: life --rank R --pes N --meet FILE --json FILE
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "../boot.h"

#include <string.h>
#include <time.h>

enum step { CONTEXT, INIT, KERNEL, FINALIZE, STEPS };

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

__global__ void tell(int *at)
{
    nvshmem_int_p(at, nvshmem_my_pe() + 1, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
    nvshmem_barrier_all();
}

static int run(int rank, int pes, double *ms)
{
    double start = now_ms();
    int got = 0, *at;

    cudaSetDevice(0);
    cudaFree(NULL);
    ms[CONTEXT] = now_ms() - start;
    meet_all();
    start = now_ms();
    boot(rank, pes);
    at = (int *)nvshmem_malloc(sizeof(*at));
    nvshmem_barrier_all();
    ms[INIT] = now_ms() - start;
    start = now_ms();
    void *args[] = { &at };
    if (nvshmemx_collective_launch((const void *)tell, dim3(1), dim3(1), args, 0, 0))
        return 1;
    cudaMemcpy(&got, at, sizeof(got), cudaMemcpyDeviceToHost);
    ms[KERNEL] = now_ms() - start;
    nvshmem_free(at);
    meet_all();
    start = now_ms();
    nvshmem_finalize();
    ms[FINALIZE] = now_ms() - start;
    return got != (rank + pes - 1) % pes + 1;
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "context", "init", "kernel", "finalize" };
    const char *meet = NULL, *json = NULL;
    int rank = 0, pes = 0;
    double ms[STEPS + 1] = { 0 };

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rank"))
            rank = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--pes"))
            pes = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--meet"))
            meet = argv[i + 1];
        else if (!strcmp(argv[i], "--json"))
            json = argv[i + 1];
    }
    if (!meet || !json || pes < 1) {
        fputs("usage: life --rank R --pes N --meet FILE --json FILE\n", stderr);
        return 2;
    }
    meet_open(meet, rank, pes);
    ms[STEPS] = run(rank, pes, ms);
    meet_max(ms, STEPS + 1);
    FILE *out = rank == 0 ? fopen(json, "a") : NULL;
    for (int i = 0; out && i < STEPS; i++)
        fprintf(
            out,
            "{\"key\": \"%s\", \"scope\": \"host\", \"bytes\": 0, \"pes\": %d, \"unit\": \"ms\", "
            "\"min\": %.4g, \"median\": %.4g, \"p99\": %.4g, \"limit\": 0, \"checked\": %d, "
            "\"wrong\": %.0f, \"batches\": 1, \"calls\": 1}\n",
            names[i], pes, ms[i], ms[i], ms[i], pes, ms[STEPS]);
    if (out)
        fclose(out);
    return ms[STEPS] != 0;
}
