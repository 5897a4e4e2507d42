/* launch.c - launches. Of `k<<<grid, block>>>(a, b)` becomes
 *
 *     (::gsh_cuda::config(grid, block), k(a, b))
 *
 * so that overloads, deduced template arguments, default arguments and conversions are
 * those of an ordinary call; the kernel itself finds the configuration (see kernel.c).
 * The words of k move behind the configuration, everything else stays in its place.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite.h"
#include "syntax.h"

#include <stdlib.h>

static bool angles(const struct cu_source *source, int word, const char *angle, int n)
{
    for (int i = 0; i < n; i++) {
        if (!cu_is(source, word + i, angle))
            return false;
    }
    return true;
}

/* A name that may stand before ( or [ in an expression. */
static bool called(const struct cu_source *source, int word)
{
    static const char *const statements[] = { "if",        "while",  "for",       "switch",
                                              "constexpr", "return", "else",      "do",
                                              "case",      "throw",  "co_return", "co_yield",
                                              "co_await",  "catch",  NULL };

    return word >= 0 && source->words[word].kind == CU_NAME && !cu_one_of(source, word, statements);
}

/* Whether the bracket that ends at `close` is a value, and not that of an if or for. */
static bool value(const struct cu_source *source, int close)
{
    int open = cu_open(source, close);

    if (open <= 0)
        return false;
    return called(source, open - 1) || cu_is(source, open - 1, ")") || cu_is(source, open - 1, "]");
}

/* The first word of the name, call, subscript or bracket that ends at `last`; -1: none. */
static int primary(const struct cu_source *source, int last)
{
    while (last >= 0) {
        if (cu_is(source, last, ">")) {
            last = cu_angle_open(source, last) - 1;
        } else if (cu_is(source, last, ")") || cu_is(source, last, "]")) {
            int open = cu_open(source, last);
            if (open < 0)
                return -1;
            bool more = called(source, open - 1) || cu_is(source, open - 1, ">") ||
                        cu_is(source, open - 1, "]") ||
                        (cu_is(source, open - 1, ")") && value(source, open - 1));
            if (!more)
                return cu_is(source, last, ")") ? open : -1;
            last = open - 1;
        } else {
            return source->words[last].kind == CU_NAME ? last : -1;
        }
    }
    return -1;
}

/* The first word of the expression that ends at `last`. */
static int callee(const struct cu_source *source, int last)
{
    int first = primary(source, last);

    while (first > 0) {
        int before = first - 1;
        if (cu_is(source, before, "template"))
            before--;
        bool global = cu_is(source, before, "::");
        if (!global && !cu_is(source, before, ".") && !cu_is(source, before, "->"))
            return first;
        bool more = called(source, before - 1) || cu_is(source, before - 1, ">") ||
                    (!global && (cu_is(source, before - 1, ")") || cu_is(source, before - 1, "]")));
        if (global && !more)
            return before;
        first = primary(source, before - 1);
    }
    return first;
}

/* The first of the three > that end a configuration which begins at `at`, or -1. More
 * than three belong to a template argument before. */
static int config_end(const struct cu_source *source, int at)
{
    for (; at < source->n - 1; at++) {
        int n = 0;
        while (cu_is(source, at + n, ">"))
            n++;
        if (n >= 3 && cu_is(source, at + n, "("))
            return at + n - 3;
        if (n) {
            at += n - 1;
        } else if (cu_is(source, at, "(") || cu_is(source, at, "[") || cu_is(source, at, "{")) {
            at = cu_close(source, at);
            if (at < 0)
                return -1;
        } else if (cu_is(source, at, ";") || cu_is(source, at, ")") || cu_is(source, at, "}")) {
            return -1;
        }
    }
    return -1;
}

/* Rewrites the launch whose <<< begins at `open`. */
static int launch(struct cu_edits *edits, int open)
{
    const struct cu_source *source = edits->source;
    int end = config_end(source, open + 3);
    if (end < 0)
        return cu_error(source, open, "the launch that <<< begins has no >>>( behind");
    if (end == open + 3)
        return cu_error(source, open, "<<< >>> needs at least a grid and a block");
    int close = cu_close(source, end + 3);
    int first = callee(source, open - 1);
    if (close < 0)
        return cu_error(source, end, "the arguments of the launch have no closing bracket");
    if (first < 0)
        return cu_error(source, open, "what is before <<< is not a kernel");

    char *kernel = cu_line(source, first, open - 1);
    cu_before(edits, first, "(::gsh_cuda::config(");
    cu_drop(edits, first, open + 2);
    cu_drop(edits, end, end + 2);
    cu_before(edits, end + 3, "), %s", kernel);
    cu_after(edits, close, ")");
    free(kernel);
    return 0;
}

void cu_launches(struct cu_edits *edits)
{
    for (int i = 1; i < edits->source->n; i++) {
        if (!angles(edits->source, i, "<", 3) || cu_is(edits->source, i - 1, "operator"))
            continue;
        if (launch(edits, i))
            edits->failed++;
        i += 2;
    }
}
