/* check.h - a case ends with the line of what does not hold. */
// SPDX-License-Identifier: BSD-3-Clause
#define CHECK(c) \
    do { \
        if (!(c)) \
            return __LINE__ & 255 ? __LINE__ & 255 : 1; \
    } while (0)
