/* boot.h - what a boot method is: how the PEs of a job find one another.
 *
 * A method gives each process a rank and a size and moves small blocks between
 * all ranks. All ops return 0 or a negative errno after gsh_fail(). allgather
 * and barrier are collective over all ranks and are called by one thread at a
 * time. They fail on every rank, never hang, when a rank is lost.
 *
 * The life line is the method's second service: a descriptor that is readable
 * when the job must know something. life_read() returns the next event. It is
 * used by the watch thread alone, beside the other ops.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_H
#define GSH_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsh_boot;

/* What the life line tells. */
enum gsh_life {
    GSH_LIFE_NONE, /* nothing yet: read again when life_fd is readable */
    GSH_LIFE_LEFT, /* a PE ended cleanly without finalize; nobody need wait for it */
    GSH_LIFE_GONE, /* a PE died: text has the cause; the job must end */
    GSH_LIFE_END,  /* a PE or the launcher asked the job to end with `status` */
    GSH_LIFE_LOST, /* the launcher or the root itself is gone */
};

struct gsh_life_event {
    enum gsh_life kind;
    int pe; /* whom it is about; -1 for the launcher */
    int status;
    char text[256];
};

struct gsh_boot_ops {
    /* Asks the job to end; may be called from any thread, also twice. */
    void (*abort)(struct gsh_boot *boot, int status, const char *text);
    /* all[rank] = mine of rank, `bytes` each. */
    int (*allgather)(struct gsh_boot *boot, const void *mine, void *all, size_t bytes);
    int (*barrier)(struct gsh_boot *boot);
    /* clean != 0: this PE has finalized; else it leaves without finalize (exit
     * from main). Frees all. Others are not waited for. */
    void (*close)(struct gsh_boot *boot, int clean);
    int (*life_read)(struct gsh_boot *boot, struct gsh_life_event *event);
    /* Fills rank, n_ranks, life_fd and priv. `arg` is the method's own. */
    int (*open)(struct gsh_boot *boot, const void *arg);
};

struct gsh_boot {
    const char *name;
    int rank;
    int n_ranks;
    int life_fd; /* -1 when the method has no life line (one PE) */
    struct gsh_boot_ops ops;
    void *priv;
};

/* A method that can serve: usable() says 1, or 0 with a reason for gshinfo. */
struct gsh_boot_driver {
    const char *name;
    int (*usable)(const char **why_not);
    struct gsh_boot_ops ops;
};

/* Every method that was built, in the order in which they are tried when the
 * program names none: single ends that, and what follows must be asked for. */
#define GSH_BOOT_BUILT(X) X(local) X(pmix) X(pmi) X(torchrun) X(single) X(uid) X(mpi) X(shmem)
extern const struct gsh_boot_driver *const gsh_boot_drivers[];

/* The name of this machine, for people: that of the system, or GSHMEM_HOST_ID. */
void gsh_boot_host(char *name, size_t bytes);

/* Opens the method of this name, or the first usable one when name is NULL. */
int gsh_boot_open(struct gsh_boot *boot, const char *name, const void *arg);

/* Argument of the uid method: the caller's place and the id (128 bytes, made by
 * gsh_boot_uid_create()). */
struct gsh_boot_uid_arg {
    int rank;
    int n_ranks;
    const void *id;
};

/* Makes an id: opens the listening socket and starts the serving thread in
 * this process, which will be this PE, or -1: not known. */
int gsh_boot_uid_create(void *id, size_t bytes, int pe);

/* Makes the id of a root at a fixed address, which is the value of this variable: the
 * same in every process. PE 0 listens when it opens, at all interfaces if `widely`. */
int gsh_boot_uid_fix(const char *variable, const char *address, bool widely, void *id);

/* The argument of the mpi method is a pointer to an MPI_Comm; NULL is
 * MPI_COMM_WORLD. That of all others is NULL. */

/* The process has an OpenSHMEM besides this library: the shmem method can serve. */
bool gsh_boot_other_shmem(void);

#endif /* GSH_BOOT_H */
