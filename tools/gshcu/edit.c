/* edit.c - collects the changes to a source and writes the result. */
// SPDX-License-Identifier: BSD-3-Clause
#include "edit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cu_edits_init(struct cu_edits *edits, const struct cu_source *source)
{
    *edits = (struct cu_edits){ .source = source };
    edits->words = calloc((size_t)source->n, sizeof(*edits->words));
    if (!edits->words)
        return -ENOMEM;
    return 0;
}

void cu_edits_free(struct cu_edits *edits)
{
    for (int i = 0; i < edits->source->n; i++) {
        free(edits->words[i].before);
        free(edits->words[i].after);
    }
    free(edits->words);
}

static void append(char **text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t old = *text ? strlen(*text) : 0;
    size_t more = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *longer = realloc(*text, old + more);

    if (!longer) {
        fputs("gshcu: no memory\n", stderr);
        exit(1);
    }
    vsnprintf(longer + old, more, format, again);
    va_end(again);
    *text = longer;
}

void cu_append(char **text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append(text, format, arguments);
    va_end(arguments);
}

void cu_before(struct cu_edits *edits, int word, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append(&edits->words[word].before, format, arguments);
    va_end(arguments);
}

void cu_after(struct cu_edits *edits, int word, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append(&edits->words[word].after, format, arguments);
    va_end(arguments);
}

void cu_drop(struct cu_edits *edits, int first, int last)
{
    for (int i = first; i <= last; i++)
        edits->words[i].drop = true;
}

const char *cu_blank(const struct cu_word *word)
{
    return word->text > word->lead ? " " : "";
}

char *cu_line(const struct cu_source *source, int first, int last)
{
    char *line = NULL;

    cu_append(&line, "%s", "");
    for (int i = first; i <= last; i++) {
        const struct cu_word *word = &source->words[i];
        cu_append(&line, "%s%.*s", i > first ? cu_blank(word) : "", (int)word->length, word->text);
    }
    return line;
}

void cu_write(const struct cu_edits *edits, FILE *out)
{
    for (int i = 0; i < edits->source->n; i++) {
        const struct cu_word *word = &edits->source->words[i];
        const struct cu_edit *edit = &edits->words[i];

        fwrite(word->lead, 1, (size_t)(word->text - word->lead), out);
        if (edit->before)
            fputs(edit->before, out);
        if (!edit->drop)
            fwrite(word->text, 1, word->length, out);
        if (edit->after)
            fputs(edit->after, out);
    }
}
