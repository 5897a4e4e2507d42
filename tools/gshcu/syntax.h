/* syntax.h - as much of the grammar of C++ as the rewriting needs. Positions are words;
 * ranges are half open. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CU_SYNTAX_H
#define GSH_CU_SYNTAX_H

#include "lex.h"

/* The partner of a < or > that encloses the arguments of a template, or -1. */
int cu_angle_close(const struct cu_source *source, int open);
int cu_angle_open(const struct cu_source *source, int close);

/* Whether a word is one of a list that ends with NULL. */
bool cu_one_of(const struct cu_source *source, int word, const char *const list[]);

/* alignas( ... ), __attribute__(( ... )), decltype( ... ) and the like: the word after
 * the closing bracket, or `word` itself when nothing such begins there. */
int cu_skip_attribute(const struct cu_source *source, int word);

/* Where the parameter that begins at `at` ends: at a comma, or at `end`. */
int cu_parameter_end(const struct cu_source *source, int at, int end);

struct cu_parameter {
    int name;  /* the word that is declared, or -1 */
    int after; /* without a name: the word behind which one would stand */
    bool pack;
};

/* Understands one parameter of a function, or of a template. */
struct cu_parameter cu_parameter(const struct cu_source *source, int from, int to, bool template);

/* Calls `function` for the body of each function, not for those inside of others;
 * head is where the declaration begins, open and close are the braces. */
void cu_each_function(const struct cu_source *source,
                      void (*function)(void *context, int head, int open, int close),
                      void *context);

#endif /* GSH_CU_SYNTAX_H */
