/* lex.c - the words of a preprocessed C++ source. */
// SPDX-License-Identifier: BSD-3-Clause
#include "lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool line_start(const struct cu_source *source, const char *at)
{
    while (at > source->text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == source->text || at[-1] == '\n';
}

/* Pragmas for other compilers would draw a warning from each host compiler. */
static void blank_pragma(char *at, const char *end)
{
    static const char *const foreign[] = { "unroll", "nounroll", "nv_", "hd_warning_disable" };
    char *word = at + 1 + strspn(at + 1, " \t");

    if (strncmp(word, "pragma", 6) != 0)
        return;
    word += 6 + strspn(word + 6, " \t");
    for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
        if (strncmp(word, foreign[i], strlen(foreign[i])) == 0)
            memset(at, ' ', (size_t)(end - at));
    }
}

static char *line_end(char *at)
{
    while (*at && !(*at == '\n' && at[-1] != '\\'))
        at++;
    return at;
}

/* Past blanks, comments and lines of the preprocessor. */
static char *skip_lead(struct cu_source *source, char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '\\' && at[1] == '\n') {
            at += 2;
        } else if (at[0] == '/' && at[1] == '/') {
            at = line_end(at);
        } else if (at[0] == '/' && at[1] == '*') {
            char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else if (*at == '#' && line_start(source, at)) {
            char *end = line_end(at);
            blank_pragma(at, end);
            at = end;
        } else {
            return at;
        }
    }
}

/* Past a string or character constant; at is at its quote. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* Past R"x( ... )x"; at is at the quote. */
static const char *skip_raw(const char *at)
{
    char end[20] = ")";
    size_t n = strcspn(at + 1, "(");

    if (n > 16)
        return skip_quoted(at);
    memcpy(end + 1, at + 1, n);
    end[n + 1] = '"';
    const char *found = strstr(at, end);
    return found ? found + n + 2 : at + strlen(at);
}

static const char *skip_number(const char *at)
{
    while (name_char(*at) || *at == '.' || (*at == '\'' && name_char(at[1])) ||
           ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
        at++;
    return at;
}

static const char *skip_sign(const char *at)
{
    static const char *const longer[] = {
        "...", "<=>", "->*", "::", "->", "<=", ">=", "==", "!=", "&&", "||",
        "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"
    };

    for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++) {
        if (strncmp(at, longer[i], strlen(longer[i])) == 0)
            return at + strlen(longer[i]);
    }
    return at + 1;
}

/* A name directly before a quote is the prefix of that string: u8, L, R, LR ... */
static const char *skip_name(const char *at, enum cu_kind *kind)
{
    const char *start = at;

    while (name_char(*at))
        at++;
    size_t n = (size_t)(at - start);
    if ((*at != '"' && *at != '\'') || n > 3 || strspn(start, "uULR8") < n)
        return at;
    *kind = CU_STRING;
    return at[-1] == 'R' ? skip_raw(at) : skip_quoted(at);
}

static const char *skip_word(const char *at, enum cu_kind *kind)
{
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        *kind = CU_NUMBER;
        return skip_number(at);
    }
    if (name_char(*at)) {
        *kind = CU_NAME;
        return skip_name(at, kind);
    }
    if (*at == '"' || *at == '\'') {
        *kind = CU_STRING;
        return skip_quoted(at);
    }
    *kind = CU_SIGN;
    return skip_sign(at);
}

int cu_lex(struct cu_source *source, const char *name, char *text, size_t length)
{
    *source = (struct cu_source){ .name = name, .text = text, .length = length };
    int room = 0;
    const char *at = text;

    for (;;) {
        if (source->n == room) {
            room = room ? room * 2 : 1 << 16;
            struct cu_word *words = realloc(source->words, (size_t)room * sizeof(*words));
            if (!words) {
                fprintf(stderr, "gshcu: no memory for the words of %s\n", name);
                return -ENOMEM;
            }
            source->words = words;
        }
        struct cu_word *word = &source->words[source->n++];
        word->lead = at;
        word->text = skip_lead(source, text + (at - text));
        word->kind = CU_END;
        word->length = 0;
        if (!*word->text)
            return 0;
        at = skip_word(word->text, &word->kind);
        word->length = (size_t)(at - word->text);
    }
}

void cu_free(struct cu_source *source)
{
    free(source->words);
    free(source->text);
}

bool cu_is(const struct cu_source *source, int word, const char *text)
{
    if (word < 0 || word >= source->n)
        return false;
    const struct cu_word *w = &source->words[word];
    return w->length == strlen(text) && memcmp(w->text, text, w->length) == 0;
}

/* 1 for an opening bracket, -1 for a closing one. */
static int bracket(const struct cu_word *word)
{
    if (word->kind != CU_SIGN || word->length != 1)
        return 0;
    return strchr("([{", *word->text) ? 1 : strchr(")]}", *word->text) ? -1 : 0;
}

static int partner(const struct cu_source *source, int from, int step)
{
    int depth = 0;

    for (int i = from; i >= 0 && i < source->n; i += step) {
        depth += bracket(&source->words[i]);
        if (depth == 0)
            return i;
    }
    return -1;
}

int cu_close(const struct cu_source *source, int open)
{
    return partner(source, open, 1);
}

int cu_open(const struct cu_source *source, int close)
{
    return partner(source, close, -1);
}

/* A line marker is `# 12 "file" flags` or `#line 12 "file"`. */
static bool marker(const char *at, long *line, const char **file, int *file_length)
{
    if (*at++ != '#')
        return false;
    at += strspn(at, " ");
    if (strncmp(at, "line", 4) == 0)
        at += 4;
    char *end;
    *line = strtol(at, &end, 10);
    if (end == at)
        return false;
    end += strspn(end, " ");
    if (*end == '"') {
        *file = end + 1;
        *file_length = (int)strcspn(*file, "\"\n");
    }
    return true;
}

int cu_error(const struct cu_source *source, int word, const char *format, ...)
{
    const char *end = source->words[word].text;
    const char *file = source->name;
    int file_length = (int)strlen(file);
    long line = 1;
    va_list arguments;

    for (const char *at = source->text; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (!marker(at, &line, &file, &file_length) && next)
            line++;
        at = next ? next + 1 : end;
    }
    fprintf(stderr, "%.*s:%ld: error: ", file_length, file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return -EINVAL;
}
