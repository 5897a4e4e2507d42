/* escape.c - the way out of a call that will not end. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

_Thread_local struct gsh_escape *gsh_escape;

void gsh_escape_or_die(const char *fmt, ...)
{
    struct gsh_escape *here = gsh_escape;
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (!here)
        gsh_die("%s", text);
    gsh_fail(-ECONNABORTED, "%s", text);
    gsh_escape_end();
    longjmp(here->to, 1);
}
