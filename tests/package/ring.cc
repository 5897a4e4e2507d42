/* ring.cc - the same program in C++. */
// SPDX-License-Identifier: BSD-3-Clause
#include "ring.c"

#include <nvshmem_host.h>
#include <vector>

static std::vector<int> needs_the_library_of_cxx(3);
