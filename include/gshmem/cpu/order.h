/* order.h - the order of accesses to words that have none of their own: atomic operations of
 * CUDA, and what the calls of the device make of them.
 *
 * ThreadSanitizer sees no fences, and would report data that a fence and a word without an
 * order hand on. For it each access to a word has the order that such fences give: it then
 * misses races for want of a fence, which is what the race checker is for, and reports none
 * that is not there. The fences stay, as other processes rely on them.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_ORDER_H
#define GSHMEM_CPU_ORDER_H

#ifdef __has_feature
#define GSH_HAS(feature) __has_feature(feature)
#else
#define GSH_HAS(feature) 0
#endif
#if (defined(__SANITIZE_THREAD__) || GSH_HAS(thread_sanitizer)) && !defined(GSHMEM_RACE)
#define GSH_LOADS __ATOMIC_ACQUIRE
#define GSH_STORES __ATOMIC_RELEASE
#define GSH_UPDATES __ATOMIC_ACQ_REL
#else
#define GSH_LOADS __ATOMIC_RELAXED
#define GSH_STORES __ATOMIC_RELAXED
#define GSH_UPDATES __ATOMIC_RELAXED
#endif
#undef GSH_HAS

/* The order that a program has asked for, or that of accesses without one. */
#define GSH_ORDER_OR(order, none) ((order) == __ATOMIC_RELAXED ? (none) : (order))

#endif /* GSHMEM_CPU_ORDER_H */
