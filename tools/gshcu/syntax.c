/* syntax.c - as much of the grammar of C++ as the rewriting needs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "syntax.h"

#include <string.h>

/* Angles are only looked for where a template is meant; brackets hide what is in them. */
int cu_angle_close(const struct cu_source *source, int open)
{
    int depth = 0;

    for (int i = open; i < source->n - 1; i++) {
        if (cu_is(source, i, "<"))
            depth++;
        else if (cu_is(source, i, ">") && --depth == 0)
            return i;
        else if (cu_is(source, i, "(") || cu_is(source, i, "[") || cu_is(source, i, "{"))
            i = cu_close(source, i);
        else if (cu_is(source, i, ";") || cu_is(source, i, ")") || cu_is(source, i, "}"))
            return -1;
        if (i < 0)
            return -1;
    }
    return -1;
}

int cu_angle_open(const struct cu_source *source, int close)
{
    int depth = 0;

    for (int i = close; i >= 0; i--) {
        if (cu_is(source, i, ">"))
            depth++;
        else if (cu_is(source, i, "<") && --depth == 0)
            return i;
        else if (cu_is(source, i, ")") || cu_is(source, i, "]") || cu_is(source, i, "}"))
            i = cu_open(source, i);
        else if (cu_is(source, i, ";") || cu_is(source, i, "(") || cu_is(source, i, "{"))
            return -1;
    }
    return -1;
}

bool cu_one_of(const struct cu_source *source, int word, const char *const list[])
{
    while (*list) {
        if (cu_is(source, word, *list++))
            return true;
    }
    return false;
}

int cu_skip_attribute(const struct cu_source *source, int word)
{
    static const char *const with_brackets[] = {
        "__attribute__", "__attribute", "alignas",  "_Alignas", "decltype",
        "noexcept",      "__declspec",  "explicit", "requires", NULL
    };

    if (cu_is(source, word, "[") && cu_is(source, word + 1, "["))
        return cu_close(source, word) + 1;
    if (!cu_one_of(source, word, with_brackets) || !cu_is(source, word + 1, "("))
        return word;
    return cu_close(source, word + 1) + 1;
}

int cu_parameter_end(const struct cu_source *source, int at, int end)
{
    for (; at >= 0 && at < end; at++) {
        if (cu_is(source, at, ","))
            return at;
        if (cu_is(source, at, "(") || cu_is(source, at, "[") || cu_is(source, at, "{")) {
            at = cu_close(source, at);
        } else if (cu_is(source, at, "<") && at > 0 && source->words[at - 1].kind == CU_NAME) {
            int close = cu_angle_close(source, at);
            if (close > 0 && close < end)
                at = close;
        }
        if (at < 0)
            return end;
    }
    return end;
}

static const char *const no_name[] = { "void",       "bool",     "char",     "short",
                                       "int",        "long",     "float",    "double",
                                       "signed",     "unsigned", "auto",     "wchar_t",
                                       "char8_t",    "char16_t", "char32_t", "__int128",
                                       "const",      "volatile", "restrict", "__restrict__",
                                       "__restrict", "typename", "class",    "struct",
                                       "union",      "enum",     NULL };
static const char *const no_type[] = { "const", "volatile", "struct", "union",
                                       "enum",  "register", NULL };

/* (*name)(int) and (&name)[4]. */
static bool bracketed(const struct cu_source *source, int from, int to, struct cu_parameter *found)
{
    for (int i = from; i + 1 < to; i++) {
        if (!cu_is(source, i, "(") || !(cu_is(source, i + 1, "*") || cu_is(source, i + 1, "&")))
            continue;
        int last = cu_close(source, i) - 1;
        while (last > i && cu_is(source, last, "]"))
            last = cu_open(source, last) - 1;
        bool named = source->words[last].kind == CU_NAME && !cu_one_of(source, last, no_name);
        found->name = named ? last : -1;
        found->after = last;
        return true;
    }
    return false;
}

