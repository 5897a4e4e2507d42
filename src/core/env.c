/* env.c - read the variables of env.def; list them; find misspelt ones. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/env.h"
#include "core/log.h"
#include "util/fault.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

struct gsh_env gsh_env;

const struct gsh_env_row gsh_env_rows[] = {
#define ENV(prefix, name, kind, preset, part, help) \
    { #prefix "_" #name, #kind, preset, #part, help },
#define ACCEPTED(name) { "NVSHMEM_" #name, "accepted", "", "", "" },
#include "core/env.def"
#undef ENV
#undef ACCEPTED
};

const size_t gsh_env_n_rows = sizeof(gsh_env_rows) / sizeof(gsh_env_rows[0]);

/* OpenSHMEM's names of a row, the second one deprecated (annex F). */
struct other_names {
    const char *names[2];
};

static const struct other_names *other_names(size_t row)
{
    static const struct other_names all[] = {
        { { "SHMEM_DEBUG", "SMA_DEBUG" } },
        { { "SHMEM_INFO", "SMA_INFO" } },
        { { "SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE" } },
        { { "SHMEM_VERSION", "SMA_VERSION" } },
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(gsh_env_rows[row].name + 2, all[i].names[0]))
            return &all[i];
    return NULL;
}

const char *gsh_env_text(size_t row, const char **origin)
{
    const char *value = getenv(gsh_env_rows[row].name);
    const struct other_names *others = value ? NULL : other_names(row);

    *origin = value ? "environment" : "default";
    for (int i = 0; others && !value && i < 2; i++)
        if ((value = getenv(others->names[i])))
            *origin = others->names[i];
    return value ? value : gsh_env_rows[row].preset;
}

/* NVSHMEM's rule: false when it begins with 0, N or F, so that "" is true. */
static int parse_bool(const char *text, bool *value)
{
    *value = !*text || !strchr("0nNfF", *text);
    return 0;
}

/* A bool, or "race". */
static int parse_check(const char *text, enum gsh_check *value)
{
    bool on;

    parse_bool(text, &on);
    *value = !strcmp(text, "race") ? GSH_CHECK_RACE : on ? GSH_CHECK_ON : GSH_CHECK_OFF;
    return 0;
}

static int parse_long(const char *text, long *value)
{
    char *end;

    errno = 0;
    *value = strtol(text, &end, 0);
    return *text && !*end && !errno ? 0 : -EINVAL;
}

static int parse_int(const char *text, int *value)
{
    long wide;

    if (parse_long(text, &wide) || wide < INT_MIN || wide > INT_MAX)
        return -EINVAL;
    *value = (int)wide;
    return 0;
}

/* A number, fractions allowed, with K, M, G or T for powers of 1024. */
static int parse_size(const char *text, size_t *value)
{
    static const char suffixes[] = "kmgt";
    char *end;
    double number = strtod(text, &end);

    if (end == text || !(number >= 0))
        return -EINVAL;
    if (*end) {
        const char *at = strchr(suffixes, *end | 0x20);

        if (!at || end[1])
            return -EINVAL;
        for (const char *s = suffixes; s <= at; s++)
            number *= 1024;
    }
    if (number >= (double)(SIZE_MAX / 2))
        return -EINVAL;
    *value = (size_t)number;
    return 0;
}

static int parse_string(const char *text, const char **value)
{
    char *copy = strdup(text);

    if (!copy)
        return -ENOMEM;
    free((void *)(uintptr_t)*value);
    *value = copy;
    return 0;
}

static int refuse(size_t row, const char *text)
{
    const struct gsh_env_row *r = &gsh_env_rows[row];
    const char *origin;

    gsh_env_text(row, &origin);
    return gsh_fail(-EINVAL, "%s is '%s', which is no %s (default '%s'): %s",
                    strcmp(origin, "environment") ? origin : r->name, text,
                    strcmp(r->kind, "size") ? "whole number" : "size such as 512M or 1.5G",
                    r->preset, r->help);
}

/* Letters that differ, are missing or too many between two words. */
static int distance(const char *a, const char *b)
{
    int row[128];
    size_t n = strlen(b);

    if (n + 1 > sizeof(row) / sizeof(row[0]))
        return INT_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (; *a; a++) {
        int diagonal = row[0]++;

        for (size_t j = 1; j <= n; j++) {
            int change = diagonal + (*a != b[j - 1]);

            diagonal = row[j];
            row[j] = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            if (change < row[j])
                row[j] = change;
        }
    }
    return row[n];
}

static const char *nearest_name(const char *name)
{
    const char *best = NULL;
    int least = 5;

    for (size_t i = 0; i < gsh_env_n_rows; i++) {
        int d = distance(name, gsh_env_rows[i].name);

        if (d < least) {
            least = d;
            best = gsh_env_rows[i].name;
        }
    }
    return best;
}

static bool is_known(const char *name)
{
    /* How gshrun hands a PE its place; no setting. */
    if (!strcmp(name, "GSHMEM_BOOT"))
        return true;
    for (size_t i = 0; i < gsh_env_n_rows; i++)
        if (!strcmp(name, gsh_env_rows[i].name))
            return true;
    return false;
}

void gsh_env_unknown(void (*found)(const char *name, const char *nearest))
{
    for (char **e = environ; *e; e++) {
        char name[128];
        size_t len = strcspn(*e, "=");

        if ((strncmp(*e, "NVSHMEM_", 8) && strncmp(*e, "GSHMEM_", 7)) || len >= sizeof(name))
            continue;
        memcpy(name, *e, len);
        name[len] = '\0';
        if (!is_known(name))
            found(name, nearest_name(name));
    }
}

static void warn_unknown(const char *name, const char *nearest)
{
    gsh_log(GSH_WARN, GSH_INIT, "unknown variable %s has no effect%s%s%s", name,
            nearest ? "; did you mean " : "; gshinfo -e lists all", nearest ? nearest : "",
            nearest ? "?" : "");
}

int gsh_env_read(void)
{
    static bool warned;
    const char *origin;
    char bad[64];
    size_t row = 0;

#define ENV(prefix, name, kind, preset, part, help) \
    if (parse_##kind(gsh_env_text(row, &origin), &gsh_env.name)) \
        return refuse(row, gsh_env_text(row, &origin)); \
    row++;
#define ACCEPTED(name) row++;
#include "core/env.def"
#undef ENV
#undef ACCEPTED

    gsh_env.CHECK |= gsh_env.ENABLE_ERROR_CHECKS;
    if (gsh_fault_open(gsh_env.FAULT, bad, sizeof(bad)))
        return gsh_fail(-EINVAL, "GSHMEM_FAULT has '%s', which is no fault to inject", bad);
    gsh_log_open(gsh_env.DEBUG, gsh_env.DEBUG_SUBSYS, gsh_env.DEBUG_FILE);
    if (!warned)
        gsh_env_unknown(warn_unknown);
    warned = true;
    return 0;
}
