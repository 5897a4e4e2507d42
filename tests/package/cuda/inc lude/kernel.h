/* kernel.h - what the two CUDA sources share. */
// SPDX-License-Identifier: BSD-3-Clause
__global__ void add(int *p);
