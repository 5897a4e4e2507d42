/* schedule.h - who deals with whom, as arithmetic: no data, no team, no waiting. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_COLL_SCHEDULE_H
#define GSH_COLL_SCHEDULE_H

#include <stddef.h>

/* Dissemination: in round r each of n ranks signals the rank 2^r further on. */
int gsh_rounds(int n);
int gsh_round_to(int rank, int round, int n);
int gsh_round_from(int rank, int round, int n);

/* A tree over n ranks with fan-out GSH_TREE_FAN and any root. */
#define GSH_TREE_FAN 4
int gsh_tree_children(int rank, int root, int n, int children[GSH_TREE_FAN]);

/* The part [*first, *first + result) of nelems that rank r of n works on; parts
 * begin at multiples of `unit`. */
size_t gsh_slice(size_t nelems, size_t unit, int rank, int n, size_t *first);

/* How a broadcast and a reduction of so many bytes per PE go. */
enum gsh_path {
    GSH_PUSH,     /* the root writes to each: few members */
    GSH_TREE,     /* along a tree: many members */
    GSH_PULL,     /* each reads from the root at once: large */
    GSH_SLOTS,    /* each sends its operand to each: small, few members */
    GSH_READ_ALL, /* each reads all operands: small */
    GSH_TWO_SHOT, /* each combines a part and sends it to all: large */
};

enum gsh_path gsh_broadcast_path(size_t bytes, int n, int crowded);
enum gsh_path gsh_reduce_path(size_t bytes, int n, int crowded);

#endif /* GSH_COLL_SCHEDULE_H */
