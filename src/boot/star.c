/* star.c - a world of PEs that another system started. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/star.h"

#include "core/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct star {
    struct gsh_boot uid;
    const struct gsh_starter *starter;
    void *ctx;
    atomic_bool ending; /* by the will of a PE: that others go is no news */
};

/* What PE 0 tells the others. Without an id it says so, or they would wait. */
struct letter {
    int32_t err;
    char id[128];
};

static int share_id(struct gsh_boot *boot, struct star *star, struct letter *letter)
{
    int err;

    if (boot->rank == 0)
        letter->err = gsh_boot_uid_create(letter->id, sizeof(letter->id), 0);
    err = star->starter->broadcast(star->ctx, letter, sizeof(*letter));
    if (err)
        return err;
    if (letter->err && boot->rank)
        return gsh_fail(letter->err, "PE 0 could not make the unique id of the job: %s",
                        strerror(-letter->err));
    return letter->err;
}

int gsh_star_open(struct gsh_boot *boot, const struct gsh_starter *starter, void *ctx)
{
    struct star *star = calloc(1, sizeof(*star));
    struct letter letter = { 0 };
    struct gsh_boot_uid_arg place = { boot->rank, boot->n_ranks, letter.id };
    int err;

    if (!star)
        return gsh_fail(-ENOMEM, "no memory for the boot method %s", boot->name);
    star->starter = starter;
    star->ctx = ctx;
    err = share_id(boot, star, &letter);
    if (!err)
        err = gsh_boot_open(&star->uid, "uid", &place);
    if (err) {
        free(star);
        return err;
    }
    boot->priv = star;
    boot->life_fd = star->uid.life_fd;
    return 0;
}

/* Ends this process's part in the system, so that its verdict is the status. */
static void part(struct star *star, int status, const char *text)
{
    if (status && star->starter->abort)
        star->starter->abort(star->ctx, status, text);
    if (!status && star->starter->leave)
        star->starter->leave(star->ctx);
}

/* The PEs are told first: they have the better text. */
void gsh_star_abort(struct gsh_boot *boot, int status, const char *text)
{
    struct star *star = boot->priv;

    atomic_store(&star->ending, true);
    star->uid.ops.abort(&star->uid, status, text);
    part(star, status, text ? text : "");
}

int gsh_star_allgather(struct gsh_boot *boot, const void *mine, void *all, size_t bytes)
{
    struct star *star = boot->priv;

    return star->uid.ops.allgather(&star->uid, mine, all, bytes);
}

int gsh_star_barrier(struct gsh_boot *boot)
{
    struct star *star = boot->priv;

    return star->uid.ops.barrier(&star->uid);
}

void gsh_star_close(struct gsh_boot *boot, int clean)
{
    struct star *star = boot->priv;

    star->uid.ops.close(&star->uid, clean);
    free(star);
    boot->priv = NULL;
    boot->life_fd = -1;
}

/* A process manager that kills at once leaves no time for more: one PE says it. */
static void report(const struct gsh_boot *boot, const struct gsh_life_event *event)
{
    struct star *star = boot->priv;

    if (boot->rank == (event->pe == 0) && !atomic_load(&star->ending))
        gsh_log(GSH_ERROR, GSH_BOOT, "%s", event->text);
}

int gsh_star_life_read(struct gsh_boot *boot, struct gsh_life_event *event)
{
    struct star *star = boot->priv;
    int err = star->uid.ops.life_read(&star->uid, event);

    if (err)
        return err;
    if (event->kind == GSH_LIFE_GONE)
        report(boot, event);
    /* Without a text there is nothing to say before this PE ends as well. */
    if (event->kind == GSH_LIFE_END)
        atomic_store(&star->ending, true);
    if (event->kind == GSH_LIFE_END && !*event->text)
        part(star, event->status, "");
    return 0;
}
