/* gshcu - makes plain C++ of a CUDA source, for the CPU device.
 *
 * It reads what the preprocessor gives (c++ -E), and not the source itself: so launches
 * that macros make, and kernels and shared memory in headers, are handled like all others,
 * and comments, conditions and continued lines are gone. The price is that the compiler
 * no longer knows macros (-g3), and that the column of a message may be wrong in a line
 * that was changed. Line numbers stay: no line is added or taken away, line markers are
 * left where they are, and what moves (the kernel's name in a launch) has no __LINE__
 * in it any more.
 *
 * gshcc runs it between the preprocessor and the compiler.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_all(FILE *in, char **text, size_t *length)
{
    size_t room = 1 << 20, n = 0;
    char *data = malloc(room);

    while (data) {
        n += fread(data + n, 1, room - n - 1, in);
        if (n < room - 1)
            break;
        char *more = realloc(data, room *= 2);
        if (!more)
            free(data);
        data = more;
    }
    if (!data || ferror(in)) {
        free(data);
        return -EIO;
    }
    data[n] = 0;
    *text = data;
    *length = n;
    return 0;
}

static int rewrite(const char *name, char *text, size_t length, FILE *out)
{
    struct cu_source source;
    struct cu_edits edits;
    int rc = cu_lex(&source, name, text, length);

    if (!rc)
        rc = cu_edits_init(&edits, &source);
    if (!rc) {
        cu_kernels(&edits);
        cu_shared(&edits);
        cu_ptx(&edits);
        cu_launches(&edits);
        if (edits.failed)
            rc = -EINVAL;
        else
            cu_write(&edits, out);
        cu_edits_free(&edits);
    }
    cu_free(&source);
    return rc;
}

static int fail(const char *name)
{
    fprintf(stderr, "gshcu: %s: %s\n", name, strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    char *text;
    size_t length;

    if (argc != 3) {
        fputs("usage: gshcu PREPROCESSED OUTPUT\n", stderr);
        return 2;
    }
    FILE *in = fopen(argv[1], "r");
    if (!in || read_all(in, &text, &length))
        return fail(argv[1]);
    fclose(in);
    FILE *out = fopen(argv[2], "w");
    if (!out)
        return fail(argv[2]);
    int rc = rewrite(argv[1], text, length, out);
    if (fclose(out))
        return fail(argv[2]);
    return rc ? 1 : 0;
}
