/* ptx.c - asm statements of PTX, which no CPU runs. Instructions that programs use to
 * order and to look at memory become calls of include/gshmem/cpu/ptx.h; any other is an
 * error. Assembly of the host stays: its mnemonics have no dots.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite.h"
#include "syntax.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPERANDS 16
#define MAX_PARTS 8

struct statement {
    struct cu_edits *edits;
    int first, close; /* asm, and the bracket at the end */
    int n_operands;
    char *operands[MAX_OPERANDS]; /* the expressions %0, %1, ... */
    char *text;                   /* the instructions, on one line */
};

/* ld.acquire.sys.u32 %0, [%1]: the parts between the dots, and the arguments. */
struct instruction {
    int n_parts, n_arguments;
    char *parts[MAX_PARTS], *arguments[4];
};

struct pair {
    const char *ptx, *cpp;
};

static const struct pair registers[] = {
    { "%globaltimer", "::gsh_cpu_globaltimer()" }, { "%clock64", "::gsh_cpu_globaltimer()" },
    { "%clock", "::gsh_cpu_globaltimer()" },       { "%laneid", "::gsh_cuda::ptx::lane()" },
    { "%warpid", "::gsh_cuda::ptx::warp()" },      { "%smid", "::gsh_cuda::ptx::sm()" },
    { "%nsmid", "::gsh_cuda::ptx::sms()" },        { "%tid.x", "::gsh_cpu_thread_idx.x" },
    { "%ntid.x", "::gsh_cpu_block_dim.x" },        { "%ctaid.x", "::gsh_cpu_block_idx.x" },
    { "%nctaid.x", "::gsh_cpu_grid_dim.x" },       { NULL, NULL },
};

static const struct pair types[] = {
    { "u8", "unsigned char" },
    { "b8", "unsigned char" },
    { "s8", "signed char" },
    { "u16", "unsigned short" },
    { "b16", "unsigned short" },
    { "s16", "short" },
    { "u32", "unsigned int" },
    { "b32", "unsigned int" },
    { "s32", "int" },
    { "u64", "unsigned long long" },
    { "b64", "unsigned long long" },
    { "s64", "long long" },
    { "f32", "float" },
    { "f64", "double" },
    { NULL, NULL },
};

static const struct pair orders[] = {
    { "acquire", "::gsh_cuda::ptx::acquire" },
    { "release", "::gsh_cuda::ptx::release" },
    { "acq_rel", "::gsh_cuda::ptx::acq_rel" },
    { "sc", "::gsh_cuda::ptx::sc" },
    { NULL, NULL },
};

/* What says where memory is, or how it is cached. Shared memory has other addresses. */
static const char *const harmless[] = { "sys",      "gpu",  "cta",  "cluster", "global", "relaxed",
                                        "volatile", "weak", "mmio", "nc",      "cg",     "cs",
                                        "ca",       "cv",   "lu",   "wb",      "wt",     NULL };

static const char *find(const struct pair *pairs, const char *ptx)
{
    while (pairs->ptx && strcmp(pairs->ptx, ptx) != 0)
        pairs++;
    return pairs->cpp;
}

/* The contents of a string constant: escapes of blanks become blanks, and %% is %. */
static void append_string(const struct cu_word *word, char **text)
{
    const char *at = memchr(word->text, '"', word->length);
    const char *end = word->text + word->length - 1;

    for (at = at ? at + 1 : end; at < end; at++) {
        if (at[0] == '\\' && at + 1 < end) {
            at++;
            cu_append(text, " ");
        } else if (at[0] != '%' || at[1] != '%') {
            cu_append(text, "%c", *at);
        }
    }
}

