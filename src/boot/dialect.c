/* dialect.c - PMI-1 and PMI-2, as a process speaks them to its process manager. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/dialect.h"

#include "core/env.h"
#include "core/log.h"
#include "util/io.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LENGTH_DIGITS = 6, MAX_MESSAGE = 4096, PMI2_MAX_VALUE = 1024 };

static int hung_up(int err)
{
    return gsh_fail(err,
                    "the connection to the process manager is broken (%s): it has ended, or "
                    "another PMI client in this process has finished it",
                    strerror(-err));
}

/* ---- Messages ---- */

/* The first byte of an answer may take as long as the slowest rank. */
static int await(const struct gsh_pmi *pmi)
{
    struct pollfd wait = { .fd = pmi->fd, .events = POLLIN };
    int timeout = gsh_env.TIMEOUT;
    int n;

    do {
        n = poll(&wait, 1, timeout > 0 ? timeout * 1000 : -1);
    } while (n < 0 && errno == EINTR);
    if (n)
        return 0;
    return gsh_fail(-ETIMEDOUT,
                    "PE %d waited %d s and not all %d PEs have called init; see GSHMEM_TIMEOUT",
                    pmi->rank, timeout, pmi->n_ranks);
}

static int read_line(struct gsh_pmi *pmi)
{
    size_t have = 0;
    int err;

    /* A byte a call: nothing may be taken that comes after the line. */
    while (have < sizeof(pmi->answer)) {
        err = gsh_io_read_full(pmi->fd, &pmi->answer[have], 1);
        if (err)
            return hung_up(err);
        if (pmi->answer[have] == '\n') {
            pmi->answer[have] = '\0';
            return 0;
        }
        have++;
    }
    return hung_up(-EPROTO);
}

static int read_framed(struct gsh_pmi *pmi)
{
    char digits[LENGTH_DIGITS + 1] = "";
    int err = gsh_io_read_full(pmi->fd, digits, LENGTH_DIGITS);
    long bytes = strtol(digits, NULL, 10);

    if (err)
        return hung_up(err);
    if (bytes < 1 || bytes >= (long)sizeof(pmi->answer))
        return hung_up(-EPROTO);
    err = gsh_io_read_full(pmi->fd, pmi->answer, (size_t)bytes);
    if (err)
        return hung_up(err);
    pmi->answer[bytes] = '\0';
    return 0;
}

static int read_answer(struct gsh_pmi *pmi)
{
    int err = await(pmi);

    if (err)
        return err;
    return pmi->framed ? read_framed(pmi) : read_line(pmi);
}

/* Copies the value of a field of the answer; false when it is not there or longer. */
static bool find_field(const struct gsh_pmi *pmi, const char *name, char *value, size_t room)
{
    const char *separators = pmi->framed ? ";" : " ";
    size_t length = strlen(name);

    for (const char *at = pmi->answer; *at; at += strspn(at, separators)) {
        size_t bytes = strcspn(at, separators);

        if (bytes > length && !strncmp(at, name, length) && at[length] == '=') {
            bytes -= length + 1;
            if (bytes >= room)
                return false;
            memcpy(value, at + length + 1, bytes);
            value[bytes] = '\0';
            return true;
        }
        at += bytes;
    }
    return false;
}

static bool find_number(const struct gsh_pmi *pmi, const char *name, int *value)
{
    char text[16];
    char rest;

    return find_field(pmi, name, text, sizeof(text)) && sscanf(text, "%d%c", value, &rest) == 1;
}

static int strange(const struct gsh_pmi *pmi, const char *want)
{
    return gsh_fail(-EPROTO, "the process manager answered \"%.200s\" where PMI expects \"%s\"",
                    pmi->answer, want);
}

/* The answer must be `want` and tell of no failure. */
static int check(const struct gsh_pmi *pmi, const char *want)
{
    char name[64];
    int rc = 0;

    if (!find_field(pmi, "cmd", name, sizeof(name)) || strcmp(name, want))
        return strange(pmi, want);
    if (find_number(pmi, "rc", &rc) && rc)
        return strange(pmi, "rc=0");
    return 0;
}

__attribute__((format(printf, 2, 0))) static int say(const struct gsh_pmi *pmi, const char *format,
                                                     va_list args)
{
    char message[MAX_MESSAGE];
    size_t head = pmi->framed ? LENGTH_DIGITS : 0;
    int bytes = vsnprintf(message + head, sizeof(message) - head, format, args);
    char digits[LENGTH_DIGITS + 1];

    if (bytes < 0 || head + (size_t)bytes >= sizeof(message))
        return -EMSGSIZE;
    if (head) {
        snprintf(digits, sizeof(digits), "%*d", LENGTH_DIGITS, bytes);
        memcpy(message, digits, LENGTH_DIGITS);
    }
    return gsh_io_write_full(pmi->fd, message, head + (size_t)bytes);
}

__attribute__((format(printf, 2, 3))) static void tell(const struct gsh_pmi *pmi,
                                                       const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(pmi, format, args);
    va_end(args);
}

__attribute__((format(printf, 3, 4))) static int ask(struct gsh_pmi *pmi, const char *want,
                                                     const char *format, ...)
{
    va_list args;
    int err;

    va_start(args, format);
    err = say(pmi, format, args);
    va_end(args);
    if (err)
        return hung_up(err);
    err = read_answer(pmi);
    return err ? err : check(pmi, want);
}

/* ---- What both have ---- */

