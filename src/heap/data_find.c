/* data_find.c - the loaded objects and their writable pages. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "heap/data_find.h"
#include "core/log.h"
#include "core/state.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct search {
    struct gsh_ranges *ranges;
    const char *soname; /* of libgshmem.so; NULL when the library is in the executable */
    size_t seen;        /* objects, the executable first */
    int err;
};

static uintptr_t page_down(uintptr_t at)
{
    return at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static uintptr_t page_up(uintptr_t at)
{
    return page_down(at + (uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static void mix(uint64_t *hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
}

static const ElfW(Phdr) * header(const struct dl_phdr_info *object, ElfW(Word) type)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == type)
            return &object->dlpi_phdr[i];
    return NULL;
}

/* The part of the object that is loaded at this address; NULL: none. */
static const ElfW(Phdr) * part_at(const struct dl_phdr_info *object, uintptr_t at)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && at - object->dlpi_addr - part->p_vaddr < part->p_memsz)
            return part;
    }
    return NULL;
}

/* The first name under this tag, or the given one, of the dynamic section. */
static const char *dynamic_name(const struct dl_phdr_info *object, ElfW(Sxword) tag,
                                const char *name)
{
    const ElfW(Phdr) *part = header(object, PT_DYNAMIC);
    const ElfW(Dyn) *first = part ? (const void *)(object->dlpi_addr + part->p_vaddr) : NULL;
    const char *names = NULL;

    for (const ElfW(Dyn) *d = first; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) /* ld.so adds the address in most objects */
            names =
                (const char *)(d->d_un.d_ptr < object->dlpi_addr ? d->d_un.d_ptr + object->dlpi_addr
                                                                 : d->d_un.d_ptr);
    for (const ElfW(Dyn) *d = first; names && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag && (!name || !strcmp(names + d->d_un.d_val, name)))
            return names + d->d_un.d_val;
    return NULL;
}

static int find_self(struct dl_phdr_info *object, size_t bytes, void *arg)
{
    const char **soname = arg;

    (void)bytes;
    if (!part_at(object, (uintptr_t)&gsh))
        return 0;
    *soname = dynamic_name(object, DT_SONAME, NULL);
    return 1;
}

static bool needs_us(const struct dl_phdr_info *object, const char *soname)
{
    return soname && dynamic_name(object, DT_NEEDED, soname);
}

static const char *name_of(const struct dl_phdr_info *object)
{
    const char *slash = strrchr(object->dlpi_name, '/');

    if (!*object->dlpi_name)
        return program_invocation_short_name;
    return slash ? slash + 1 : object->dlpi_name;
}

static int add(struct gsh_ranges *ranges, const struct dl_phdr_info *object, uintptr_t from,
               uintptr_t to)
{
    struct gsh_range *all = realloc(ranges->all, (ranges->n + 1) * sizeof(*all));

    if (!all)
        return gsh_fail(-ENOMEM, "no memory for the records of static data");
    ranges->all = all;
    all[ranges->n] = (struct gsh_range){
        .at = (char *)from, .bytes = to - from, .load = object->dlpi_addr, .snapshot = MAP_FAILED
    };
    snprintf(all[ranges->n].name, sizeof(all->name), "%s", name_of(object));
    ranges->n++;
    return 0;
}

static int find_parts(struct dl_phdr_info *object, size_t bytes, void *arg)
{
    struct search *s = arg;
    bool is_program = s->seen++ == 0;

    (void)bytes;
    if (is_program && !header(object, PT_INTERP)) {
        s->ranges->why_not = "the program is linked with -static, with the C library's own data";
        return 1;
    }
    if (!is_program && !needs_us(object, s->soname))
        return 0;
    mix(&s->ranges->hash, object->dlpi_phdr, object->dlpi_phnum * sizeof(*object->dlpi_phdr));
    for (int i = 0; i < object->dlpi_phnum && !s->err; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_NOTE && part_at(object, at)) /* among them the build id */
            mix(&s->ranges->hash, (const void *)at, part->p_memsz);
        if (part->p_type == PT_LOAD && part->p_flags & PF_W && !(part->p_flags & PF_X))
            s->err = add(s->ranges, object, page_down(at), page_up(at + part->p_memsz));
    }
    return s->err;
}

/* What of a range lies in a writable private mapping becomes `kept`; what the linker
 * made read-only after relocation (RELRO), or the program, does not. */
