/* Buffers of the program are symmetric under their alias once they are registered, keep their
 * contents before, meanwhile and after, and are counted; local ranges may overlap, and be
 * registered several times. What cannot be registered says why on every PE, and all goes on. */
// SPDX-License-Identifier: BSD-3-Clause
#define _DEFAULT_SOURCE
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t page;
static int me, n, next, last;

static char *map(size_t bytes, int flags)
{
    char *p = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        exit(1);
    return p;
}

static char *enlist(void *p, size_t bytes)
{
    char *alias = (char *)nvshmemx_buffer_register_symmetric(p, bytes, 0);

    CHECK(alias, "%s", nvshmemx_last_error());
    if (!alias)
        exit(1);
    return alias;
}

static void end(void *alias, size_t bytes)
{
    int status = nvshmemx_buffer_unregister_symmetric(alias, bytes);

    CHECK(status == 0, "status %d: %s", status, nvshmemx_last_error());
}

static void is_target(void)
{
    size_t bytes = 5 * page, ints = bytes / sizeof(int);
    char *buffer = map(bytes, MAP_PRIVATE), *alias, source[64];
    uint64_t *signal = (uint64_t *)need(sizeof(*signal));
    int *word, before;

    fill(buffer, bytes, (unsigned)me + 1);
    alias = enlist(buffer, bytes);
    CHECK(alias != buffer, "alias %p", (void *)alias);
    CHECK(differs(alias, bytes, (unsigned)me + 1) == bytes, "contents by the alias");
    CHECK(differs(buffer, bytes, (unsigned)me + 1) == bytes, "contents by the buffer");
    fact("a registered buffer keeps its contents, and has them under its alias as well");

    nvshmem_barrier_all();
    memset(source, me + 1, sizeof(source));
    nvshmem_putmem_signal(alias + page + 3, source, sizeof(source), signal, 1, NVSHMEM_SIGNAL_SET,
                          next);
    nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
    CHECK(differs_from(buffer + page + 3, sizeof(source), (unsigned char)(last + 1)) ==
              sizeof(source),
          "the put");
    word = (int *)(void *)alias + ints - 1;
    before = *word;
    nvshmem_barrier_all();
    nvshmem_int_atomic_add(word, 1, next);
    nvshmem_barrier_all();
    CHECK(*word == before + 1, "the last word is %d, was %d", *word, before);
    nvshmem_getmem(source, alias, sizeof(source), next);
    CHECK(differs(source, sizeof(source), (unsigned)next + 1) == sizeof(source), "the get");
    CHECK(nvshmem_ptr(alias, me) == alias && !nvshmem_ptr(buffer, me), "nvshmem_ptr");
    nvshmem_barrier_all();
    fact("puts, gets, signals and atomics reach it by its alias");

    buffer[0] = (char)(me + 50);
    nvshmem_barrier_all();
    CHECK(nvshmem_char_g(alias, next) == (char)(next + 50), "a store to the buffer");
    nvshmem_barrier_all();
    end(alias, bytes);
    CHECK(buffer[0] == (char)(me + 50) && buffer[1] == (char)byte_of((unsigned)me + 1, 1),
          "after its end");
    CHECK(differs_from(buffer + page + 3, sizeof(source), (unsigned char)(last + 1)) ==
              sizeof(source),
          "what was put stays");
    memset(buffer, 1, bytes);
    munmap(buffer, bytes);
    fact("after its end the buffer is the program's, with what was put");
    nvshmem_free(signal);
}

static void is_counted(void)
{
    size_t bytes = 4 * page;
    char *buffer = map(bytes, MAP_PRIVATE), *all = enlist(buffer, bytes);
    char *again = enlist(buffer, bytes), *part = enlist(buffer + page, 2 * page);

    CHECK(again == all && part == all + page, "%p, %p, %p", (void *)all, (void *)again,
          (void *)part);
    end(all, bytes);
    end(part, 2 * page);
    nvshmem_char_p(again + 7, (char)(me + 1), next);
    nvshmem_barrier_all();
    CHECK(buffer[7] == (char)(last + 1), "byte %d", buffer[7]);
    nvshmem_barrier_all();
    end(again, bytes);
    CHECK(nvshmemx_buffer_unregister_symmetric(again, bytes), "a fourth end");
    CHECK(nvshmemx_last_error()[0], "has a text");
    munmap(buffer, bytes);
    fact("a buffer and parts of it are registered several times, and counted");
}

static void many(void)
{
    enum { N = 20 };
    char *buffers[N], *aliases[N];

    for (int i = 0; i < N; i++) {
        buffers[i] = map((size_t)(i + 1) * page, MAP_PRIVATE);
        buffers[i][0] = (char)(i + me);
        aliases[i] = enlist(buffers[i], (size_t)(i + 1) * page);
    }
    nvshmem_barrier_all();
    for (int i = 0; i < N; i++)
        CHECK(nvshmem_char_g(aliases[i], next) == (char)(i + next), "buffer %d", i);
    nvshmem_barrier_all();
    for (int i = 0; i < N; i += 2)
        end(aliases[i], (size_t)(i + 1) * page);
    for (int i = 1; i < N; i += 2)
        CHECK(nvshmem_char_g(aliases[i], next) == (char)(i + next), "buffer %d later", i);
    nvshmem_barrier_all();
    for (int i = 1; i < N; i += 2)
        end(aliases[i], (size_t)(i + 1) * page);
    for (int i = 0; i < N; i++) {
        CHECK(buffers[i][0] == (char)(i + me), "buffer %d at its end", i);
        munmap(buffers[i], (size_t)(i + 1) * page);
    }
    fact("twenty buffers of different sizes are registered and end in another order");
}

