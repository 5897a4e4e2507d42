#!/bin/sh
# The few declarations of PMIx that the library has of its own are those of the headers.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
flags=$(pkg-config --cflags pmix 2>/dev/null) || skip_all "no pmix.h (Debian: libpmix-dev)"

cat >same.c <<'END'
#include "boot/pmix.h"
#include <assert.h>
#include <pmix.h>
#include <string.h>

static_assert(GSH_PMIX_BOOL == PMIX_BOOL, "type");
static_assert(GSH_PMIX_UINT32 == PMIX_UINT32, "type");
static_assert(GSH_PMIX_BYTE_OBJECT == PMIX_BYTE_OBJECT, "type");
static_assert(GSH_PMIX_GLOBAL == PMIX_GLOBAL, "scope");
static_assert(GSH_PMIX_RANK_WILDCARD == (PMIX_RANK_WILDCARD), "rank");
static_assert(PMIX_SUCCESS == 0, "status");
static_assert(sizeof(struct gsh_pmix_proc) == sizeof(pmix_proc_t), "layout");
static_assert(offsetof(struct gsh_pmix_proc, rank) == offsetof(pmix_proc_t, rank), "layout");
static_assert(sizeof(struct gsh_pmix_value) >= sizeof(pmix_value_t), "room");
static_assert(offsetof(struct gsh_pmix_value, data) == offsetof(pmix_value_t, data), "layout");
static_assert(offsetof(struct gsh_pmix_value, data.object.size) ==
                  offsetof(pmix_value_t, data.bo.size), "layout");
static_assert(sizeof(struct gsh_pmix_info) >= sizeof(pmix_info_t), "room");
static_assert(offsetof(struct gsh_pmix_info, flags) == offsetof(pmix_info_t, flags), "layout");
static_assert(offsetof(struct gsh_pmix_info, value) == offsetof(pmix_info_t, value), "layout");
static_assert(sizeof(pmix_scope_t) == 1 && sizeof(pmix_data_type_t) == 2, "layout");

int main(void)
{
    return strcmp(GSH_PMIX_JOB_SIZE, PMIX_JOB_SIZE) ||
           strcmp(GSH_PMIX_COLLECT_DATA, PMIX_COLLECT_DATA);
}
END
# shellcheck disable=SC2086 # a list of flags
run "${CC:-cc}" -std=gnu11 -I"$GSH_SOURCE/src" $flags same.c -o same
ok "layouts and values are the same" is "$status" 0
run ./same
ok "the names of keys are the same" is "$status" 0
finish
