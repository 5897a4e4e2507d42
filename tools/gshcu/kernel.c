/* kernel.c - __global__ functions. Into the body of
 *
 *     template <class T, int N> __global__ void k(T *a, int n) {
 *
 * comes, on the line of the brace,
 *
 *     struct gsh_kernel { static const char *name() { return "k"; } };
 *     if (!::gsh_cpu_fiber) return ::gsh_cuda::kernel<void (*)(decltype(a), decltype(n)),
 *         &k<T, N>, gsh_kernel>::launch(a, n);
 *
 * Called by a launch, it copies its arguments and enqueues itself; called by a thread
 * of a grid, it runs. The template registers each kernel, and each instance of one, by its
 * address (include/gshmem/cpu/launch.h). Parameters without a name get one.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite.h"
#include "syntax.h"

#include <stdlib.h>
#include <string.h>

struct kernel {
    int header; /* the < of template <...>, or -1 */
    int name;   /* the declarator: its last name */
    int open;   /* the bracket of the parameters */
    int body;   /* the brace of the body, or -1 */
};

/* The name that a parameter has or gets. */
static char *parameter_name(struct cu_edits *edits, const struct cu_parameter *parameter)
{
    char *name = NULL;

    if (parameter->name >= 0)
        return cu_line(edits->source, parameter->name, parameter->name);
    cu_append(&name, "gsh_made_%d", ++edits->n_made);
    cu_after(edits, parameter->after, " %s", name);
    return name;
}

/* Each parameter between open and close as `before NAME after`, and ... for a pack. */
static char *list(struct cu_edits *edits, int open, int close, const char *const around[2],
                  bool template, char **plain)
{
    char *text = NULL;
    int at = open + 1;

    cu_append(&text, "%s", "");
    if (close == at || (close == at + 1 && cu_is(edits->source, at, "void")))
        return text;
    while (at < close) {
        int end = cu_parameter_end(edits->source, at, close);
        struct cu_parameter parameter = cu_parameter(edits->source, at, end, template);
        char *name = parameter_name(edits, &parameter);
        const char *dots = parameter.pack ? "..." : "";
        const char *comma = at > open + 1 ? ", " : "";
        cu_append(&text, "%s%s%s%s%s", comma, around[0], name, around[1], dots);
        if (plain)
            cu_append(plain, "%s%s%s", comma, name, dots);
        free(name);
        at = end + 1;
    }
    return text;
}

/* The kernel as an expression in its own body: with all its template arguments. */
static char *self(struct cu_edits *edits, const struct kernel *kernel)
{
    const struct cu_source *source = edits->source;
    static const char *const bare[2] = { "", "" };
    char *text = cu_line(source, kernel->name, kernel->open - 1);
    bool of_class = cu_is(source, kernel->name - 1, "::") && cu_is(source, kernel->name - 2, ">");

    if (kernel->open - kernel->name > 1 || kernel->header < 0 || of_class)
        return text;
    int close = cu_angle_close(source, kernel->header);
    char *arguments = list(edits, kernel->header, close, bare, true, NULL);
    if (*arguments)
        cu_append(&text, "<%s>", arguments);
    free(arguments);
    return text;
}

static void enter(struct cu_edits *edits, const struct kernel *kernel)
{
    static const char *const type[2] = { "decltype(", ")" };
    int close = cu_close(edits->source, kernel->open);
    char *plain = NULL;

    cu_append(&plain, "%s", "");
    char *types = list(edits, kernel->open, close, type, false, &plain);
    char *me = self(edits, kernel);
    char *name = cu_line(edits->source, kernel->name, kernel->name);
    cu_after(edits, kernel->body,
             " struct gsh_kernel { static const char *name() { return \"%s\"; } };"
             " if (!::gsh_cpu_fiber) return ::gsh_cuda::kernel<void (*)(%s), &%s, "
             "gsh_kernel>::launch(%s);",
             name, types, me, plain);
    free(name);
    free(me);
    free(types);
    free(plain);
}

/* The bracket of the parameters of what is declared at `at`, or -1. */
static int parameters(const struct cu_source *source, int at)
{
    while (at >= 0 && at < source->n - 1) {
        int next = cu_skip_attribute(source, at);
        if (next != at) {
            at = next;
            continue;
        }
        if (cu_is(source, at, ";") || cu_is(source, at, "{") || cu_is(source, at, "}"))
            return -1;
        if (cu_is(source, at, "(")) {
            bool named = source->words[at - 1].kind == CU_NAME && !cu_is(source, at - 1, "void");
            if (named || cu_is(source, at - 1, ">"))
                return at;
            at = cu_close(source, at);
        }
        at++;
    }
    return -1;
}

/* The brace of the body of a function whose parameters end at `close`, or -1. */
static int body(const struct cu_source *source, int close)
{
    for (int at = close + 1; close > 0 && at > 0 && at < source->n - 1; at++) {
        int next = cu_skip_attribute(source, at);
        if (next != at)
            at = next - 1;
        else if (cu_is(source, at, "{"))
            return at;
        else if (cu_is(source, at, ";") || cu_is(source, at, ",") || cu_is(source, at, "="))
            return -1;
    }
    return -1;
}

static void kernel_at(struct cu_edits *edits, int mark, int header)
{
    const struct cu_source *source = edits->source;
    struct kernel kernel = { .header = header, .open = parameters(source, mark + 1) };

    if (kernel.open < 0)
        return;
    kernel.body = body(source, cu_close(source, kernel.open));
    kernel.name = kernel.open - 1;
    if (cu_is(source, kernel.name, ">"))
        kernel.name = cu_angle_open(source, kernel.name) - 1;
    if (kernel.body >= 0 && kernel.name > mark)
        enter(edits, &kernel);
}

void cu_kernels(struct cu_edits *edits)
{
    const struct cu_source *source = edits->source;
    int header = -1;

    for (int i = 0; i < source->n - 1; i++) {
        if (cu_is(source, i, "template") && cu_is(source, i + 1, "<")) {
            int close = cu_angle_close(source, i + 1);
            if (close > 0) {
                header = i + 1;
                i = close;
            }
        } else if (cu_is(source, i, "__gsh_global__")) {
            cu_drop(edits, i, i);
            kernel_at(edits, i, header);
        } else if (cu_is(source, i, ";") || cu_is(source, i, "{") || cu_is(source, i, "}")) {
            header = -1;
        }
    }
}
