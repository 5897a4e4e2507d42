/* std.h - the types of C that ours use. NVRTC has no such headers: there they are
 * those of CUDA's own library of C++. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_STD_H
#define GSHMEM_STD_H

#ifdef __CUDACC_RTC__
#include <cuda/std/climits>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>

using cuda::std::ptrdiff_t;

/* Complex numbers are moved, but not reckoned with. */
#define GSH_COMPLEX(type, name) \
    typedef struct { \
        type parts[2]; \
    } name
#else
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* C++ has these as an extension of the compilers. */
#define GSH_COMPLEX(type, name) __extension__ typedef type _Complex name
#endif

#endif /* GSHMEM_STD_H */
