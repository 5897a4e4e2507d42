/* edit.h - changes to a source: text before and after words, and words left out. What
 * lies between the words always stays. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CU_EDIT_H
#define GSH_CU_EDIT_H

#include "lex.h"

#include <stdio.h>

struct cu_edit {
    char *before, *after;
    bool drop;
};

struct cu_edits {
    const struct cu_source *source;
    struct cu_edit *words; /* as many as the source has */
    int failed;            /* errors that were reported */
    int n_made;            /* names made up so far */
};

int cu_edits_init(struct cu_edits *edits, const struct cu_source *source);
void cu_edits_free(struct cu_edits *edits);

/* Each adds to what was added before. Text must have no line end. */
__attribute__((format(printf, 3, 4))) void cu_before(struct cu_edits *edits, int word,
                                                     const char *format, ...);
__attribute__((format(printf, 3, 4))) void cu_after(struct cu_edits *edits, int word,
                                                    const char *format, ...);

/* Leaves out the words from first to last. */
void cu_drop(struct cu_edits *edits, int first, int last);

/* A blank when there is one before the word in the source: two > side by side may be a shift. */
const char *cu_blank(const struct cu_word *word);

/* The words from first to last on one line; the caller frees it. */
char *cu_line(const struct cu_source *source, int first, int last);

/* Like printf, to the end of *text, which grows. */
__attribute__((format(printf, 2, 3))) void cu_append(char **text, const char *format, ...);

void cu_write(const struct cu_edits *edits, FILE *out);

#endif /* GSH_CU_EDIT_H */
