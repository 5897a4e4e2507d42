/* half.h - conversion of the 16-bit floating types, by their bits. To float is
 * exact; from float rounds to the nearest, ties to even.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_UTIL_HALF_H
#define GSH_UTIL_HALF_H

#include <stdint.h>
#include <string.h>

static inline float gsh_float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t gsh_bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline float gsh_bfloat16_to_float(uint16_t bits)
{
    return gsh_float_of_bits((uint32_t)bits << 16);
}

static inline uint16_t gsh_float_to_bfloat16(float value)
{
    uint32_t bits = gsh_bits_of_float(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); /* NaN stays one */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Half has 5 exponent bits (bias 15) and 10 of fraction. Its numbers below 2^-14
 * are multiples of 2^-24, which float holds as they are. */
static inline float gsh_half_to_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31;
    uint32_t fraction = bits & 0x3ff;

    if (exponent == 0)
        return gsh_float_of_bits(sign | gsh_bits_of_float((float)fraction * 0x1p-24f));
    if (exponent == 31)
        return gsh_float_of_bits(sign | 0x7f800000 | fraction << 13);
    return gsh_float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static inline uint16_t gsh_float_to_half(float value)
{
    uint32_t bits = gsh_bits_of_float(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t rest = bits & 0x7fffffff;

    if (rest > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (rest >= 0x477ff000) /* rounds to 65536 or beyond */
        return (uint16_t)(sign | 0x7c00);
    if (rest < 0x38800000) /* below 2^-14: adding 1/2 rounds to a multiple of 2^-24 */
        return (uint16_t)(sign | (gsh_bits_of_float(gsh_float_of_bits(rest) + 0.5f) & 0x7ff));
    return (uint16_t)(sign | ((rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13));
}

#endif /* GSH_UTIL_HALF_H */
