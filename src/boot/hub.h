/* hub.h - the root of a job, as an engine without input and output.
 *
 * The hub is told what its n ranks say and how they end, and answers through
 * send(). It sees no descriptor, thread or clock: the unique-id server and the
 * launcher drive the same one.
 *
 * A world begins when every rank has said HELLO on both lines. In a world each
 * rank makes the same calls; a call ends when all ranks have made it, or with an
 * error on all of them when they made different ones or when a rank is missing
 * for good, or when one of them will wait no longer. After BYE a rank may say HELLO again, for the
 * next world.
 *
 * A rank that dies or aborts breaks the hub: all others are told on the life
 * line, and every call from then on fails with the cause.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_HUB_H
#define GSH_BOOT_HUB_H

#include "boot/frame.h"

struct gsh_hub_ops {
    /* The job is to end: rank asked for it. Told once. May be NULL. */
    void (*end)(void *ctx, int rank, int status, const char *text);
    /* A message for a rank; the blob may be NULL and stays the hub's. */
    void (*send)(void *ctx, int rank, enum gsh_line line, const struct gsh_frame *head,
                 struct gsh_blob *blob);
};

enum gsh_hub_state {
    GSH_HUB_ABSENT, /* has not said HELLO on both lines, or was refused */
    GSH_HUB_READY,  /* has, and waits for the others */
    GSH_HUB_IN,     /* is in the world */
    GSH_HUB_DONE,   /* said BYE after finalize */
    GSH_HUB_LEFT,   /* said BYE without finalize, or ended well without a word */
    GSH_HUB_GONE,   /* died */
};

struct gsh_hub_rank {
    enum gsh_hub_state state;
    bool ended;         /* its process has ended and cannot come back */
    unsigned int lines; /* a bit for each line on which it said HELLO */
    int pid;
    char host[GSH_FRAME_HOST_BYTES];
    uint32_t call; /* kind of the pending call, 0 when there is none */
    size_t bytes;  /* of its block */
};

struct gsh_hub {
    int n_ranks; /* 0 until the first HELLO says it */
    struct gsh_hub_rank *ranks;
    struct gsh_blob *blocks;           /* of the pending allgather */
    char broken[GSH_FRAME_TEXT_BYTES]; /* why no call can succeed any more, or "" */
    bool aborted;
    bool started;               /* a world has begun, now or earlier */
    struct gsh_welcome welcome; /* set by the owner */
    struct gsh_hub_ops ops;
    void *ctx;
};

/* n_ranks may be 0: the first HELLO sets it. 0 or -ENOMEM. */
int gsh_hub_open(struct gsh_hub *hub, int n_ranks, const struct gsh_hub_ops *ops, void *ctx);
void gsh_hub_close(struct gsh_hub *hub);

/* Takes down a HELLO of `rank`; gsh_hub_settle() then acts upon it, once the rank
 * can be sent to. A negative errno with the reason in text[] when it is refused:
 * whoever said it must be told, and is not the rank. */
int gsh_hub_hello(struct gsh_hub *hub, int rank, const struct gsh_hello *hello,
                  char text[GSH_FRAME_TEXT_BYTES]);

void gsh_hub_settle(struct gsh_hub *hub);

/* Any other message of a rank that was welcome. -EPROTO when it makes no sense
 * here. */
int gsh_hub_message(struct gsh_hub *hub, int rank, const struct gsh_frame *head, const char *data);

/* Before the world has begun: appends the ranks that have not come, all but one;
 * when others waited in vain they are the likely cause. */
void gsh_hub_name_absent(const struct gsh_hub *hub, int except, char text[GSH_FRAME_TEXT_BYTES]);

/* A rank died; `cause` is a sentence that names it, or NULL for the usual one. */
void gsh_hub_gone(struct gsh_hub *hub, int rank, const char *cause);

/* Nothing has come from the machine of a rank for so many seconds. */
void gsh_hub_lost(struct gsh_hub *hub, int rank, int seconds);

/* The process of a rank ended well; it may have said nothing at all. */
void gsh_hub_ended(struct gsh_hub *hub, int rank);

/* The rank is in a world, or waits to be: its end would be missed. */
bool gsh_hub_is_in(const struct gsh_hub *hub, int rank);

/* Every rank said BYE, ended or died. */
bool gsh_hub_is_over(const struct gsh_hub *hub);

#endif /* GSH_BOOT_HUB_H */
