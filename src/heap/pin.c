/* pin.c - registers the host's heap with the driver. */
// SPDX-License-Identifier: BSD-3-Clause
#include "heap/pin.h"
#include "core/log.h"
#include "core/state.h"
#include "gpu/gpu.h"
#include "gpu/state.h"
#include "heap/segment.h"

#include <errno.h>
#include <stdlib.h>

struct piece {
    size_t off;
    struct piece *next;
};

static bool is_open;
static struct piece *pieces;

bool gsh_pin_is_open(void)
{
    return is_open;
}

bool gsh_pin_has(const void *at, size_t bytes)
{
    size_t off = (size_t)((const char *)at - gsh.base);

    return is_open && off >= gsh.heap_off && off < gsh.span && bytes <= gsh.span - off;
}

/* Of the first n windows of this machine. */
static void unpin(int n, size_t off)
{
    while (n--) {
        char *at = gsh_device_host_at(gsh.base + off, gsh_segment.here[n]);

        if (at)
            gsh_gpu_unpin(at);
    }
}

static int pin(size_t off, size_t bytes)
{
    for (int i = 0; i < gsh_segment.n_here; i++) {
        char *at = gsh_device_host_at(gsh.base + off, gsh_segment.here[i]);
        int err = at ? gsh_gpu_pin(at, bytes) : 0;

        if (err) {
            unpin(i, off);
            return err;
        }
    }
    return 0;
}

int gsh_pin_more(size_t off, size_t bytes)
{
    struct piece *piece;
    int err;

    if (!is_open || !bytes)
        return 0;
    piece = malloc(sizeof(*piece));
    err = piece ? pin(off, bytes) : gsh_miss(-ENOMEM, "no memory for the records of the heap");
    if (err) {
        free(piece);
        return err;
    }
    *piece = (struct piece){ off, pieces };
    pieces = piece;
    return 0;
}

void gsh_pin_less(size_t off)
{
    for (struct piece **next = &pieces; *next; next = &(*next)->next) {
        struct piece *piece = *next;

        if (piece->off != off)
            continue;
        *next = piece->next;
        unpin(gsh_segment.n_here, off);
        free(piece);
        return;
    }
}

int gsh_pin_open(void)
{
    is_open = gsh_gpu_pins();
    if (!is_open)
        gsh_log(GSH_INFO, GSH_HEAP,
                "kernels do not reach the host's heap: the GPU has other "
                "addresses for it than the host");
    return gsh_pin_more(gsh.heap_off, gsh.span - gsh.heap_off);
}

void gsh_pin_close(void)
{
    while (pieces)
        gsh_pin_less(pieces->off);
    is_open = false;
}
