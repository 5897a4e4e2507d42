/* wait.cuh - waiting for, and testing, words of this PE that others write: bodies.
 *
 * Words are polled with relaxed loads; once the condition holds, one acquire fence makes
 * what was written before the words visible to this thread, and to all threads that meet
 * it in a barrier afterwards.
 *
 * The forms over many words look at a set of them. `status` that is not 0 leaves an
 * element out, NULL none. Where one of several may be chosen the search begins at another
 * element each time, so that none is starved.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_WAIT_CUH
#define GSHMEM_IMPL_WAIT_CUH

#include <gshmem/impl/arch.cuh>
#include <gshmem/types.h>

namespace gsh_impl {

template <class T> GSH_DEVICE bool compare(T have, int cmp, T value)
{
    switch (cmp) {
    case NVSHMEM_CMP_EQ:
        return have == value;
    case NVSHMEM_CMP_NE:
        return have != value;
    case NVSHMEM_CMP_GT:
        return have > value;
    case NVSHMEM_CMP_LE:
        return have <= value;
    case NVSHMEM_CMP_LT:
        return have < value;
    default:
        return have >= value;
    }
}

GSH_DEVICE void check_cmp(const char *call, int cmp)
{
    if (cmp < NVSHMEM_CMP_EQ || cmp > NVSHMEM_CMP_GE)
        fail(call, "no such comparison (given, last)", cmp, NVSHMEM_CMP_GE);
}

/* Waits until `*word cmp value`; returns what was seen. No acquire. */
template <class T> GSH_DEVICE T poll(const char *call, const T *word, int cmp, T value)
{
    T have = load(word);

    for (waiting w(call, word, cmp, value); !compare(have, cmp, value); have = load(word))
        w.pause();
    note_seen(word, sizeof(T));
    return have;
}

template <class T> GSH_DEVICE T wait_one(const char *call, const T *word, int cmp, T value)
{
    check_cmp(call, cmp);
    T have = poll(call, word, cmp, value);
    fence_acquire();
    return have;
}

template <class T> GSH_DEVICE int test_one(const char *call, const T *word, int cmp, T value)
{
    check_cmp(call, cmp);
    if (!compare(load(word), cmp, value))
        return 0;
    fence_acquire();
    note_seen(word, sizeof(T));
    return 1;
}

/* What the elements are compared with: one value for all. A T * has a value for each. */
template <class T> struct same {
    T value;
    GSH_DEVICE T operator[](size_t) const { return value; }
};

template <class T, class Values> struct words {
    const char *call;
    const T *at;
    size_t n;
    const int *status;
    int cmp;
    Values values;

    GSH_DEVICE bool counts(size_t i) const { return !status || !status[i]; }
    GSH_DEVICE bool met(size_t i) const
    {
        if (!counts(i) || !compare(load(at + i), cmp, (T)values[i]))
            return false;
        note_seen(at + i, sizeof(T));
        return true;
    }
    /* The first element that counts; n when none does. */
    GSH_DEVICE size_t first() const
    {
        size_t i = 0;

        while (i < n && !counts(i))
            i++;
        return i;
    }
};

template <class T>
GSH_DEVICE words<T, same<T>> many(const char *call, const T *at, size_t n, const int *status,
                                  int cmp, T value)
{
    return words<T, same<T>>{ call, at, n, status, cmp, { value } };
}

template <class T>
GSH_DEVICE words<T, const T *> many(const char *call, const T *at, size_t n, const int *status,
                                    int cmp, const T *values)
{
    return words<T, const T *>{ call, at, n, status, cmp, values };
}

/* A place below n that changes all the time. */
GSH_DEVICE size_t turn(size_t n)
{
    return n < 2 ? 0 : ((uint32_t)(clock_ns() >> 5) * 2654435761u >> 7) % n;
}

template <class Set> GSH_DEVICE size_t find(const Set &set)
{
    size_t start = turn(set.n);

    for (size_t k = 0; k < set.n; k++) {
        size_t i = start + k < set.n ? start + k : start + k - set.n;

        if (set.met(i))
            return i;
    }
    return SIZE_MAX;
}

template <class Set> GSH_DEVICE size_t collect(const Set &set, size_t *indices)
{
    size_t start = turn(set.n), found = 0;

    for (size_t k = 0; k < set.n; k++) {
        size_t i = start + k < set.n ? start + k : start + k - set.n;

        if (set.met(i))
            indices[found++] = i;
    }
    return found;
}

template <class T, class Values> GSH_DEVICE void wait_all(const words<T, Values> &set)
{
    check_cmp(set.call, set.cmp);
    for (size_t i = 0; i < set.n; i++)
        if (set.counts(i))
            poll(set.call, set.at + i, set.cmp, (T)set.values[i]);
    fence_acquire();
}

template <class Set> GSH_DEVICE int test_all(const Set &set)
{
    check_cmp(set.call, set.cmp);
    for (size_t i = 0; i < set.n; i++)
        if (set.counts(i) && !set.met(i))
            return 0;
    fence_acquire();
    return 1;
}

template <class Set> GSH_DEVICE size_t test_any(const Set &set)
{
    check_cmp(set.call, set.cmp);
    size_t found = find(set);
    if (found != SIZE_MAX)
        fence_acquire();
    return found;
}

template <class Set> GSH_DEVICE size_t test_some(const Set &set, size_t *indices)
{
    check_cmp(set.call, set.cmp);
    size_t found = collect(set, indices);
    if (found)
        fence_acquire();
    return found;
}

template <class T, class Values> GSH_DEVICE size_t wait_any(const words<T, Values> &set)
{
    size_t first = set.first(), found;

    check_cmp(set.call, set.cmp);
    if (first == set.n)
        return SIZE_MAX;
    waiting w(set.call, set.at + first, set.cmp, (T)set.values[first]);
    while ((found = find(set)) == SIZE_MAX)
        w.pause();
    fence_acquire();
    return found;
}

template <class T, class Values>
GSH_DEVICE size_t wait_some(const words<T, Values> &set, size_t *indices)
{
    size_t first = set.first(), found;

    check_cmp(set.call, set.cmp);
    if (first == set.n)
        return 0;
    waiting w(set.call, set.at + first, set.cmp, (T)set.values[first]);
    while (!(found = collect(set, indices)))
        w.pause();
    fence_acquire();
    return found;
}

} // namespace gsh_impl

#endif /* GSHMEM_IMPL_WAIT_CUH */
