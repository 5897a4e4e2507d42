/* Members in different calls, and members that can never come, end in a text that shows what
 * each does, and not in a hang. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "coll/test/members.h"
#include "util/test/tap.h"

static int told_fd; /* what the members write */

static void meet(struct gsh_team *team, enum gsh_coll_op op, size_t bytes)
{
    struct gsh_call call = { .op = (uint16_t)op, .bytes = bytes, .name = "nvshmem_test" };

    gsh_meet(team, &call);
}

static void other_call(struct gsh_team *team)
{
    if (team->my == 1)
        meet(team, GSH_COLL_BARRIER, 0);
    else
        meet(team, GSH_COLL_MALLOC, 64);
}

static void other_size(struct gsh_team *team)
{
    meet(team, GSH_COLL_MALLOC, team->my == 2 ? 128 : 64);
}

static void first(void *to, const void *const *from, int n, size_t nelems)
{
    (void)n;
    memmove(to, from[0], nelems);
}

/* They wait for different words, so that no flag shows it. */
static void other_way(struct gsh_team *team)
{
    struct gsh_call call = { .op = GSH_COLL_REDUCE, .bytes = 64, .name = "nvshmem_test" };

    if (team->my == 1)
        meet(team, GSH_COLL_BARRIER, 0);
    else
        gsh_reduce(team, &call, dest_area, source_area, 64, 1, first);
}

static void gone(struct gsh_team *team)
{
    if (team->my == 1)
        atomic_store(&gsh_inner()->state, GSH_PE_FINALIZED);
    else
        meet(team, GSH_COLL_BARRIER, 0);
}

/* What the members wrote; "" when they did not fail. */
static const char *told(enum gsh_sync_kind kind, void (*body)(struct gsh_team *team))
{
    static char text[8192];
    struct members m = { .n = 3, .kind = kind, .to = told_fd };
    const char *wrong;
    ssize_t n;

    if (ftruncate(told_fd, 0) || lseek(told_fd, 0, SEEK_SET))
        return "";
    wrong = members_run(&m, body);
    n = wrong ? pread(told_fd, text, sizeof(text) - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    return text;
}

static void check(const char *way, enum gsh_sync_kind kind)
{
    const char *text = told(kind, other_call);

    tap_ok(strstr(text, "nvshmem_malloc(64 bytes)") && strstr(text, "nvshmem_barrier"),
           "%s: malloc against barrier shows both", way);
    text = told(kind, other_size);
    tap_ok(strstr(text, "nvshmem_malloc(64 bytes)") && strstr(text, "nvshmem_malloc(128 bytes)"),
           "%s: malloc of two sizes shows both", way);
    text = told(kind, other_way);
    tap_ok(strstr(text, "nvshmem_reduce") && strstr(text, "nvshmem_barrier"),
           "%s: a reduction against a barrier shows both", way);
    text = told(kind, gone);
    tap_ok(strstr(text, "PE 1") && strstr(text, "finalized"),
           "%s: a wait for a PE that has finalized ends and names it", way);
}

int main(void)
{
    told_fd = memfd_create("told", MFD_CLOEXEC);
    if (told_fd < 0) {
        perror("memfd_create");
        return 1;
    }
    check("flat", GSH_SYNC_FLAT);
    check("rounds", GSH_SYNC_ROUNDS);
    check("counter", GSH_SYNC_COUNTER);
    return tap_end();
}
