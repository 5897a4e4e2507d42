/* frame.h - the messages between a PE and the root of its job.
 *
 * A message is a head of 24 bytes and `bytes` bytes of data, in the byte order
 * of the machine. Each direction of a connection counts its messages: the reader
 * refuses one with a wrong mark, length or number. HELLO, which begins a world,
 * and WELCOME, its answer, have number 0 and start the count anew, because the
 * next world of a PE may come over the same connection.
 *
 * A PE has two connections. On the exchange line it asks and waits for the
 * answer; on the life line either side speaks when it has something to say.
 *
 *     line      PE to root                      root to PE
 *     exchange  HELLO ALLGATHER BARRIER TIRED   WELCOME ALLGATHER BARRIER ERROR
 *     life      HELLO ABORT BYE                 WELCOME LEFT GONE END
 *
 * This part says nothing to people; it serves the library and the launcher.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_BOOT_FRAME_H
#define GSH_BOOT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gsh_line { GSH_LINE_EXCHANGE, GSH_LINE_LIFE };

enum gsh_frame_kind {
    GSH_FRAME_HELLO = 1, /* who: rank, data: struct gsh_hello */
    GSH_FRAME_WELCOME,   /* all PEs are there; data: struct gsh_welcome */
    GSH_FRAME_ALLGATHER, /* data: the block of the PE, or the blocks of all */
    GSH_FRAME_BARRIER,
    GSH_FRAME_ERROR, /* status: negative errno, data: text */
    GSH_FRAME_ABORT, /* status: exit code, data: text */
    GSH_FRAME_BYE,   /* status: 1 finalized, 0 left without */
    GSH_FRAME_LEFT,  /* who: rank */
    GSH_FRAME_GONE,  /* who: rank, data: text */
    GSH_FRAME_END,   /* who: rank or -1, status: exit code, data: text */
    GSH_FRAME_TIRED, /* status: seconds; the answer that is due is waited for no longer */
};

#define GSH_FRAME_MARK 0x47534831u

/* No message is longer: the blocks of all PEs together, or a text. */
#define GSH_FRAME_MAX_BYTES ((size_t)16 << 20)
#define GSH_FRAME_TEXT_BYTES ((size_t)1024)

#define GSH_FRAME_HOST_BYTES 64 /* name of a machine and a 0 */

struct gsh_frame {
    uint32_t mark;
    uint32_t kind;
    uint32_t number;
    uint32_t bytes;
    int32_t who;
    int32_t status;
};

struct gsh_hello {
    uint64_t cookie;
    int32_t n_ranks;
    int32_t line;
    int32_t pid;
    int32_t zero;
    char host[GSH_FRAME_HOST_BYTES]; /* for people */
};

struct gsh_welcome {
    char host[GSH_FRAME_HOST_BYTES]; /* of the root; "" when it is on the machine of the PEs */
};

/* Data that several outgoing messages share; freed with the last of them. */
struct gsh_blob {
    size_t refs;
    size_t bytes;
    char data[];
};

/* One reference belongs to the caller. NULL when there is no memory. */
struct gsh_blob *gsh_blob_create(size_t bytes);
void gsh_blob_drop(struct gsh_blob *blob);

/* The reading side of a connection. Set max_bytes, zero the rest. */
struct gsh_frame_in {
    struct gsh_frame head;
    size_t max_bytes; /* of data the other side may send */
    size_t have;      /* bytes read so far, head included */
    char *data;       /* head.bytes bytes and a terminating 0 */
    uint32_t number;  /* of the next message */
};

/* Checks a head that was read whole: 0 or -EPROTO. */
int gsh_frame_check(const struct gsh_frame *head, uint32_t number, size_t max_bytes);

/* Reads on without waiting: 1 when a message is whole, -EAGAIN when more must
 * come, -EPIPE at the end of the connection, -EPROTO when it is no message, or
 * another negative errno. After 1 the message stays until the next call. */
int gsh_frame_read(struct gsh_frame_in *in, int fd);
void gsh_frame_in_free(struct gsh_frame_in *in);

/* The writing side of a connection: what could not be written yet. */
struct gsh_frame_out {
    struct gsh_frame_item *first;
    struct gsh_frame_item *last;
    uint32_t number;
};

/* Appends a message (mark, number and bytes of `head` are filled in here) and
 * writes what goes without waiting. Takes a reference of its own to `blob`,
 * which may be NULL. 0, -EAGAIN when some is left over, or a negative errno. */
int gsh_frame_send(struct gsh_frame_out *out, int fd, const struct gsh_frame *head,
                   struct gsh_blob *blob);
int gsh_frame_flush(struct gsh_frame_out *out, int fd);
void gsh_frame_out_free(struct gsh_frame_out *out);

#endif /* GSH_BOOT_FRAME_H */
