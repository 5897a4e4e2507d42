/* load.c - find libucp and its calls. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "core/log.h"
#include "tr/ucx/api.h"
#include "util/fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct gsh_ucp gsh_ucp;

static const struct {
    const char *symbol;
    size_t off;
} calls[] = {
#define ROW(name, symbol, result, params) { #symbol, offsetof(struct gsh_ucp, name) },
    GSH_UCP_CALLS(ROW)
#undef ROW
};

/* What UCX reads when it is loaded. It would take over the program's handling of faults, and
 * print what we tell in our own words. */
static void set_up(void)
{
    setenv("UCX_ERROR_SIGNALS", "", 0);
    setenv("UCX_LOG_LEVEL", "fatal", 0);
}

/* Looks at the program itself, which comes first. */
static int find_interpreter(struct dl_phdr_info *program, size_t bytes, void *found)
{
    (void)bytes;
    for (int i = 0; i < program->dlpi_phnum; i++)
        *(bool *)found |= program->dlpi_phdr[i].p_type == PT_INTERP;
    return 1;
}

int gsh_ucp_load(void)
{
    void *library;
    bool is_dynamic = false;

    dl_iterate_phdr(find_interpreter, &is_dynamic);
    if (!is_dynamic)
        return gsh_miss(-ELIBACC,
                        "the program is linked with -static, and cannot load libucp.so.0");
    set_up();
    library = gsh_fault_fails("ucx.load") ? NULL : dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return gsh_miss(-ELIBACC, "libucp.so.0 cannot be loaded; install it (Debian: libucx0) or "
                                  "set LD_LIBRARY_PATH");
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        void *call = dlsym(library, calls[i].symbol);

        if (!call)
            return gsh_miss(-ELIBBAD, "libucp.so.0 is too old: it has no %s", calls[i].symbol);
        memcpy((char *)&gsh_ucp + calls[i].off, &call, sizeof(call));
    }
    return 0;
}
