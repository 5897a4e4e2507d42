/* tag.h - the output of a PE line by line, each with the PE before it: "[3] text".
 *
 * A line is written in one piece with one tag when it ends, so that the lines of
 * PEs never mix. One that is longer than GSH_TAG_LINE is broken there.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOOLS_TAG_H
#define GSH_TOOLS_TAG_H

#include <stddef.h>

#define GSH_TAG_LINE ((size_t)16 << 20)

struct gsh_tag_stream {
    int from; /* -1 at its end */
    int to;
    char *line; /* the tag and what there is of the line */
    size_t tag;
    size_t have;
    size_t room; /* at least one byte more than `have` */
};

/* Takes over the pipe `from`, also when it fails. 0 or -ENOMEM. */
int gsh_tag_open(struct gsh_tag_stream *stream, int rank, int from, int to);

/* Passes on what can be read now: 1, or 0 when there is nothing, or the negative
 * errno of the output; -ECANCELED when a signal that ends the job came first. At
 * its end, and after an error, the stream is closed. */
int gsh_tag_read(struct gsh_tag_stream *stream);

/* Ends the line that was begun and closes the stream. 0 or as gsh_tag_read(). */
int gsh_tag_end(struct gsh_tag_stream *stream);

/* Closes the stream; what was not written is lost. */
void gsh_tag_drop(struct gsh_tag_stream *stream);

#endif /* GSH_TOOLS_TAG_H */
