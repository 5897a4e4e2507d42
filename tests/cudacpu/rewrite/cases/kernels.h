/* kernels.h - kernels, launches and dynamic shared memory in a header. */
// SPDX-License-Identifier: BSD-3-Clause
template <class T> __global__ void reverse(T *p, int n)
{
    extern __shared__ __align__(sizeof(T)) unsigned char bytes[];
    T *s = reinterpret_cast<T *>(bytes);
    int i = threadIdx.x;

    s[i] = p[i];
    __syncthreads();
    p[i] = s[n - 1 - i];
}
template <class T> inline void launch_reverse(T *p, int n)
{
    reverse<<<1, n, n * sizeof(T)>>>(p, n);
}
