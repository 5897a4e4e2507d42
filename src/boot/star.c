/* star.c - a world of PEs that another system started. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/star.h"

#include "core/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct star {
    struct gsh_boot uid;
    const struct gsh_starter *starter;
    void *ctx;
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
        letter->err = gsh_boot_uid_create(letter->id, sizeof(letter->id));
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

/* The PEs are told first: they have the better text. */
void gsh_star_abort(struct gsh_boot *boot, int status, const char *text)
{
    struct star *star = boot->priv;

    star->uid.ops.abort(&star->uid, status, text);
    if (star->starter->abort)
        star->starter->abort(star->ctx, status, text ? text : "");
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

/* The root is a thread of PE 0: when it is lost, so is PE 0. */
int gsh_star_life_read(struct gsh_boot *boot, struct gsh_life_event *event)
{
    struct star *star = boot->priv;
    int err = star->uid.ops.life_read(&star->uid, event);

    if (err || event->kind != GSH_LIFE_LOST)
        return err;
    event->kind = GSH_LIFE_GONE;
    event->pe = 0;
    snprintf(event->text, sizeof(event->text),
             "PE 0 ended without a word: it crashed or was killed");
    return 0;
}

void gsh_star_to_hex(const void *from, size_t bytes, char *text)
{
    const unsigned char *byte = from;

    for (size_t i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", byte[i]);
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

int gsh_star_from_hex(const char *text, void *to, size_t bytes)
{
    unsigned char *byte = to;

    if (strlen(text) != 2 * bytes)
        return -EINVAL;
    for (size_t i = 0; i < bytes; i++) {
        int high = digit(text[2 * i]);
        int low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return -EINVAL;
        byte[i] = (unsigned char)(high << 4 | low);
    }
    return 0;
}