static void keep_writable(const struct gsh_range *range, struct gsh_range *kept, uintptr_t from,
                          uintptr_t to, bool file)
{
    uintptr_t start = (uintptr_t)range->at, end = start + range->bytes;

    if (from < start)
        from = start;
    if (to > end)
        to = end;
    if (from >= to)
        return;
    if (!kept->bytes)
        kept->at = (char *)from;
    if ((uintptr_t)kept->at + kept->bytes != from)
        return; /* a hole that somebody made: what is before it will do */
    kept->bytes += to - from;
    if (file)
        kept->file_bytes = kept->bytes;
}

static int check_pages(struct gsh_ranges *ranges)
{
    struct gsh_range *kept = calloc(ranges->n, sizeof(*kept));
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], rights[8];
    uintptr_t from, to;
    unsigned long inode;
    size_t n = 0;

    if (!kept || !maps) {
        if (maps)
            fclose(maps);
        free(kept);
        ranges->why_not = "the mappings of the process cannot be read in /proc";
        return 0;
    }
    for (size_t i = 0; i < ranges->n; i++) {
        kept[i] = ranges->all[i];
        kept[i].bytes = 0;
    }
    while (fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %*x %*s %lu", &from, &to, rights, &inode) !=
                4 ||
            strcmp(rights, "rw-p"))
            continue;
        for (size_t i = 0; i < ranges->n; i++)
            keep_writable(&ranges->all[i], &kept[i], from, to, inode != 0);
    }
    fclose(maps);
    for (size_t i = 0; i < ranges->n; i++)
        if (kept[i].bytes)
            kept[n++] = kept[i];
    free(ranges->all);
    ranges->all = kept;
    ranges->n = n;
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct gsh_range *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

int gsh_ranges_find(struct gsh_ranges *ranges)
{
    struct search search = { .ranges = ranges };
    int err;

    *ranges = (struct gsh_ranges){ .hash = UINT64_C(0xcbf29ce484222325) };
    /* It knows a place by its address, and would see two places in one word. */
    if (dlsym(RTLD_DEFAULT, "__tsan_init"))
        ranges->why_not = "the program is built with ThreadSanitizer";
    if (!ranges->why_not) {
        dl_iterate_phdr(find_self, &search.soname);
        dl_iterate_phdr(find_parts, &search);
    }
    err = search.err;
    if (!err && !ranges->why_not)
        err = check_pages(ranges);
    if (err || ranges->why_not)
        ranges->n = 0;
    /* In load order, which is equal on all PEs; addresses need not be. */
    for (size_t i = 0; i < ranges->n; i++) {
        struct gsh_range *r = &ranges->all[i];
        uintptr_t place[] = { (uintptr_t)r->at - r->load, r->bytes };

        r->off = ranges->bytes;
        ranges->bytes += r->bytes;
        mix(&ranges->hash, place, sizeof(place));
    }
    if (ranges->n)
        qsort(ranges->all, ranges->n, sizeof(*ranges->all), by_address);
    return err;
}

void gsh_ranges_free(struct gsh_ranges *ranges)
{
    free(ranges->all);
    *ranges = (struct gsh_ranges){ 0 };
}

struct question {
    uintptr_t at;
    const char *soname;
    const char *why_not;
    size_t seen;
    char *text;
    size_t bytes;
};

static int explain(struct dl_phdr_info *object, size_t bytes, void *arg)
{
    struct question *q = arg;
    const ElfW(Phdr) *part = part_at(object, q->at), *relro = header(object, PT_GNU_RELRO);
    bool is_program = q->seen++ == 0;

    (void)bytes;
    if (!part)
        return 0;
    if (!(part->p_flags & PF_W) ||
        (relro && q->at - object->dlpi_addr - relro->p_vaddr < relro->p_memsz))
        snprintf(q->text, q->bytes, "it is read-only data of %s", name_of(object));
    else if (q->why_not)
        snprintf(q->text, q->bytes,
                 "it is static data, which is not symmetric in this job since %s", q->why_not);
    else if (is_program)
        snprintf(q->text, q->bytes, "it is data of %s with other rights than to read and write",
                 name_of(object));
    else if (needs_us(object, q->soname))
        snprintf(q->text, q->bytes,
                 "it is data of %s, which was loaded after initialisation: load it before",
                 name_of(object));
    else
        snprintf(q->text, q->bytes,
                 "it is data of %s; only variables of the program and of libraries that are "
                 "linked with libgshmem.so are symmetric",
                 name_of(object));
    return 1;
}

void gsh_ranges_explain(const void *at, const char *why_not, char *text, size_t bytes)
{
    struct question question = {
        .at = (uintptr_t)at, .why_not = why_not, .text = text, .bytes = bytes
    };

    *text = '\0';
    dl_iterate_phdr(find_self, &question.soname);
    dl_iterate_phdr(explain, &question);
}