static int agree(struct gsh_pmi *pmi, int version, int subversion)
{
    int theirs = -1;
    int err = ask(pmi, "response_to_init", "cmd=init pmi_version=%d pmi_subversion=%d\n", version,
                  subversion);

    if (!err && (!find_number(pmi, "pmi_version", &theirs) || theirs != version))
        return strange(pmi, version == 1 ? "pmi_version=1" : "pmi_version=2");
    return err;
}

static int take_value(const struct gsh_pmi *pmi, char *value, size_t room)
{
    return find_field(pmi, "value", value, room) ? 0 : strange(pmi, "value=");
}

int gsh_dialect_introduce(struct gsh_pmi *pmi, const char *id)
{
    int err = ask(pmi, "initack", "cmd=initack pmiid=%s\n", id);

    /* size, rank and debug, a line each. */
    for (int i = 0; i < 3 && !err; i++) {
        err = read_answer(pmi);
        if (!err)
            err = check(pmi, "set");
        find_number(pmi, "size", &pmi->n_ranks);
        find_number(pmi, "rank", &pmi->rank);
    }
    if (!err && (pmi->rank < 0 || pmi->n_ranks <= pmi->rank))
        return strange(pmi, "set size and rank");
    return err;
}

/* ---- PMI-1 ---- */

static int greet1(struct gsh_pmi *pmi)
{
    int longest = 0;
    int err = agree(pmi, 1, 1);

    if (!err)
        err = ask(pmi, "maxes", "cmd=get_maxes\n");
    if (!err && (!find_number(pmi, "vallen_max", &longest) || longest < 4))
        return strange(pmi, "vallen_max");
    pmi->max_value = (size_t)longest;
    if (!err)
        err = ask(pmi, "my_kvsname", "cmd=get_my_kvsname\n");
    if (!err && !find_field(pmi, "kvsname", pmi->space, sizeof(pmi->space)))
        return strange(pmi, "kvsname");
    return err;
}

static int put1(struct gsh_pmi *pmi, const char *key, const char *value)
{
    return ask(pmi, "put_result", "cmd=put kvsname=%s key=%s value=%s\n", pmi->space, key, value);
}

static int get1(struct gsh_pmi *pmi, const char *key, char *value, size_t room)
{
    int err = ask(pmi, "get_result", "cmd=get kvsname=%s key=%s\n", pmi->space, key);

    return err ? err : take_value(pmi, value, room);
}

static int fence1(struct gsh_pmi *pmi)
{
    return ask(pmi, "barrier_out", "cmd=barrier_in\n");
}

static int finalize1(struct gsh_pmi *pmi)
{
    return ask(pmi, "finalize_ack", "cmd=finalize\n");
}

static void abort1(const struct gsh_pmi *pmi, int status)
{
    tell(pmi, "cmd=abort exitcode=%d\n", status);
}

/* ---- PMI-2 ---- */

static int greet2(struct gsh_pmi *pmi)
{
    const char *job = getenv("PMI_JOBID");
    int err = agree(pmi, 2, 0);

    if (err)
        return err;
    pmi->framed = true;
    pmi->max_value = PMI2_MAX_VALUE;
    err = ask(pmi, "fullinit-response", "cmd=fullinit;pmijobid=%s;pmirank=%d;threaded=FALSE;",
              job ? job : "", pmi->rank);
    if (!err && (!find_number(pmi, "rank", &pmi->rank) || !find_number(pmi, "size", &pmi->n_ranks)))
        return strange(pmi, "rank and size");
    if (!err)
        err = ask(pmi, "job-getid-response", "cmd=job-getid;");
    if (!err && !find_field(pmi, "jobid", pmi->space, sizeof(pmi->space)))
        return strange(pmi, "jobid");
    return err;
}

static int put2(struct gsh_pmi *pmi, const char *key, const char *value)
{
    return ask(pmi, "kvs-put-response", "cmd=kvs-put;key=%s;value=%s;", key, value);
}

static int get2(struct gsh_pmi *pmi, const char *key, char *value, size_t room)
{
    int err =
        ask(pmi, "kvs-get-response", "cmd=kvs-get;jobid=%s;srcid=-1;key=%s;", pmi->space, key);

    return err ? err : take_value(pmi, value, room);
}

static int fence2(struct gsh_pmi *pmi)
{
    return ask(pmi, "kvs-fence-response", "cmd=kvs-fence;");
}

static int finalize2(struct gsh_pmi *pmi)
{
    return ask(pmi, "finalize-response", "cmd=finalize;");
}

/* The dialect has no word for the status: that of the processes counts. */
static void abort2(const struct gsh_pmi *pmi, int status)
{
    tell(pmi, "cmd=abort;isworld=TRUE;msg=status %d;", status);
}

static const struct gsh_dialect dialects[] = {
    { "PMI,PMI-1,PMI1", abort1, fence1, finalize1, get1, greet1, put1 },
    { "PMI-2,PMI2", abort2, fence2, finalize2, get2, greet2, put2 },
};

static bool is_one_of(const char *name, const char *names)
{
    size_t length = strlen(name);

    for (const char *at = names; *at; at += *at == ',') {
        size_t bytes = strcspn(at, ",");

        if (bytes == length && !strncasecmp(at, name, length))
            return true;
        at += bytes;
    }
    return false;
}

const struct gsh_dialect *gsh_dialect_find(const char *name)
{
    if (!*name)
        return &dialects[0];
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
        if (is_one_of(name, dialects[i].names))
            return &dialects[i];
    return NULL;
}
