/* generic.h - the type-generic names of OpenSHMEM for C11: shmem_put() for
 * shmem_float_put() and so on.
 *
 * Each is a macro that picks by the number of its arguments whether there is a context,
 * and by the type that the first pointer points to which typed call it is.
 * Qualifiers of that type do not count.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SHMEM_GENERIC_H
#define GSHMEM_SHMEM_GENERIC_H

#include <gshmem/shmem/base.h>

/* clang-format off */

/* The types that differ; int32_t and so on are among them. */
#define GSH_G_AMO(X, ...)  GSH_T_INTS(X, __VA_ARGS__) GSH_T_UINTS(X, __VA_ARGS__)
#define GSH_G_EXT(X, ...)  GSH_G_AMO(X, __VA_ARGS__) GSH_T_REALS(X, __VA_ARGS__)
#define GSH_G_BIT(X, ...)  GSH_T_UINTS(X, __VA_ARGS__) GSH_G_SIGNED(X, __VA_ARGS__)
#define GSH_G_WAIT(X, ...) GSH_G_AMO(X, __VA_ARGS__) GSH_T_SHORT(X, __VA_ARGS__) \
                           GSH_T_USHORT(X, __VA_ARGS__)
#define GSH_G_RED(X, ...)  GSH_G_WAIT(X, __VA_ARGS__) GSH_T_CHARS(X, __VA_ARGS__) \
                           GSH_T_UCHAR(X, __VA_ARGS__) GSH_T_REALS(X, __VA_ARGS__) \
                           GSH_T_LONGDOUBLE(X, __VA_ARGS__)
#define GSH_G_RMA(X, ...)  GSH_G_RED(X, __VA_ARGS__)
#define GSH_G_SUM(X, ...)  GSH_G_RED(X, __VA_ARGS__) GSH_T_COMPLEX(X, __VA_ARGS__)
#define GSH_G_OLD(X, ...)  GSH_T_INTS(X, __VA_ARGS__)
#define GSH_G_OLDX(X, ...) GSH_T_INTS(X, __VA_ARGS__) GSH_T_REALS(X, __VA_ARGS__)

/* Of bitwise operations only the signed types of fixed width. */
#define GSH_G_SIGNED(X, ...) X(int32, int32_t, __VA_ARGS__) X(int64, int64_t, __VA_ARGS__)
#define GSH_G_BITS(X, ...) GSH_T_UCHAR(X, __VA_ARGS__) GSH_T_USHORT(X, __VA_ARGS__) \
                           GSH_T_UINTS(X, __VA_ARGS__) GSH_G_SIGNED(X, __VA_ARGS__) \
                           X(int8, int8_t, __VA_ARGS__) X(int16, int16_t, __VA_ARGS__)

/* The typed call for what p points to. Operations have an underscore in front, so that no
 * macro of a program is taken for them. */
#define GSH_G(p, SET, pre, op) _Generic(*(p), struct gsh_no_type: 0 SET(GSH_G_CASE, pre, op))
#define GSH_G_CASE(name, type, pre, op) , type: pre##name##op

/* The calls: the deciding pointer is first, or second behind a context or a team. */
#define GSH_G_1(SET, op, p, ...)       GSH_G(p, SET, shmem_, op)(p, __VA_ARGS__)
#define GSH_G_CTX(SET, op, ctx, p, ...) GSH_G(p, SET, shmem_ctx_, op)(ctx, p, __VA_ARGS__)
#define GSH_G_TEAM(SET, op, team, p, ...) GSH_G(p, SET, shmem_, op)(team, p, __VA_ARGS__)

