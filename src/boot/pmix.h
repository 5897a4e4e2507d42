/* pmix.h - the part of the PMIx interface that is used here, under names of our
 * own. The values and layouts are those of the PMIx standard.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_PMIX_H
#define GSH_BOOT_PMIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSH_PMIX_COLLECT_DATA "pmix.collect"
#define GSH_PMIX_JOB_SIZE "pmix.job.size"
#define GSH_PMIX_RANK_WILDCARD (UINT32_MAX - 1)

enum { GSH_PMIX_BOOL = 1, GSH_PMIX_UINT32 = 14, GSH_PMIX_BYTE_OBJECT = 27 };
enum { GSH_PMIX_GLOBAL = 3 };

struct gsh_pmix_proc {
    char space[256];
    uint32_t rank;
};

/* Other members of the original's union need more room than those used here; a
 * library that copies all of it must find as much. */
struct gsh_pmix_value {
    uint16_t type;
    union {
        bool flag;
        uint32_t uint32;
        struct {
            char *bytes;
            size_t size;
        } object;
        char room[56];
    } data;
};

struct gsh_pmix_info {
    char key[512];
    uint32_t flags;
    struct gsh_pmix_value value;
};

#endif /* GSH_BOOT_PMIX_H */
