/* shared.c - __shared__ variables. A block is an operating-system thread, so that a
 * static one becomes `static thread_local`. A dynamic one, `extern __shared__ T name[];`,
 * becomes a reference to an array of unknown bound:
 *
 *     typedef T gsh_made_1[]; gsh_made_1 &name = ::gsh_cuda::dynamic_shared<gsh_made_1>();
 *
 * Declared outside of functions, the reference is made at the beginning of each later
 * function that uses the name.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite.h"
#include "syntax.h"

#include <stdlib.h>
#include <string.h>

#define REFERENCE " %s &%s = ::gsh_cuda::dynamic_shared<%s>();"

/* A dynamic variable that was declared outside of functions. */
struct outside {
    struct cu_edits *edits;
    char *name;
    char *type;
    int from; /* where it was declared */
};

static int statement_start(const struct cu_source *source, int word)
{
    while (word > 0 && !cu_is(source, word - 1, ";") && !cu_is(source, word - 1, "{") &&
           !cu_is(source, word - 1, "}") && !cu_is(source, word - 1, ")") &&
           !(cu_is(source, word - 1, ":")))
        word--;
    return word;
}

/* Like statement_start(), but over attributes with brackets before the mark. */
static int declaration_start(const struct cu_source *source, int mark)
{
    int start = statement_start(source, mark);

    while (cu_is(source, start - 1, ")")) {
        int open = cu_open(source, start - 1);
        if (open < 1 || cu_skip_attribute(source, open - 1) != start)
            break;
        start = statement_start(source, open - 1);
    }
    return start;
}

/* Alignment is that of the dynamic memory, 128 bytes; it may not stand in a typedef. */
static void drop_attributes(struct cu_edits *edits, int from, int to)
{
    for (int i = from; i < to; i++) {
        int next = cu_is(edits->source, i, "decltype") ? i : cu_skip_attribute(edits->source, i);
        if (next != i)
            cu_drop(edits, i, next - 1);
        i = next != i ? next - 1 : i;
    }
}

/* The words that are left of a range. */
static void append_kept(const struct cu_edits *edits, int from, int to, char **text)
{
    for (int i = from; i < to; i++) {
        const struct cu_word *word = &edits->source->words[i];
        if (!edits->words[i].drop)
            cu_append(text, "%s%.*s", cu_blank(word), (int)word->length, word->text);
    }
}

static void use_outside(void *context, int head, int open, int close)
{
    const struct outside *outside = context;
    const struct cu_source *source = outside->edits->source;

    for (int i = head; head > outside->from && i < close; i++) {
        if (!cu_is(source, i, outside->name))
            continue;
        bool member = cu_is(source, i - 1, ".") || cu_is(source, i - 1, "->");
        if (i < open) /* a parameter of that name, or the function itself */
            return;
        if (member)
            continue;
        cu_after(outside->edits, open, REFERENCE, outside->type, outside->name, outside->type);
        return;
    }
}

static void in_function(void *context, int head, int open, int close)
{
    int *word = context;

    (void)head;
    if (*word > open && *word < close)
        *word = -1;
}

/* The name of the variable that is declared between from and to. */
static int declared(const struct cu_source *source, int from, int to)
{
    int at = from;

    while (at < to && !cu_is(source, at, "[") && !cu_is(source, at, "=")) {
        int next = cu_skip_attribute(source, at);
        int close = cu_is(source, at, "<") ? cu_angle_close(source, at) : -1;
        at = next != at ? next : close > 0 ? close + 1 : at + 1;
    }
    do
        at--;
    while (at > from && source->words[at].kind != CU_NAME);
    return at;
}

/* One variable of a declaration, whose name is at `name` and that ends before `to`. */
static void dynamic(struct cu_edits *edits, int start, int specifiers, int name, int to)
{
    const struct cu_source *source = edits->source;
    struct outside outside = { .edits = edits, .from = to };
    char *text = NULL;
    int where = start;

    cu_append(&outside.type, "gsh_made_%d", ++edits->n_made);
    outside.name = cu_line(source, name, name);
    cu_append(&text, "typedef ");
    append_kept(edits, start, specifiers, &text);
    cu_append(&text, " %s", outside.type);
    append_kept(edits, name + 1, to, &text);
    cu_append(&text, ";");
    cu_each_function(source, in_function, &where);
    if (where < 0)
        cu_append(&text, REFERENCE, outside.type, outside.name, outside.type);
    else
        cu_each_function(source, use_outside, &outside);
    cu_before(edits, start, "%s ", text);
    free(text);
    free(outside.type);
    free(outside.name);
}

static void dynamic_declaration(struct cu_edits *edits, int start, int end)
{
    const struct cu_source *source = edits->source;

    drop_attributes(edits, start, end);
    for (int i = start; i < end; i++) {
        if (cu_is(source, i, "extern") || cu_is(source, i, "__gsh_shared__") ||
            cu_is(source, i, "__constinit"))
            cu_drop(edits, i, i);
    }
    int specifiers = -1;
    for (int at = start; at < end;) {
        int next = cu_parameter_end(source, at, end);
        int name = declared(source, at, next);
        if (specifiers < 0)
            specifiers = name;
        dynamic(edits, start, specifiers, name, next);
        at = next + 1;
    }
    cu_drop(edits, start, end);
}

void cu_shared(struct cu_edits *edits)
{
    const struct cu_source *source = edits->source;

    for (int i = 0; i < source->n - 1; i++) {
        if (!cu_is(source, i, "__gsh_shared__"))
            continue;
        int start = declaration_start(source, i);
        bool external = false, is_static = false;
        int end = i;
        while (end < source->n - 1 && !cu_is(source, end, ";"))
            end++;
        for (int j = start; j < end; j++) {
            external |= cu_is(source, j, "extern");
            is_static |= cu_is(source, j, "static");
        }
        if (external) {
            dynamic_declaration(edits, start, end);
            i = end;
        } else {
            cu_drop(edits, i, i);
            cu_before(edits, i, is_static ? "thread_local" : "static thread_local");
        }
    }
}
