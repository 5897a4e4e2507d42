/* log.c - the log, the last error and the end of a job. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *const level_names[] = { "error", "warn", "info", "debug", "trace" };

static const struct {
    const char *name;
    const char *aliases;
} parts[] = {
#define PART(part, names) { #part, names },
    GSH_LOG_PARTS(PART)
#undef PART
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

static enum gsh_level level = GSH_WARN;
static uint32_t shown = UINT32_MAX; /* one bit a part */
static FILE *out;
static int my_pe = -1;

static _Thread_local char last_error[1024];

static void end_process(int status, const char *text)
{
    (void)text;
    _exit(status);
}

static void (*ender)(int status, const char *text) = end_process;

/* Calls each(word, arg) for the comma-separated words of text. */
static void each_word(const char *text, void (*each)(const char *word, void *arg), void *arg)
{
    char copy[512];
    char *save = NULL;

    snprintf(copy, sizeof(copy), "%s", text);
    for (char *w = strtok_r(copy, ", ", &save); w; w = strtok_r(NULL, ", ", &save))
        each(w, arg);
}

static bool is_alias(const char *word, const char *aliases)
{
    size_t len = strlen(word);

    for (const char *at = aliases; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == len && !strncasecmp(at, word, len))
            return true;
    return false;
}

/* One bit for each part of that name; all bits for ALL, 0 for no part. */
static uint32_t parts_of(const char *word)
{
    uint32_t bits = strcasecmp(word, "ALL") ? 0 : UINT32_MAX;

    for (size_t i = 0; i < N_PARTS; i++)
        if (is_alias(word, parts[i].aliases))
            bits |= 1u << i;
    return bits;
}

static enum gsh_level level_of(const char *word)
{
    if (!strcasecmp(word, "VERSION"))
        return GSH_WARN;
    if (!strcasecmp(word, "ABORT"))
        return GSH_ERROR;
    for (int i = GSH_ERROR; i <= GSH_TRACE; i++)
        if (!strcasecmp(word, level_names[i]))
            return (enum gsh_level)i;
    return GSH_INFO;
}

struct choice {
    uint32_t shown;
    uint32_t hidden;
    bool has_level;
    enum gsh_level level;
};

static void choose(const char *word, void *arg)
{
    struct choice *c = arg;
    bool exclude = *word == '^';
    uint32_t bits = parts_of(word + exclude);

    if (exclude)
        c->hidden |= bits;
    else
        c->shown |= bits;
    if (!bits) {
        c->has_level = true;
        c->level = level_of(word);
    }
}

static FILE *open_file(const char *pattern)
{
    char name[1024] = "";
    char host[256] = "host";

    gethostname(host, sizeof(host) - 1);
    for (const char *p = pattern; *p; p++) {
        size_t at = strlen(name);

        if (p[0] == '%' && (p[1] == 'h' || p[1] == 'p')) {
            if (*++p == 'h')
                snprintf(name + at, sizeof(name) - at, "%s", host);
            else
                snprintf(name + at, sizeof(name) - at, "%d", (int)getpid());
        } else {
            snprintf(name + at, sizeof(name) - at, "%c", *p);
        }
    }

    FILE *file = fopen(name, "we");
    if (!file)
        gsh_log(GSH_WARN, GSH_INIT, "cannot write NVSHMEM_DEBUG_FILE %s: %s; logging to stderr",
                name, strerror(errno));
    return file;
}

void gsh_log_open(const char *debug, const char *subsys, const char *file)
{
    struct choice c = { .level = GSH_INFO };

    each_word(debug, choose, &c);
    each_word(subsys, choose, &c);
    level = *debug || *subsys ? c.level : GSH_WARN;
    shown = (c.shown ? c.shown : UINT32_MAX) & ~c.hidden;
    if (out)
        fclose(out);
    out = *file ? open_file(file) : NULL;
}

void gsh_log_set_pe(int pe)
{
    my_pe = pe;
}

bool gsh_log_on(enum gsh_level l, enum gsh_part part)
{
    return l <= level && (l <= GSH_WARN || shown >> part & 1);
}

/* One write a line, so that lines of several PEs do not mix. */
static void print(FILE *to, const char *what, const char *text)
{
    char line[1200];
    int n;

    if (my_pe >= 0)
        n = snprintf(line, sizeof(line), "gshmem: PE %d: %s%s\n", my_pe, what, text);
    else
        n = snprintf(line, sizeof(line), "gshmem: %s%s\n", what, text);
    if (n >= (int)sizeof(line)) {
        n = sizeof(line) - 1;
        line[n - 1] = '\n';
    }
    fflush(to);
    if (write(fileno(to), line, (size_t)n) < 0)
        return; /* nobody is left to tell */
}

void gsh_log(enum gsh_level l, enum gsh_part part, const char *fmt, ...)
{
    char what[32];
    char text[1024];
    int err = errno;
    va_list ap;

    if (!gsh_log_on(l, part))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    snprintf(what, sizeof(what), "%s %s: ", level_names[l], parts[part].name);
    print(out ? out : stderr, l <= GSH_WARN ? "" : what, text);
    errno = err;
}

/* The arguments may contain the last text itself. */
static void keep(const char *fmt, va_list ap)
{
    char text[sizeof(last_error)];

    vsnprintf(text, sizeof(text), fmt, ap);
    memcpy(last_error, text, sizeof(text));
}

int gsh_fail(int err, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;

    va_start(ap, fmt);
    keep(fmt, ap);
    va_end(ap);
    print(stderr, "", last_error);
    errno = saved;
    return err;
}

int gsh_miss(int err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    keep(fmt, ap);
    va_end(ap);
    return err;
}

const char *gsh_last_error(void)
{
    return last_error;
}

void gsh_log_set_ender(void (*end)(int status, const char *text))
{
    ender = end ? end : end_process;
}

void gsh_die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    keep(fmt, ap);
    va_end(ap);
    fflush(stdout); /* what the program said before belongs before this */
    print(stderr, "", last_error);
    ender(1, last_error);
    _exit(1);
}
