/* calls.h - the calls of the pretended libcuda: each is as gshmem declares it. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_FAKE_CALLS_H
#define GSH_TESTS_FAKE_CALLS_H

#include "gpu/cuda/driver.h"
#include "gpus.h"

#define ROW(name, symbol, params) __attribute__((visibility("default"))) int symbol params;
GSH_CUDA_CALLS(ROW)
GSH_CUDA_NEWER_CALLS(ROW)
#undef ROW

#endif /* GSH_TESTS_FAKE_CALLS_H */
