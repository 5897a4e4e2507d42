/* dialect.h - PMI-1 and PMI-2, as a process speaks them to its process manager over
 * a socket.
 *
 * Each command has one answer. PMI-1 has lines `cmd=NAME key=value ...`; PMI-2 has
 * `cmd=NAME;key=value;...` behind its length in six digits. Both begin with the
 * same line, in which the dialect is agreed upon. Keys and values must have no
 * space, semicolon, equals sign or end of line.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_DIALECT_H
#define GSH_BOOT_DIALECT_H

#include <stdbool.h>
#include <stddef.h>

struct gsh_pmi {
    int fd;
    bool framed; /* messages carry their length: PMI-2, once it is agreed upon */
    int rank;
    int n_ranks;
    size_t max_value; /* longest value, its end included */
    char space[256];  /* of the keys: PMI-1 its name, PMI-2 the job */
    char answer[4096];
};

/* All but abort return 0 or a negative errno after gsh_fail(). */
struct gsh_dialect {
    const char *names; /* in NVSHMEM_BOOTSTRAP_PMI, comma separated */
    /* Sends only; may be called from any thread. */
    void (*abort)(const struct gsh_pmi *pmi, int status);
    /* All ranks have come, and see what any has put before. */
    int (*fence)(struct gsh_pmi *pmi);
    int (*finalize)(struct gsh_pmi *pmi);
    int (*get)(struct gsh_pmi *pmi, const char *key, char *value, size_t room);
    int (*greet)(struct gsh_pmi *pmi);
    int (*put)(struct gsh_pmi *pmi, const char *key, const char *value);
};

/* The dialect of this name, or NULL; "" is PMI-1. */
const struct gsh_dialect *gsh_dialect_find(const char *name);

/* Says who this process is over a connection to PMI_PORT, and learns its place. */
int gsh_dialect_introduce(struct gsh_pmi *pmi, const char *id);

#endif /* GSH_BOOT_DIALECT_H */
