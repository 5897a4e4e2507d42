/* half.h - the 16-bit floating types as the library sees them: their bits. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_HALF_H
#define GSH_CORE_HALF_H

#include <stdint.h>

struct __half {
    uint16_t bits;
};

struct __nv_bfloat16 {
    uint16_t bits;
};

#endif /* GSH_CORE_HALF_H */
