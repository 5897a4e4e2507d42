/* env.h - the environment variables of env.def as a struct, and as rows for the
 * tools that list them.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_ENV_H
#define GSH_CORE_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* What GSHMEM_CHECK asks for; each includes what stands before it. */
enum gsh_check { GSH_CHECK_OFF, GSH_CHECK_ON, GSH_CHECK_RACE };

/* clang-format off */
#define GSH_ENV_FIELD_bool   bool
#define GSH_ENV_FIELD_int    int
#define GSH_ENV_FIELD_long   long
#define GSH_ENV_FIELD_size   size_t
#define GSH_ENV_FIELD_string const char *
#define GSH_ENV_FIELD_check  enum gsh_check
/* clang-format on */

/* One field a variable, named as the variable without its prefix, in the case of
 * the list. Valid after gsh_env_read(); strings live until the next read. */
struct gsh_env {
#define ENV(prefix, name, kind, preset, part, help) GSH_ENV_FIELD_##kind name;
#define ACCEPTED(name)
#include "core/env.def"
#undef ENV
#undef ACCEPTED
};

extern struct gsh_env gsh_env;

/* Reads all variables anew. Fails with a text that names the variable, its value
 * and what it may be; warns once a process about unknown NVSHMEM_* and GSHMEM_*
 * names. */
int gsh_env_read(void);

struct gsh_env_row {
    const char *name; /* with prefix */
    const char
        *kind; /* bool int long size string check, or "accepted" when it has no effect here */
    const char *preset;
    const char *part;
    const char *help;
};

extern const struct gsh_env_row gsh_env_rows[];
extern const size_t gsh_env_n_rows;

/* The text in force for a row and where it comes from: "default", "environment", or the
 * OpenSHMEM name under which it is in the environment, as "SHMEM_DEBUG". */
const char *gsh_env_text(size_t row, const char **origin);

/* The names in the environment that begin with our prefixes and stand in no row:
 * calls found(name, nearest) for each; nearest is NULL when none is near. */
void gsh_env_unknown(void (*found)(const char *name, const char *nearest));

#endif /* GSH_CORE_ENV_H */