/* All PEs call; NULL on all of them. */
static void refused(void *p, size_t bytes, int flags, const char *what)
{
    CHECK(!nvshmemx_buffer_register_symmetric(p, bytes, flags), "%s", what);
    CHECK(nvshmemx_last_error()[0], "%s: no text", what);
}

static void refusals(void)
{
    char *good = map(4 * page, MAP_PRIVATE), *shared = map(page, MAP_SHARED);
    char *constant = map(page, MAP_PRIVATE), *alias;
    void *heap = need(2 * page);

    mprotect(constant, page, PROT_READ);
    refused(NULL, page, 0, "NULL");
    refused(good, 0, 0, "no bytes");
    refused(good, page, 1, "flags");
    refused(good + 8, page, 0, "no page");
    refused(good, page - 8, 0, "less than a page");
    refused(heap, page, 0, "the heap");
    refused(shared, page, 0, "shared memory");
    refused(constant, page, 0, "read-only memory");
    munmap(constant, page);
    refused(constant, page, 0, "no memory");
    fact("what cannot be symmetric gives NULL and a text");

    alias = enlist(good, 2 * page);
    refused(good + page, 2 * page, 0, "partly registered");
    end(alias, 2 * page);
    fact("a range that is registered in part is refused");
    refused(me == n - 1 ? good + 1 : good, page, 0, "one PE cannot");
    CHECK(n == 1 || me == n - 1 || strstr(nvshmemx_last_error(), "another PE"), "%s",
          nvshmemx_last_error());
    fact("when the buffer of one PE cannot be, none is");
    alias = enlist(good, page);
    CHECK(nvshmemx_buffer_unregister_symmetric(me ? alias : good + page, page), "PE 0 is wrong");
    end(alias, page);
    fact("an end that is wrong on one PE is none on all");
    nvshmem_free(heap);
    munmap(good, 4 * page);
    munmap(shared, page);
}

static void local(void)
{
    char *buffer = (char *)malloc(10000), *there = (char *)need(10000);

    CHECK(!nvshmemx_buffer_register(buffer, 10000), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(buffer + 100, 5000), "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_register(buffer + 100, 7000), "%s", nvshmemx_last_error());
    fill(buffer, 10000, (unsigned)me + 9);
    nvshmem_putmem(there, buffer, 10000, next);
    nvshmem_barrier_all();
    CHECK(differs(there, 10000, (unsigned)last + 9) == 10000, "put from it");
    nvshmem_barrier_all();
    CHECK(!nvshmemx_buffer_unregister(buffer + 100) && !nvshmemx_buffer_unregister(buffer + 100),
          "both");
    CHECK(nvshmemx_buffer_unregister(buffer + 100) == NVSHMEMX_ERROR_INVALID_VALUE, "a third");
    CHECK(nvshmemx_buffer_unregister(buffer + 1), "inside");
    CHECK(!nvshmemx_buffer_unregister(buffer), "the first");
    fact("local ranges overlap, are counted, and end by their start");
    CHECK(nvshmemx_buffer_register(buffer, 0), "no bytes");
    CHECK(nvshmemx_buffer_register(NULL, 8), "NULL");
    CHECK(nvshmemx_buffer_register(buffer, SIZE_MAX), "beyond all addresses");
    CHECK(nvshmemx_buffer_register(there + 8, 8), "the heap");
    CHECK(strstr(nvshmemx_last_error(), "symmetric"), "%s", nvshmemx_last_error());
    fact("no bytes, no memory and symmetric memory are refused");
    nvshmemx_buffer_register(buffer, 10);
    nvshmemx_buffer_register(buffer + 5, 10);
    nvshmemx_buffer_unregister_all();
    CHECK(nvshmemx_buffer_unregister(buffer), "after unregister_all");
    fact("nvshmemx_buffer_unregister_all ends all");
    nvshmem_free(there);
    free(buffer);
}

int main(void)
{
    char *stays;
    int status;

    page = (size_t)sysconf(_SC_PAGESIZE);
    nvshmem_init();
    me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, last = (me + n - 1) % n;
    is_target();
    is_counted();
    many();
    refusals();
    local();

    stays = map(2 * page, MAP_PRIVATE);
    nvshmem_char_p(enlist(stays, 2 * page) + page, (char)(me + 3), next);
    nvshmemx_buffer_register(stays, page);
    nvshmem_finalize();
    CHECK(stays[page] == (char)(last + 3), "byte %d", stays[page]);
    stays[0] = 1;
    nvshmem_init();
    CHECK(nvshmemx_buffer_unregister(stays), "still registered");
    CHECK(nvshmem_char_g(enlist(stays, 2 * page) + page, last) == (char)((last + n - 1) % n + 3),
          "registered again");
    fact("finalize ends all registrations, the next world may have them again");
    status = finish();
    nvshmem_finalize();
    return status;
}
