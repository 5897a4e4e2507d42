/* frame.c - the messages between a PE and the root of its job, read and written
 * piece by piece without waiting.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/frame.h"

#include "util/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct gsh_frame_item {
    struct gsh_frame_item *next;
    struct gsh_blob *blob;
    size_t written; /* head included */
    struct gsh_frame head;
};

struct gsh_blob *gsh_blob_create(size_t bytes)
{
    struct gsh_blob *blob = malloc(sizeof(*blob) + bytes);

    if (!blob)
        return NULL;
    blob->refs = 1;
    blob->bytes = bytes;
    return blob;
}

void gsh_blob_drop(struct gsh_blob *blob)
{
    if (blob && !--blob->refs)
        free(blob);
}

static bool starts_count(uint32_t kind)
{
    return kind == GSH_FRAME_HELLO || kind == GSH_FRAME_WELCOME;
}

int gsh_frame_check(const struct gsh_frame *head, uint32_t number, size_t max_bytes)
{
    if (starts_count(head->kind))
        number = 0;
    if (head->mark != GSH_FRAME_MARK || head->number != number || head->bytes > max_bytes)
        return -EPROTO;
    return 0;
}

/* Reads until in->have is `goal`, into `part`, which begins at byte `start`. */
static int read_part(struct gsh_frame_in *in, int fd, void *part, size_t start, size_t goal)
{
    while (in->have < goal) {
        ssize_t moved = gsh_io_try_read(fd, (char *)part + (in->have - start), goal - in->have);

        if (moved < 0)
            return (int)moved;
        in->have += (size_t)moved;
    }
    return 0;
}

int gsh_frame_read(struct gsh_frame_in *in, int fd)
{
    const size_t head_bytes = sizeof(in->head);
    int err;

    if (in->data && in->have == head_bytes + in->head.bytes)
        gsh_frame_in_free(in);
    err = read_part(in, fd, &in->head, 0, head_bytes);
    if (err)
        return err;
    if (!in->data) {
        err = gsh_frame_check(&in->head, in->number, in->max_bytes);
        if (err)
            return err;
        in->data = calloc(1, in->head.bytes + 1);
        if (!in->data)
            return -ENOMEM;
    }
    err = read_part(in, fd, in->data, head_bytes, head_bytes + in->head.bytes);
    if (err)
        return err;
    in->number = in->head.number + 1;
    return 1;
}

void gsh_frame_in_free(struct gsh_frame_in *in)
{
    free(in->data);
    in->data = NULL;
    in->have = 0;
}

/* Writes on from byte `item->written`; true when the item is out. */
static int write_item(struct gsh_frame_item *item, int fd)
{
    const size_t head_bytes = sizeof(item->head);
    size_t all = head_bytes + item->head.bytes;

    while (item->written < all) {
        bool in_head = item->written < head_bytes;
        const char *from = in_head ? (const char *)&item->head + item->written
                                   : item->blob->data + (item->written - head_bytes);
        ssize_t moved = gsh_io_try_write(fd, from, (in_head ? head_bytes : all) - item->written);

        if (moved < 0)
            return (int)moved;
        item->written += (size_t)moved;
    }
    return 0;
}

int gsh_frame_flush(struct gsh_frame_out *out, int fd)
{
    while (out->first) {
        struct gsh_frame_item *item = out->first;
        int err = write_item(item, fd);

        if (err)
            return err;
        out->first = item->next;
        gsh_blob_drop(item->blob);
        free(item);
    }
    out->last = NULL;
    return 0;
}

int gsh_frame_send(struct gsh_frame_out *out, int fd, const struct gsh_frame *head,
                   struct gsh_blob *blob)
{
    struct gsh_frame_item *item = calloc(1, sizeof(*item));

    if (!item)
        return -ENOMEM;
    if (starts_count(head->kind))
        out->number = 0;
    item->head = *head;
    item->head.mark = GSH_FRAME_MARK;
    item->head.number = out->number++;
    item->head.bytes = blob ? (uint32_t)blob->bytes : 0;
    item->blob = blob;
    if (blob)
        blob->refs++;
    if (out->last)
        out->last->next = item;
    else
        out->first = item;
    out->last = item;
    return gsh_frame_flush(out, fd);
}

void gsh_frame_out_free(struct gsh_frame_out *out)
{
    while (out->first) {
        struct gsh_frame_item *item = out->first;

        out->first = item->next;
        gsh_blob_drop(item->blob);
        free(item);
    }
    out->last = NULL;
}