/* GSH_G_SELn(arguments, A, B, ~): B when there are n arguments, A when one more. */
#define GSH_G_SEL2(a, b, c, pick, ...) pick
#define GSH_G_SEL3(a, b, c, d, pick, ...) pick
#define GSH_G_SEL4(a, b, c, d, e, pick, ...) pick
#define GSH_G_SEL5(a, b, c, d, e, f, pick, ...) pick
#define GSH_G_SEL6(a, b, c, d, e, f, g, pick, ...) pick
#define GSH_G_SEL7(a, b, c, d, e, f, g, h, pick, ...) pick
#define GSH_G_OPT(n, SET, op, ...) \
    GSH_G_SEL##n(__VA_ARGS__, GSH_G_CTX, GSH_G_1, ~)(SET, op, __VA_ARGS__)

struct gsh_no_type {
    char none;
};

/* 9.6, 9.7 put and get */
#define shmem_put(...) GSH_G_OPT(4, GSH_G_RMA, _put, __VA_ARGS__)
#define shmem_get(...) GSH_G_OPT(4, GSH_G_RMA, _get, __VA_ARGS__)
#define shmem_put_nbi(...) GSH_G_OPT(4, GSH_G_RMA, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) GSH_G_OPT(4, GSH_G_RMA, _get_nbi, __VA_ARGS__)
#define shmem_p(...) GSH_G_OPT(3, GSH_G_RMA, _p, __VA_ARGS__)
#define shmem_g(...) GSH_G_OPT(2, GSH_G_RMA, _g, __VA_ARGS__)
#define shmem_iput(...) GSH_G_OPT(6, GSH_G_RMA, _iput, __VA_ARGS__)
#define shmem_iget(...) GSH_G_OPT(6, GSH_G_RMA, _iget, __VA_ARGS__)
#define shmem_ibput(...) GSH_G_OPT(7, GSH_G_RMA, _ibput, __VA_ARGS__)
#define shmem_ibget(...) GSH_G_OPT(7, GSH_G_RMA, _ibget, __VA_ARGS__)

/* 9.8 atomic operations */
#define shmem_atomic_fetch(...) GSH_G_OPT(2, GSH_G_EXT, _atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) GSH_G_OPT(3, GSH_G_EXT, _atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) GSH_G_OPT(3, GSH_G_EXT, _atomic_swap, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) GSH_G_OPT(3, GSH_G_EXT, _atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) GSH_G_OPT(4, GSH_G_EXT, _atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_inc(...) GSH_G_OPT(2, GSH_G_AMO, _atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) GSH_G_OPT(2, GSH_G_AMO, _atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_add(...) GSH_G_OPT(3, GSH_G_AMO, _atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) GSH_G_OPT(3, GSH_G_AMO, _atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) GSH_G_OPT(3, GSH_G_AMO, _atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) GSH_G_OPT(4, GSH_G_AMO, _atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) GSH_G_OPT(4, GSH_G_AMO, _atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) GSH_G_OPT(5, GSH_G_AMO, _atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_and(...) GSH_G_OPT(3, GSH_G_BIT, _atomic_and, __VA_ARGS__)
#define shmem_atomic_or(...) GSH_G_OPT(3, GSH_G_BIT, _atomic_or, __VA_ARGS__)
#define shmem_atomic_xor(...) GSH_G_OPT(3, GSH_G_BIT, _atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) GSH_G_OPT(3, GSH_G_BIT, _atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) GSH_G_OPT(3, GSH_G_BIT, _atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) GSH_G_OPT(3, GSH_G_BIT, _atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) GSH_G_OPT(4, GSH_G_BIT, _atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) GSH_G_OPT(4, GSH_G_BIT, _atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) GSH_G_OPT(4, GSH_G_BIT, _atomic_fetch_xor_nbi, __VA_ARGS__)

/* 9.9 signals */
#define shmem_put_signal(...) GSH_G_OPT(7, GSH_G_RMA, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) GSH_G_OPT(7, GSH_G_RMA, _put_signal_nbi, __VA_ARGS__)
#define shmem_signal_set(...) \
    GSH_G_SEL3(__VA_ARGS__, shmem_ctx_signal_set, shmem_signal_set, ~)(__VA_ARGS__)
