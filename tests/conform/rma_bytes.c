/* putmem, getmem and their _nbi forms move any length from and to any alignment, with the
 * local operand in any memory, between all pairs of PEs. */
// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"

enum { LENGTHS = 301, SLOT = 352, AREA = LENGTHS * SLOT, SENTINEL = 0xee, BIG = (1 << 20) + 3 };

typedef void move_fn(void *dest, const void *source, size_t bytes, int pe);

static unsigned char *areas; /* symmetric: one area a PE, one slot a length */
static unsigned char static_area[AREA];

static size_t offset_of(size_t length, unsigned salt)
{
    return mix((unsigned)length, salt) % 17;
}

/* `length` bytes of contents `seed` stand at `offset`, sentinels around them. */
static int slot_is(const unsigned char *slot, size_t offset, size_t length, unsigned seed)
{
    size_t after = offset + length;

    return differs_from(slot, offset, SENTINEL) == offset &&
           differs(slot + offset, length, seed) == length &&
           differs_from(slot + after, SLOT - after, SENTINEL) == SLOT - after;
}

static void check_puts(move_fn *put, int blocking, unsigned salt)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    memset(areas, SENTINEL, (size_t)n * AREA);
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        for (size_t length = 0; length < LENGTHS; length++) {
            unsigned char *from = static_area + length * SLOT + offset_of(length, salt + 1);
            unsigned char *to = areas + me * AREA + length * SLOT + offset_of(length, salt);

            fill(from, length, mix(salt + (unsigned)length, me * n + pe));
            put(to, from, length, pe);
            if (blocking)
                memset(from, 0, length);
        }
        nvshmem_quiet();
    }
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        for (size_t length = 0; length < LENGTHS; length++)
            CHECK(slot_is(areas + pe * AREA + length * SLOT, offset_of(length, salt), length,
                          mix(salt + (unsigned)length, pe * n + me)),
                  "%zu bytes from pe %d", length, pe);
    nvshmem_barrier_all();
}

static void check_gets(move_fn *get, unsigned salt)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();

    for (int pe = 0; pe < n; pe++)
        for (size_t length = 0; length < LENGTHS; length++)
            fill(areas + pe * AREA + length * SLOT + offset_of(length, salt), length,
                 mix(salt + (unsigned)length, me * n + pe));
    nvshmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        memset(static_area, SENTINEL, AREA);
        for (size_t length = 0; length < LENGTHS; length++)
            get(static_area + length * SLOT + offset_of(length, salt + 1),
                areas + me * AREA + length * SLOT + offset_of(length, salt), length, pe);
        nvshmem_quiet();
        for (size_t length = 0; length < LENGTHS; length++)
            CHECK(slot_is(static_area + length * SLOT, offset_of(length, salt + 1), length,
                          mix(salt + (unsigned)length, pe * n + me)),
                  "%zu bytes from pe %d", length, pe);
    }
    nvshmem_barrier_all();
}

/* Memory of every kind as local operand; each is written again after the put. */
static void local_operands(void)
{
    static unsigned char in_static[1000];
    static const unsigned char in_constant[] = "this text is in memory that cannot be written";
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    unsigned char in_stack[1000];
    unsigned char *in_malloc = (unsigned char *)malloc(1000);
    unsigned char *in_heap = (unsigned char *)need(1000);
    unsigned char *kinds[] = { in_static, in_stack, in_malloc, in_heap };
    unsigned char *to = (unsigned char *)need(4 * 1000 + sizeof(in_constant));

    for (int i = 0; i < 4; i++) {
        fill(kinds[i], 1000, mix(i, me));
        nvshmem_putmem(to + i * 1000, kinds[i], 1000, next);
        memset(kinds[i], 0, 1000);
    }
    nvshmem_putmem(to + 4000, in_constant, sizeof(in_constant), next);
    nvshmem_barrier_all();
    for (int i = 0; i < 4; i++) {
        CHECK(differs(to + i * 1000, 1000, mix(i, prev)) == 1000, "kind %d", i);
        nvshmem_getmem(kinds[i], to + i * 1000, 1000, next);
        CHECK(differs(kinds[i], 1000, mix(i, me)) == 1000, "kind %d", i);
    }
    CHECK(memcmp(to + 4000, in_constant, sizeof(in_constant)) == 0, "constant");
    nvshmem_free(to);
    nvshmem_free(in_heap);
    free(in_malloc);
    fact("the local operand may be stack, static, constant, allocated or symmetric memory");
}

static __attribute__((noinline)) void put_dying_word(uint64_t *to, uint64_t value, int pe)
{
    volatile uint64_t word = value;

    nvshmem_uint64_put_nbi(to, (const uint64_t *)&word, 1, pe);
    word = ~value;
}

static void dying_words(void)
{
    enum { WORDS = 200 };
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    uint64_t *to = (uint64_t *)need(WORDS * sizeof(*to));

    for (int i = 0; i < WORDS; i++)
        put_dying_word(&to[i], mix(i, me), next);
    nvshmem_barrier_all();
    for (int i = 0; i < WORDS; i++)
        CHECK(to[i] == mix(i, prev), "word %d", i);
    nvshmem_free(to);
    fact("put_nbi of a word takes it at once: it may be on a stack that dies before quiet");
}

static void big_ones(void)
{
    int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    unsigned char *to = (unsigned char *)need((size_t)BIG + 16);
    unsigned char *from = (unsigned char *)malloc(BIG);

    for (int hop = 0; hop < n; hop++) {
        int target = (me + hop) % n, origin = (me + n - hop) % n;

        fill(from, BIG, mix(hop, me));
        nvshmem_putmem_nbi(to + 5, from, BIG, target);
        nvshmem_barrier_all();
        CHECK(differs(to + 5, BIG, mix(hop, origin)) == BIG, "put, hop %d", hop);
        memset(from, 0, BIG);
        nvshmem_getmem(from, to + 5, BIG, target);
        CHECK(differs(from, BIG, mix(hop, me)) == BIG, "get, hop %d", hop);
        nvshmem_barrier_all();
    }
    nvshmem_free(to);
    free(from);
    fact("1 MiB and 3 bytes go to and come from every PE");
}

int main(void)
{
    int status;

    nvshmem_init();
    areas = (unsigned char *)need((size_t)nvshmem_n_pes() * AREA);
    for (unsigned salt = 0; salt < 3; salt++)
        check_puts(nvshmem_putmem, 1, salt);
    fact("putmem of 0 to 300 bytes at odd alignments; its source may be reused on return");
    for (unsigned salt = 3; salt < 6; salt++)
        check_puts(nvshmem_putmem_nbi, 0, salt);
    fact("putmem_nbi of 0 to 300 bytes at odd alignments, complete at quiet");
    check_gets(nvshmem_getmem, 6);
    check_gets(nvshmem_getmem_nbi, 7);
    fact("getmem and getmem_nbi of 0 to 300 bytes at odd alignments");
    local_operands();
    dying_words();
    big_ones();
    status = finish();
    nvshmem_finalize();
    return status;
}
