/* where.c - source lines through libdw (elfutils), which is loaded when it is
 * first needed: programs that make no mistake do not pay for it.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "util/where.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* X(function): what is used of libdw. */
/* clang-format off */
#define LIBDW_CALLS(X) \
    X(dwfl_addrmodule) X(dwfl_begin) X(dwfl_end) X(dwfl_lineinfo) \
    X(dwfl_linux_proc_find_elf) X(dwfl_linux_proc_report) X(dwfl_module_addrname) \
    X(dwfl_module_getsrc) X(dwfl_report_end) X(dwfl_standard_find_debuginfo)
/* clang-format on */

struct libdw {
#define FIELD(name) __typeof__(&name) name;
    LIBDW_CALLS(FIELD)
#undef FIELD
};

static bool load(struct libdw *dw)
{
    void *lib = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    bool all = lib != NULL;

#define FIND(name) \
    if (all) { \
        void *at = dlsym(lib, #name); \
        memcpy(&dw->name, &at, sizeof(at)); \
        all = at != NULL; \
    }
    LIBDW_CALLS(FIND)
#undef FIND
    return all;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool by_lines(const struct libdw *dw, Dwfl *dwfl, Dwarf_Addr pc, char *text, size_t bytes)
{
    Dwfl_Module *module;
    Dwfl_Line *line;
    const char *function, *file;
    int number = 0;

    if (dw->dwfl_linux_proc_report(dwfl, getpid()) || dw->dwfl_report_end(dwfl, NULL, NULL))
        return false;
    module = dw->dwfl_addrmodule(dwfl, pc);
    line = module ? dw->dwfl_module_getsrc(module, pc) : NULL;
    file = line ? dw->dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file)
        return false;
    function = dw->dwfl_module_addrname(module, pc);
    snprintf(text, bytes, "%s at %s:%d", function ? function : "?", base_name(file), number);
    return true;
}

static bool by_debug_info(const void *address, char *text, size_t bytes)
{
    struct libdw dw;
    static char *no_path = NULL;
    bool found;

    if (!load(&dw))
        return false;

    Dwfl_Callbacks calls = { .find_elf = dw.dwfl_linux_proc_find_elf,
                             .find_debuginfo = dw.dwfl_standard_find_debuginfo,
                             .debuginfo_path = &no_path };
    Dwfl *dwfl = dw.dwfl_begin(&calls);

    if (!dwfl)
        return false;
    /* A return address belongs to the next line already. */
    found = by_lines(&dw, dwfl, (uintptr_t)address - 1, text, bytes);
    dw.dwfl_end(dwfl);
    return found;
}

void gsh_where(const void *address, char *text, size_t bytes)
{
    Dl_info info;

    if (address && by_debug_info(address, text, bytes))
        return;
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        snprintf(text, bytes, "an unknown place");
    else if (info.dli_sname)
        snprintf(text, bytes, "%s (%s)", info.dli_sname, base_name(info.dli_fname));
    else
        snprintf(text, bytes, "%s+0x%zx", base_name(info.dli_fname),
                 (size_t)((const char *)address - (const char *)info.dli_fbase));
}
