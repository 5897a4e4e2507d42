/* first.cu - launches a kernel of the other source on every PE. */
// SPDX-License-Identifier: BSD-3-Clause
#include <kernel.h>
#include <nvshmem.h>

int plain(int v);

int main()
{
    nvshmem_init();
    int *p = (int *)nvshmem_calloc(1, sizeof(*p));
    add<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    int good = *p == plain(2);
    nvshmem_barrier_all();
    nvshmem_free(p);
    nvshmem_finalize();
    return !good;
}
