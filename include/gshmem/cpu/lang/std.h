/* std.h - cuda::std is the host's std. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LANG_STD_H
#define GSHMEM_CPU_LANG_STD_H

namespace std {
}

namespace cuda {
namespace std = ::std;
}

#endif /* GSHMEM_CPU_LANG_STD_H */
