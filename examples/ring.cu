/* ring.cu - each PE's kernel stores its number at the next PE and the host looks at what
 * has come: the smallest program with communication in a kernel.
 *
 *     gshcc ring.cu -o ring && gshrun -n 4 ./ring
 */
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

__global__ void send_to_next(int *dest)
{
    int me = nvshmem_my_pe();

    nvshmem_int_p(dest, me, (me + 1) % nvshmem_n_pes());
}

int main()
{
    int me, n, got = -1;

    nvshmem_init();
    cudaSetDevice(0);
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();

    int *dest = (int *)nvshmem_malloc(sizeof(int));
    send_to_next<<<1, 1>>>(dest);
    cudaDeviceSynchronize();
    nvshmem_barrier_all(); /* now every PE's number has arrived */
    cudaMemcpy(&got, dest, sizeof(got), cudaMemcpyDeviceToHost);

    bool right = got == (me + n - 1) % n;
    printf("PE %d of %d has got %d%s\n", me, n, got, right ? "" : ", which is WRONG");
    nvshmem_free(dest);
    nvshmem_finalize();
    return right ? 0 : 1;
}