#define shmem_signal_add(...) \
    GSH_G_SEL3(__VA_ARGS__, shmem_ctx_signal_add, shmem_signal_add, ~)(__VA_ARGS__)

/* 9.10 collectives; the deprecated shmem_sync() of active sets has four arguments */
#define shmem_sync(...) \
    GSH_G_SYNC(__VA_ARGS__, shmem_sync, ~, ~, shmem_team_sync, ~)(__VA_ARGS__)
#define GSH_G_SYNC(a, b, c, d, pick, ...) pick
#define shmem_broadcast(...) GSH_G_TEAM(GSH_G_RMA, _broadcast, __VA_ARGS__)
#define shmem_collect(...) GSH_G_TEAM(GSH_G_RMA, _collect, __VA_ARGS__)
#define shmem_fcollect(...) GSH_G_TEAM(GSH_G_RMA, _fcollect, __VA_ARGS__)
#define shmem_alltoall(...) GSH_G_TEAM(GSH_G_RMA, _alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) GSH_G_TEAM(GSH_G_RMA, _alltoalls, __VA_ARGS__)
#define shmem_and_reduce(...) GSH_G_TEAM(GSH_G_BITS, _and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) GSH_G_TEAM(GSH_G_BITS, _or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) GSH_G_TEAM(GSH_G_BITS, _xor_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) GSH_G_TEAM(GSH_G_RED, _min_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) GSH_G_TEAM(GSH_G_RED, _max_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) GSH_G_TEAM(GSH_G_SUM, _sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) GSH_G_TEAM(GSH_G_SUM, _prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...) GSH_G_TEAM(GSH_G_SUM, _sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...) GSH_G_TEAM(GSH_G_SUM, _sum_exscan, __VA_ARGS__)

/* 9.11 waiting and testing */
#define shmem_wait_until(...) GSH_G_1(GSH_G_WAIT, _wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...) GSH_G_1(GSH_G_WAIT, _wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) GSH_G_1(GSH_G_WAIT, _wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) GSH_G_1(GSH_G_WAIT, _wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) GSH_G_1(GSH_G_WAIT, _wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) GSH_G_1(GSH_G_WAIT, _wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) GSH_G_1(GSH_G_WAIT, _wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...) GSH_G_1(GSH_G_WAIT, _test, __VA_ARGS__)
#define shmem_test_all(...) GSH_G_1(GSH_G_WAIT, _test_all, __VA_ARGS__)
#define shmem_test_any(...) GSH_G_1(GSH_G_WAIT, _test_any, __VA_ARGS__)
#define shmem_test_some(...) GSH_G_1(GSH_G_WAIT, _test_some, __VA_ARGS__)
#define shmem_test_all_vector(...) GSH_G_1(GSH_G_WAIT, _test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) GSH_G_1(GSH_G_WAIT, _test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) GSH_G_1(GSH_G_WAIT, _test_some_vector, __VA_ARGS__)

/* annex F, the deprecated names of atomic operations */
#define shmem_add(...) GSH_G_1(GSH_G_OLD, _add, __VA_ARGS__)
#define shmem_fadd(...) GSH_G_1(GSH_G_OLD, _fadd, __VA_ARGS__)
#define shmem_inc(...) GSH_G_1(GSH_G_OLD, _inc, __VA_ARGS__)
#define shmem_finc(...) GSH_G_1(GSH_G_OLD, _finc, __VA_ARGS__)
#define shmem_cswap(...) GSH_G_1(GSH_G_OLD, _cswap, __VA_ARGS__)
#define shmem_fetch(...) GSH_G_1(GSH_G_OLDX, _fetch, __VA_ARGS__)
#define shmem_set(...) GSH_G_1(GSH_G_OLDX, _set, __VA_ARGS__)
#define shmem_swap(...) GSH_G_1(GSH_G_OLDX, _swap, __VA_ARGS__)

/* clang-format on */

#endif /* GSHMEM_SHMEM_GENERIC_H */
