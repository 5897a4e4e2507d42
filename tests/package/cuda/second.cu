/* second.cu - a kernel. */
// SPDX-License-Identifier: BSD-3-Clause
__global__ void add(int *p)
{
    *p += ADDED;
}