/* The last word of a parameter without a default, attributes and array bounds behind. */
static int last_word(const struct cu_source *source, int from, int to)
{
    int last = to - 1;

    while (last > from) {
        if (cu_is(source, last, "]"))
            last = cu_open(source, last) - 1;
        else if (cu_is(source, last, ")") &&
                 cu_skip_attribute(source, cu_open(source, last) - 1) == last + 1)
            last = cu_open(source, last) - 2;
        else
            break;
    }
    return last;
}

struct cu_parameter cu_parameter(const struct cu_source *source, int from, int to, bool template)
{
    struct cu_parameter found = { .name = -1 };
    int end = from, types = 0;

    while (end < to && !cu_is(source, end, "=")) {
        found.pack |= cu_is(source, end, "...");
        end = cu_is(source, end, "(") || cu_is(source, end, "[") ? cu_close(source, end) + 1
                                                                 : end + 1;
    }
    if (bracketed(source, from, end, &found))
        return found;
    int last = last_word(source, from, end);
    found.after = last;
    for (int i = from; i < last; i = cu_skip_attribute(source, i)) {
        int next = cu_skip_attribute(source, i);
        bool key = cu_is(source, i, "typename") || cu_is(source, i, "class");
        if (next != i)
            continue;
        types += !cu_one_of(source, i, no_type) && (template || !key);
        i++;
    }
    if (types && source->words[last].kind == CU_NAME && !cu_one_of(source, last, no_name) &&
        !cu_is(source, last - 1, "::"))
        found.name = last;
    return found;
}

enum scope { SCOPE_INSIDE, SCOPE_FUNCTION, SCOPE_OTHER };

/* What the brace at `open` begins: a namespace or class whose inside is walked, the body
 * of a function, or something else, such as the values of an array. */
static enum scope scope(const struct cu_source *source, int head, int open)
{
    static const char *const classes[] = { "class", "struct", "union", NULL };
    bool inside = source->words[open - 1].kind == CU_STRING;

    for (int i = head; i < open; i++) {
        int next = cu_skip_attribute(source, i);
        if (next != i) {
            i = next - 1;
        } else if (cu_is(source, i, "template") && cu_is(source, i + 1, "<")) {
            int close = cu_angle_close(source, i + 1);
            i = close > 0 ? close : i;
        } else if (cu_is(source, i, "namespace")) {
            return SCOPE_INSIDE;
        } else if (cu_is(source, i, "=") || cu_is(source, i, "enum")) {
            return SCOPE_OTHER;
        } else if (cu_is(source, i, "(")) {
            return SCOPE_FUNCTION;
        } else if (cu_one_of(source, i, classes)) {
            inside = true;
        } else if (cu_is(source, i, "operator")) {
            return SCOPE_FUNCTION;
        } else if (inside && cu_is(source, i, ":")) {
            return SCOPE_INSIDE;
        }
    }
    return inside ? SCOPE_INSIDE : SCOPE_OTHER;
}

void cu_each_function(const struct cu_source *source,
                      void (*function)(void *context, int head, int open, int close), void *context)
{
    int head = 0;

    for (int i = 0; i < source->n - 1; i++) {
        if (cu_is(source, i, ";") || cu_is(source, i, "}")) {
            head = i + 1;
        } else if (cu_is(source, i, "(")) {
            int close = cu_close(source, i);
            i = close > 0 ? close : i;
        } else if (cu_is(source, i, "{")) {
            enum scope kind = i > head ? scope(source, head, i) : SCOPE_OTHER;
            int close = kind == SCOPE_INSIDE ? i : cu_close(source, i);
            if (close < 0)
                return;
            if (kind == SCOPE_FUNCTION)
                function(context, head, i, close);
            /* What follows the values of a variable still belongs to it. */
            if (kind != SCOPE_OTHER)
                head = close + 1;
            i = close;
        }
    }
}
