/* lex.h - splits preprocessed C++ into words. What lies between two words, line markers
 * and pragmas included, belongs to the later one and is never changed or moved, so that
 * line numbers stay what they are.
 *
 * Each < and > is a word of its own, as templates and launches need it; of the other
 * operators only those of several characters that would mislead are kept together
 * (:: -> <= >= ...).
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CU_LEX_H
#define GSH_CU_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum cu_kind { CU_NAME, CU_NUMBER, CU_STRING, CU_SIGN, CU_END };

struct cu_word {
    const char *lead; /* where the blanks before it begin */
    const char *text;
    size_t length;
    enum cu_kind kind;
};

struct cu_source {
    const char *name; /* for messages before the first line marker */
    char *text;       /* ends with 0 */
    size_t length;
    struct cu_word *words; /* the last one is CU_END */
    int n;
};

/* Takes over `text`. 0, or -ENOMEM or -EINVAL after a message. */
int cu_lex(struct cu_source *source, const char *name, char *text, size_t length);
void cu_free(struct cu_source *source);

bool cu_is(const struct cu_source *source, int word, const char *text);

/* The partner of an opening or closing bracket ( [ {, or -1. */
int cu_close(const struct cu_source *source, int open);
int cu_open(const struct cu_source *source, int close);

/* Prints "FILE:LINE: error: ..." for where a word lies by the line markers; -EINVAL. */
__attribute__((format(printf, 3, 4))) int cu_error(const struct cu_source *source, int word,
                                                   const char *format, ...);

#endif /* GSH_CU_LEX_H */
