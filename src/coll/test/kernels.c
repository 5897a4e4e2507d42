/* Every reduction of every type is what a plain model says, for 1 to 9 operands, also into
 * one of them; half and bfloat16 are rounded to the nearest, ties to even. */
// SPDX-License-Identifier: BSD-3-Clause
#include "coll/kernels.h"
#include "core/half.h"
#include "util/half.h"
#include "util/test/tap.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum kind { SIGNED, UNSIGNED, REAL, HALF, BFLOAT };

struct row {
    const char *type, *op_name;
    size_t size;
    enum kind kind;
    enum gsh_reduction op;
    gsh_combine *combine;
};

#define KIND(type) \
    _Generic((type *)0, \
        char *: CHAR_MIN < 0 ? SIGNED : UNSIGNED, \
        unsigned char *: UNSIGNED, unsigned short *: UNSIGNED, unsigned *: UNSIGNED, \
        unsigned long *: UNSIGNED, unsigned long long *: UNSIGNED, \
        float *: REAL, double *: REAL, \
        struct __half *: HALF, struct __nv_bfloat16 *: BFLOAT, default: SIGNED)

static const struct row rows[] = {
#define ROW(name, type, op, a) \
    { #name, #op, sizeof(type), KIND(type), GSH_RED_##op, gsh_combine_##op##_##name },
    GSH_REDUCTIONS(ROW, _)
#undef ROW
};

enum {
    N_ROWS = sizeof(rows) / sizeof(rows[0]),
    OPERANDS = 9,
    ELEMENTS = 600,
    GUARD = 0xa5,
};

static uint64_t state = 1;

static uint32_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

/* A 16-bit float with `fraction` bits, taken apart by the definition. */
static double decode(uint16_t bits, int fraction)
{
    int bias = (1 << (14 - fraction)) - 1;
    int exponent = bits >> fraction & ((1 << (15 - fraction)) - 1);
    double value = bits & ((1 << fraction) - 1);

    if (exponent)
        value = ldexp(value + (1 << fraction), exponent - bias - fraction);
    else
        value = ldexp(value, 1 - bias - fraction);
    return bits & 0x8000 ? -value : value;
}

static uint16_t encode(double value, int fraction)
{
    int bias = (1 << (14 - fraction)) - 1;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent = value == 0 ? -bias : ilogb(value);
    int least = exponent > 1 - bias ? exponent : 1 - bias;
    double units = nearbyint(ldexp(fabs(value), fraction - least));

    if (ldexp(units, least - fraction) >= ldexp(1, bias + 1))
        return (uint16_t)(sign | ((1 << (15 - fraction)) - 1) << fraction);
    /* A carry out of the fraction raises the exponent by itself. */
    return (uint16_t)(sign | ((int)units + ((least + bias - 1) << fraction)));
}

static int fraction_of(const struct row *row)
{
    return row->kind == HALF ? 10 : 7;
}

static void fill(const struct row *row, void *to, size_t i)
{
    char *at = (char *)to + i * row->size;
    uint64_t any = (uint64_t)draw() << 32 | draw();
    double real = (draw() % 5 ? 1 : -1) * (0.4 + draw() % 1000000 * 1e-6);
    float single = (float)real;
    uint16_t bits = encode(real, row->kind == HALF ? 10 : 7);

    if (draw() % 4 == 0) /* the ends of the range, and 0 */
        any = draw() % 3 ? (draw() % 2 ? UINT64_MAX : UINT64_C(1) << (row->size * 8 - 1)) : 0;
    if (row->kind == REAL)
        memcpy(at, row->size == 4 ? (void *)&single : (void *)&real, row->size);
    else
        memcpy(at, row->kind >= HALF ? (void *)&bits : (void *)&any, row->size);
}

static uint64_t whole(enum gsh_reduction op, uint64_t x, uint64_t y, bool has_sign)
{
    bool less = has_sign ? (int64_t)x < (int64_t)y : x < y;

    switch (op) {
    case GSH_RED_and:
        return x & y;
    case GSH_RED_or:
        return x | y;
    case GSH_RED_xor:
        return x ^ y;
    case GSH_RED_min:
        return less ? x : y;
    case GSH_RED_max:
        return less ? y : x;
    case GSH_RED_sum:
        return x + y;
    default:
        return x * y;
    }
}

static double real(enum gsh_reduction op, double x, double y)
{
    switch (op) {
    case GSH_RED_min:
        return x < y ? x : y;
    case GSH_RED_max:
        return x > y ? x : y;
    case GSH_RED_sum:
        return x + y;
    default:
        return x * y;
    }
}

/* Sums and products of two floats, rounded from double, are those of float. */
static double real_of(const struct row *row, const char *at)
{
    float single;
    double value;
    uint16_t bits;

    memcpy(&bits, at, sizeof(bits));
    if (row->kind != REAL)
        return decode(bits, fraction_of(row));
    if (row->size == 4)
        return memcpy(&single, at, sizeof(single)), single;
    memcpy(&value, at, sizeof(value));
    return value;
}

static void model_real(const struct row *row, char *out, const void *const *from, int n, size_t at)
{
    double value = real_of(row, (const char *)from[0] + at);
    uint16_t bits;
    float single;

    for (int k = 1; k < n; k++) {
        value = real(row->op, value, real_of(row, (const char *)from[k] + at));
        if (row->size < 8)
            value = (float)value;
    }
    single = (float)value;
    if (row->kind != REAL) {
        bits = encode(value, fraction_of(row));
        memcpy(out, &bits, sizeof(bits));
    } else {
        memcpy(out, row->size == 4 ? (void *)&single : (void *)&value, row->size);
    }
}

static uint64_t whole_of(const struct row *row, const char *at)
{
    unsigned shift = 64 - (unsigned)row->size * 8;
    uint64_t value = 0;

    memcpy(&value, at, row->size);
    value <<= shift;
    return row->kind == SIGNED ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static void model(const struct row *row, char *out, const void *const *from, int n, size_t nelems)
{
    for (size_t i = 0; i < nelems; i++) {
        size_t at = i * row->size;
        uint64_t value;

        if (row->kind >= REAL) {
            model_real(row, out + at, from, n, at);
            continue;
        }
        value = whole_of(row, (const char *)from[0] + at);
        for (int k = 1; k < n; k++) {
            value = whole(row->op, value, whole_of(row, (const char *)from[k] + at),
                          row->kind == SIGNED);
            memcpy(out + at, &value, row->size);
            value = whole_of(row, out + at);
        }
        memcpy(out + at, &value, row->size);
    }
}

/* Into a place of its own (target -1) or into an operand. */
static bool agrees(const struct row *row, int n, size_t nelems, int target)
{
    static _Alignas(64) char operands[OPERANDS + 1][ELEMENTS * 8 + 64];
    static char expected[ELEMENTS * 8];
    const void *from[OPERANDS];
    char *to = operands[target < 0 ? OPERANDS : target];

    memset(operands, GUARD, sizeof(operands));
    for (int k = 0; k < n; k++) {
        from[k] = operands[k];
        for (size_t i = 0; i < nelems; i++)
            fill(row, operands[k], i);
    }
    model(row, expected, from, n, nelems);
    row->combine(to, from, n, nelems);
    for (size_t i = nelems * row->size; i < nelems * row->size + 64; i++)
        if ((unsigned char)to[i] != GUARD)
            return false;
    return !memcmp(to, expected, nelems * row->size);
}

static void check_row(const struct row *row)
{
    static const size_t counts[] = { 0, 1, 3, 17, 255, 256, 257, ELEMENTS };
    bool good = true, in_place = true;

    for (int n = 1; n <= OPERANDS; n++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            good &= agrees(row, n, counts[c], -1);
            for (int k = 0; k < n && c % 2; k++)
                in_place &= agrees(row, n, counts[c], k);
        }
    }
    tap_ok(good && in_place, "%s of %s%s", row->op_name, row->type,
           good && !in_place ? " (wrong only in place)" : "");
}

/* All values, and at every boundary between two: the tie and its float neighbours. */
static void check_format(const char *name, int fraction, float (*widen)(uint16_t),
                         uint16_t (*narrow)(float))
{
    uint16_t infinity = (uint16_t)(((1 << (15 - fraction)) - 1) << fraction);
    bool exact = true, back = true, ties = true, near = true, nan = true;

    for (uint16_t h = 0; h < infinity; h++) {
        double low = decode(h, fraction), high = decode((uint16_t)(h + 1), fraction);
        float tie = (float)((low + high) / 2);

        for (int sign = 0; sign < 2; sign++) {
            uint16_t bits = (uint16_t)(h | sign << 15);
            float s = sign ? -1 : 1;

            exact &= widen(bits) == decode(bits, fraction) && !signbit(widen(bits)) == !sign;
            back &= narrow(widen(bits)) == bits;
            ties &= narrow(s * tie) == bits + (h & 1);
            near &= narrow(s * nextafterf(tie, 0)) == bits;
            near &= narrow(s * nextafterf(tie, INFINITY)) == bits + 1;
        }
    }
    for (unsigned h = infinity + 1u; h < 0x8000; h++)
        nan &= isnan(widen((uint16_t)h)) && (narrow(widen((uint16_t)h)) & 0x7fff) > infinity;
    tap_ok(exact, "%s: all values are exact as float", name);
    tap_ok(back, "%s: all values come back", name);
    tap_ok(ties, "%s: all ties go to the even neighbour, the last to infinity", name);
    tap_ok(near, "%s: the floats next to all ties go to the nearer neighbour", name);
    tap_ok(nan && narrow(INFINITY) == infinity && narrow(-INFINITY) == (infinity | 0x8000) &&
               isinf(widen(infinity)),
           "%s: infinities and NaNs stay what they are", name);
}

int main(void)
{
    check_format("half", 10, gsh_half_to_float, gsh_float_to_half);
    check_format("bfloat16", 7, gsh_bfloat16_to_float, gsh_float_to_bfloat16);
    for (int i = 0; i < N_ROWS; i++)
        check_row(&rows[i]);
    return tap_end();
}
