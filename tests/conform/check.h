/* check.h - TAP for programs that run on several PEs.
 *
 * All PEs go through the same facts. CHECK() tests a detail on this PE; the
 * first details that fail are shown on stderr with the PE. fact() names what
 * the details since the last fact() were about. finish() is collective, while
 * the library is initialised: a fact holds when it holds on all PEs, PE 0
 * prints, and the result is the exit status. Everything random comes from
 * seeds, so that every run is the same.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_CHECK_H
#define GSH_TESTS_CHECK_H

#ifndef __CUDACC__
/* CUDA's types as a host program without CUDA may complete them. */
struct __half {
    unsigned short bits;
};
struct __nv_bfloat16 {
    unsigned short bits;
};
#endif

#include <dirent.h>
#include <nvshmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_FACTS = 400, CHECK_NAME = 120, CHECK_SHOWN = 5 };

struct check_facts {
    int n;
    unsigned char wrong[CHECK_FACTS];
};

static struct check_facts check_mine;
static char check_names[CHECK_FACTS][CHECK_NAME];
static int check_wrong; /* details that failed since the last fact */

#define CHECK(cond, ...) check_detail((cond) != 0, __FILE__, __LINE__, #cond, __VA_ARGS__)

static inline __attribute__((format(printf, 5, 6))) void
check_detail(int holds, const char *file, int line, const char *cond, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    if (holds || ++check_wrong > CHECK_SHOWN)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fprintf(stderr, "# pe %d: %s:%d: %s: not so: %s\n",
            nvshmemx_init_status() ? nvshmem_my_pe() : -1, file, line, text, cond);
}

static inline __attribute__((format(printf, 1, 2))) void fact(const char *fmt, ...)
{
    va_list ap;

    if (check_mine.n == CHECK_FACTS) {
        fprintf(stderr, "# more than %d facts\n", CHECK_FACTS);
        exit(1);
    }
    va_start(ap, fmt);
    vsnprintf(check_names[check_mine.n], CHECK_NAME, fmt, ap);
    va_end(ap);
    check_mine.wrong[check_mine.n++] = check_wrong != 0;
    check_wrong = 0;
}

/* One line of TAP, and where the fact does not hold. Returns 1 when it does not. */
static inline int check_report(const struct check_facts *all, int n_pes, int i)
{
    int wrong = 0;

    for (int pe = 0; pe < n_pes; pe++)
        wrong |= all[pe].wrong[i];
    printf("%sok %d - %s\n", wrong ? "not " : "", i + 1, check_names[i]);
    for (int pe = 0; pe < n_pes; pe++)
        if (all[pe].wrong[i])
            printf("# fails on pe %d\n", pe);
    return wrong;
}

static inline int finish(void)
{
    int me = nvshmem_my_pe(), n_pes = nvshmem_n_pes(), status = 0;
    struct check_facts *seen = (struct check_facts *)malloc(n_pes * sizeof(*seen));
    struct check_facts *all = (struct check_facts *)nvshmem_calloc(n_pes, sizeof(*all));

    if (!all || !seen) {
        fprintf(stderr, "# pe %d: no memory for the results\n", me);
        return 1;
    }
    nvshmem_putmem(&all[me], &check_mine, sizeof(check_mine), 0);
    nvshmem_barrier_all();
    nvshmem_getmem(seen, all, n_pes * sizeof(*seen), me); /* the host may not read the heap */
    for (int i = 0; i < check_mine.n; i++)
        status |= me ? check_mine.wrong[i] : check_report(seen, n_pes, i);
    for (int pe = 0; me == 0 && pe < n_pes; pe++) {
        if (seen[pe].n == check_mine.n)
            continue;
        printf("# pe %d came to %d facts\n", pe, seen[pe].n);
        status = 1;
    }
    if (me == 0) {
        printf("1..%d\n", check_mine.n);
        fflush(stdout);
    }
    nvshmem_free(all);
    free(seen);
    return status;
}

static inline int skip_all(const char *why)
{
    if (nvshmem_my_pe() == 0)
        printf("1..0 # SKIP %s\n", why);
    fflush(stdout);
    return 77;
}

/* A number that depends on all of its arguments. */
static inline unsigned mix(unsigned a, unsigned b)
{
    unsigned x = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;

    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 13;
}

/* The next of a row of numbers below `limit`. */
static inline unsigned draw(unsigned *state, unsigned limit)
{
    *state = mix(*state, 1);
    return *state % limit;
}

/* Byte i of the contents that `seed` names. */
static inline unsigned char byte_of(unsigned seed, size_t i)
{
    return (unsigned char)((seed >> 3) + (unsigned)i * (seed | 1) + (unsigned)(i >> 8));
}

static inline void fill(void *p, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)p)[i] = byte_of(seed, i);
}

/* The first byte that is not as fill() wrote it; `bytes` when all are. */
static inline size_t differs(const void *p, size_t bytes, unsigned seed)
{
    size_t i = 0;

    while (i < bytes && ((const unsigned char *)p)[i] == byte_of(seed, i))
        i++;
    return i;
}

/* The first of the bytes that is not `value`; `bytes` when all are. */
static inline size_t differs_from(const void *p, size_t bytes, unsigned char value)
{
    size_t i = 0;

    while (i < bytes && ((const unsigned char *)p)[i] == value)
        i++;
    return i;
}

/* Symmetric memory, zeroed; a test that cannot have it ends. */
static inline void *need(size_t bytes)
{
    void *p = nvshmem_calloc(1, bytes);

    if (p)
        return p;
    fprintf(stderr, "# pe %d: no %zu bytes of symmetric memory: %s\n", nvshmem_my_pe(), bytes,
            nvshmemx_last_error());
    exit(1);
}

/* Of a folder, such as that of the descriptors. */
static inline int count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

#endif /* GSH_TESTS_CHECK_H */