static bool is_ptx(const char *text)
{
    text += strspn(text, " {;");
    if (*text == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return (n && text[n] == '.' && isalpha((unsigned char)text[n + 1])) ||
           strncmp(text, ".reg", 4) == 0 || strcmp(text, "trap;") == 0;
}

/* The strings and the operands, "constraint"(expression), of the outputs and inputs. */
static void read_statement(struct statement *statement, int open)
{
    const struct cu_source *source = statement->edits->source;
    int colons = 0;

    cu_append(&statement->text, "%s", "");
    for (int i = open + 1; i < statement->close && colons < 3; i++) {
        if (cu_is(source, i, ":")) {
            colons++;
        } else if (cu_is(source, i, "::")) {
            colons += 2;
        } else if (source->words[i].kind == CU_STRING && !colons) {
            append_string(&source->words[i], &statement->text);
        } else if (cu_is(source, i, "(")) {
            int end = cu_close(source, i);
            if (statement->n_operands < MAX_OPERANDS)
                statement->operands[statement->n_operands++] = cu_line(source, i, end);
            i = end;
        }
    }
}

/* Cuts text at `separator`; returns how many pieces, or -1 when there are too many. */
static int cut(char *text, char separator, char **pieces, int room)
{
    int n = 0;

    while (text) {
        if (n == room)
            return -1;
        char *next = strchr(text, separator);
        if (next)
            *next++ = 0;
        text += strspn(text, " ");
        for (size_t end = strlen(text); end && text[end - 1] == ' ';)
            text[--end] = 0;
        pieces[n++] = text;
        text = next;
    }
    return n;
}

static bool read_instruction(char *text, struct instruction *in)
{
    size_t n = strcspn(text, " ");
    char *rest = text[n] ? text + n + 1 : NULL;

    text[n] = 0;
    in->n_parts = cut(text, '.', in->parts, MAX_PARTS);
    in->n_arguments = cut(rest, ',', in->arguments, 4);
    return in->n_parts > 0 && in->n_arguments >= 0;
}

/* An argument as C++: an operand, a register, a number, or an address in [ ]; NULL: none. */
static const char *argument(const struct statement *statement, char *text)
{
    size_t n = strlen(text);

    if (n > 1 && text[0] == '[' && text[n - 1] == ']') {
        text[n - 1] = 0;
        text++;
    }
    if (text[0] == '%' && isdigit((unsigned char)text[1])) {
        char *end;
        long i = strtol(text + 1, &end, 10);
        return *end || i >= statement->n_operands ? NULL : statement->operands[i];
    }
    if (text[0] == '%')
        return find(registers, text);
    return *text && text[strspn(text, "0123456789abcdefxABCDEF")] == 0 ? text : NULL;
}

/* ld, st, red and atom: the type, the order and, of the latter two, what they do. */
static bool memory(const struct instruction *in, const char *arguments[], char **out)
{
    static const char *const names[] = { "ld", "st", "red", "atom", NULL };
    static const char *const does[] = { "add", "and", "or", "xor", "exch", "cas", NULL };
    const char *order = "::gsh_cuda::ptx::relaxed", *operation = "";
    const char *type = find(types, in->parts[in->n_parts - 1]);
    int kind = 0;

    while (names[kind] && strcmp(names[kind], in->parts[0]) != 0)
        kind++;
    if (!names[kind] || !type || in->n_arguments < 2)
        return false;
    for (int i = 1; i < in->n_parts - 1; i++) {
        const char *const *at = does;
        const char *known = find(orders, in->parts[i]);
        while (*at && strcmp(*at, in->parts[i]) != 0)
            at++;
        if (known)
            order = known;
        else if (*at && kind >= 2)
            operation = *at;
        else {
            for (at = harmless; *at && strcmp(*at, in->parts[i]) != 0;)
                at++;
            if (!*at)
                return false;
        }
    }
    if ((kind >= 2) != !!*operation)
        return false;
    cu_append(out, "::gsh_cuda::ptx::%s%s%s<%s>(%s", names[kind], *operation ? "_" : "", operation,
              type, order);
    for (int i = 0; i < in->n_arguments; i++)
        cu_append(out, ", %s", arguments[i]);
    cu_append(out, ")");
    return true;
}

static bool barrier(const struct instruction *in, const char *arguments[], char **out)
{
    bool cta = strcmp(in->parts[0], "barrier") == 0;

    if (!cta && strcmp(in->parts[0], "bar") != 0)
        return false;
    if (in->n_parts == 3 && strcmp(in->parts[1], "warp") == 0 && in->n_arguments == 1) {
        cu_append(out, "::gsh_cpu_syncwarp(%s)", arguments[0]);
        return true;
    }
    if (in->n_parts < 2 || strcmp(in->parts[in->n_parts - 1], "sync") != 0 || !in->n_arguments)
        return false;
    cu_append(out, "::gsh_cuda::ptx::bar(%s%s%s)", arguments[0], in->n_arguments > 1 ? ", " : "",
              in->n_arguments > 1 ? arguments[1] : "");
    return true;
}

static bool translate(const struct statement *statement, char *text, char **out)
{
    struct instruction in;
    const char *arguments[4];

    if (!read_instruction(text, &in))
        return false;
    for (int i = 0; i < in.n_arguments; i++) {
        arguments[i] = argument(statement, in.arguments[i]);
        if (!arguments[i])
            return false;
    }
    const char *name = in.parts[0];
    bool fence = strcmp(name, "fence") == 0 || strcmp(name, "membar") == 0;
    if (fence)
        cu_append(out, "::gsh_cuda::ptx::fence()");
    else if (strcmp(name, "mov") == 0 && in.n_arguments == 2)
        cu_append(out, "%s = %s", arguments[0], arguments[1]);
    else if (strcmp(name, "activemask") == 0 && in.n_arguments == 1)
        cu_append(out, "%s = ::gsh_cpu_activemask()", arguments[0]);
    else if (strcmp(name, "nanosleep") == 0)
        cu_append(out, "::gsh_cpu_yield()");
    else if (strcmp(name, "trap") == 0)
        cu_append(out, "::gsh_cpu_trap(\"trap\")");
    else
        return memory(&in, arguments, out) || barrier(&in, arguments, out);
    return true;
}

/* All instructions as one expression, or NULL. */
static char *translate_all(const struct statement *statement)
{
    char *copy = NULL, *out = NULL, *pieces[MAX_OPERANDS];
    bool good = true;

    cu_append(&copy, "%s", statement->text);
    cu_append(&out, "(");
    int n = cut(copy, ';', pieces, MAX_OPERANDS);
    for (int i = 0, done = 0; good && i < n; i++) {
        if (!*pieces[i])
            continue;
        cu_append(&out, "%s", done++ ? ", " : "");
        good = translate(statement, pieces[i], &out);
    }
    free(copy);
    cu_append(&out, ")");
    if (good && n > 0)
        return out;
    free(out);
    return NULL;
}

static void asm_at(struct cu_edits *edits, int first, int open)
{
    struct statement statement = { .edits = edits,
                                   .first = first,
                                   .close = cu_close(edits->source, open) };

    read_statement(&statement, open);
    if (statement.close > 0 && is_ptx(statement.text)) {
        char *text = translate_all(&statement);
        if (text) {
            cu_before(edits, first, "%s", text);
            cu_drop(edits, first, statement.close);
        } else {
            edits->failed++;
            cu_error(
                edits->source, first,
                "no CPU runs this PTX: \"%s\"; use a function of CUDA in its place, or keep it "
                "between #ifdef __CUDA_ARCH__ and #endif",
                statement.text);
        }
        free(text);
    }
    for (int i = 0; i < statement.n_operands; i++)
        free(statement.operands[i]);
    free(statement.text);
}

void cu_ptx(struct cu_edits *edits)
{
    static const char *const words[] = { "asm", "__asm__", "__asm", NULL };
    static const char *const between[] = { "volatile", "__volatile__", "__volatile", NULL };

    for (int i = 0; i < edits->source->n - 1; i++) {
        if (!cu_one_of(edits->source, i, words))
            continue;
        int open = i + 1;
        while (cu_one_of(edits->source, open, between))
            open++;
        if (cu_is(edits->source, open, "("))
            asm_at(edits, i, open);
    }
}
