/* where.c - source lines through libdw (elfutils), which is loaded when it is
 * first needed: programs that make no mistake do not pay for it.
 *
 * An address may stand for several lines, one in each of the functions that the
 * compiler has put into one another. The innermost one outside of our own headers is
 * what the user wrote.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "util/where.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* X(function): what is used of libdw. */
/* clang-format off */
#define LIBDW_CALLS(X) \
    X(dwarf_attr) X(dwarf_diename) X(dwarf_filesrc) X(dwarf_formudata) X(dwarf_getscopes) \
    X(dwarf_getscopes_die) X(dwarf_getsrcfiles) X(dwarf_tag) X(dwfl_module_addrdie) \
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

/* A line of the source, and the function that it is in. */
struct line {
    const char *function;
    const char *file;
    int number;
};

static bool is_ours(const char *file)
{
    return strstr(file, "/include/gshmem/") != NULL;
}

static int number_of(const struct libdw *dw, Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;

    return dw->dwarf_formudata(dw->dwarf_attr(die, attribute, &attr), &value) ? 0 : (int)value;
}

/* The line from which the compiler took the inlined function. */
static bool call_of(const struct libdw *dw, Dwarf_Die *unit, Dwarf_Die *inlined, struct line *line)
{
    Dwarf_Files *files;
    size_t n;
    int file = number_of(dw, inlined, DW_AT_call_file);
    const char *name =
        dw->dwarf_getsrcfiles(unit, &files, &n) ? NULL : dw->dwarf_filesrc(files, file, NULL, NULL);

    line->number = number_of(dw, inlined, DW_AT_call_line);
    if (name)
        line->file = name;
    return name != NULL;
}

/* Goes outwards from the innermost of the functions around pc until the line is none of ours. */
static void go_out(const struct libdw *dw, Dwarf_Die *unit, Dwarf_Addr pc, struct line *line)
{
    Dwarf_Die *inner = NULL, *around = NULL;
    int n = dw->dwarf_getscopes(unit, pc, &inner);

    n = n > 0 ? dw->dwarf_getscopes_die(&inner[0], &around) : 0;
    for (int i = 0; i < n; i++) {
        int tag = dw->dwarf_tag(&around[i]);

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        line->function = dw->dwarf_diename(&around[i]);
        if (tag == DW_TAG_subprogram || !is_ours(line->file) ||
            !call_of(dw, unit, &around[i], line))
            break;
    }
    free(inner);
    free(around);
}

/* 1: found, 0: found in our own headers alone, -1: not found. */
static int by_lines(const struct libdw *dw, Dwfl *dwfl, Dwarf_Addr pc, char *text, size_t bytes)
{
    Dwfl_Module *module;
    Dwfl_Line *at;
    Dwarf_Die *unit;
    Dwarf_Addr bias;
    struct line line = { 0 };

    if (dw->dwfl_linux_proc_report(dwfl, getpid()) || dw->dwfl_report_end(dwfl, NULL, NULL))
        return -1;
    module = dw->dwfl_addrmodule(dwfl, pc);
    at = module ? dw->dwfl_module_getsrc(module, pc) : NULL;
    if (at)
        line.file = dw->dwfl_lineinfo(at, NULL, &line.number, NULL, NULL, NULL);
    if (!line.file)
        return -1;
    unit = dw->dwfl_module_addrdie(module, pc, &bias);
    if (unit)
        go_out(dw, unit, pc - bias, &line);
    if (!line.function)
        line.function = dw->dwfl_module_addrname(module, pc);
    snprintf(text, bytes, "%s at %s:%d", line.function ? line.function : "?", base_name(line.file),
             line.number);
    return !is_ours(line.file);
}

static int by_debug_info(const void *address, char *text, size_t bytes)
{
    struct libdw dw;
    static char *no_path = NULL;
    int found;

    if (!load(&dw))
        return -1;

    Dwfl_Callbacks calls = { .find_elf = dw.dwfl_linux_proc_find_elf,
                             .find_debuginfo = dw.dwfl_standard_find_debuginfo,
                             .debuginfo_path = &no_path };
    Dwfl *dwfl = dw.dwfl_begin(&calls);

    if (!dwfl)
        return -1;
    /* A return address belongs to the next line already. */
    found = by_lines(&dw, dwfl, (uintptr_t)address - 1, text, bytes);
    dw.dwfl_end(dwfl);
    return found;
}

bool gsh_where(const void *address, char *text, size_t bytes)
{
    Dl_info info;
    int found = address ? by_debug_info(address, text, bytes) : -1;

    if (found >= 0)
        return found;
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        snprintf(text, bytes, "an unknown place");
    else if (info.dli_sname)
        snprintf(text, bytes, "%s (%s)", info.dli_sname, base_name(info.dli_fname));
    else
        snprintf(text, bytes, "%s+0x%zx", base_name(info.dli_fname),
                 (size_t)((const char *)address - (const char *)info.dli_fbase));
    return address != NULL;
}

/* The first frame outside of this library, and the symbol of the one before it. */
void gsh_where_entered(const char **call, const void **where)
{
    void *frames[64];
    int n = backtrace(frames, sizeof(frames) / sizeof(frames[0]));
    Dl_info ours, last, info;

    if (n < 1 || !dladdr(frames[0], &ours))
        return;
    last = ours;
    for (int i = 1; i < n && dladdr(frames[i], &info); i++) {
        if (info.dli_fbase != ours.dli_fbase) {
            *where = frames[i];
            if (last.dli_sname)
                *call = last.dli_sname + !strncmp(last.dli_sname, "pshmem_", 7);
            return;
        }
        last = info;
    }
}
