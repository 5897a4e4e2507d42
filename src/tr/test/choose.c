/* Each peer gets the first transport that maps it, else the first that reaches it;
 * ops that a transport leaves out fail softly; a transport that does not open gives way
 * to the next; and a peer that none reaches is an error with all reasons. */
// SPDX-License-Identifier: BSD-3-Clause
#include "tr/test/fake.h"

#include "core/log.h"

#include <stdlib.h>
#include <unistd.h>

static bool says(const char *text)
{
    return strstr(gsh_last_error(), text) != NULL;
}

/* The transports of PEs 0 to 3 by their first letters; '+' follows when the peer can
 * be loaded from and stored to. */
static const char *chosen(void)
{
    static char text[2 * FAKE_PES + 1];
    size_t n = 0;

    for (int pe = 0; pe < FAKE_PES; pe++) {
        text[n++] = gsh.peers[pe].tr ? gsh.peers[pe].tr->name[0] : '-';
        if (gsh.peers[pe].base)
            text[n++] = '+';
    }
    text[n] = '\0';
    return text;
}

static bool opens_as(const char *want)
{
    bool good = !gsh_tr_open_all() && !strcmp(chosen(), want);

    if (!good)
        printf("# got %s, want %s\n", chosen(), want);
    return good;
}

static void test_missing_ops(void)
{
    const struct gsh_amo_args add = { .op = GSH_AMO_add, .bytes = 8, .operand = 1 };
    struct gsh_tr *tr = gsh.peers[0].tr;
    uint64_t word = 0;

    tap_ok(tr->ops.put(tr, 0, FAKE_HEAP, &word, 8) == -EOPNOTSUPP, "put left out fails softly");
    tap_ok(says("self") && says("put"), "the text names the transport and the op");
    tap_ok(tr->ops.get(tr, 0, &word, FAKE_HEAP, 8) == -EOPNOTSUPP, "get left out fails softly");
    tap_ok(tr->ops.amo(tr, 0, FAKE_HEAP, &add, &word) == -EOPNOTSUPP, "amo left out fails softly");
    tap_ok(tr->ops.amo_post(tr, 0, FAKE_HEAP, &add) == -EOPNOTSUPP,
           "amo_post without amo fails softly");
    tap_ok(tr->ops.put_signal(tr, 0, FAKE_HEAP, &word, 8, FAKE_HEAP, &add) == -EOPNOTSUPP,
           "put_signal without put fails softly");
    tap_ok(!tr->ops.fence(tr) && !tr->ops.quiet(tr), "fence and quiet left out have nothing to do");
    tap_ok(tr->ops.map(tr, 0) == gsh.base && !tr->ops.map(tr, 1), "an op of its own runs");
}

static void test_choice(void)
{
    fake_job("", false);
    fake_hosts("aaaa");
    tap_ok(opens_as("s+p+p+p+"), "on one host self maps this PE and p2p the others");
    tap_ok(gsh.peers[2].base == fake_memory[2] && (char *)gsh.peers[2].bell == fake_memory[2],
           "base and bell are the start of the peer's window");
    tap_ok(!gsh.remote, "no peer is remote");
    test_missing_ops();
    gsh_tr_close_all();

    fake_job("delay", false);
    fake_hosts("aabb");
    tap_ok(opens_as("s+p+dd"), "a named remote transport takes the PEs of another host alone");
    tap_ok(gsh.remote && !gsh.peers[2].bell, "those are remote and have no bell here");
    gsh_tr_close_all();

    fake_job("none,delay", false);
    tap_ok(opens_as("s+p+dd"), "so does one of a list");
    gsh_tr_close_all();
    fake_job("delay", true);
    tap_ok(opens_as("s+ddd"), "without p2p the remote transport takes all other PEs");
    gsh_tr_close_all();
    fake_job("none", false);
    fake_hosts("aaaa");
    tap_ok(opens_as("s+p+p+p+") && !gsh.remote, "none is enough on one host");
    gsh_tr_close_all();
}

static void test_table(void)
{
    fake_job("", false);
    fake_hosts("aabb");
    fake_fault("fail:ucx.load");
    tap_ok(gsh_tr_open_all() == -EHOSTUNREACH, "a PE that none reaches is an error");
    tap_ok(!strcmp(gsh_last_error(),
                   "no transport reaches these PEs:\n"
                   "  PE         transport  why not\n"
                   "  2-3        self       is another PE\n"
                   "  2-3        p2p        is on host host-b\n"
                   "  2-3        delay      is for tests; NVSHMEM_REMOTE_TRANSPORT=delay asks for "
                   "it\n"
                   "  2-3        ucx        could not be opened: libucp.so.0 cannot be loaded; "
                   "install it (Debian: libucx0) or set LD_LIBRARY_PATH"),
           "the table has PE, transport and reason, and PEs of like reasons in one");

    fake_job("none", true);
    fake_windows[3] = NULL;
    tap_ok(gsh_tr_open_all() == -EHOSTUNREACH && says("1-3        p2p        NVSHMEM_DISABLE_P2P"),
           "the table says that p2p is switched off");
    tap_ok(says("delay      NVSHMEM_REMOTE_TRANSPORT is none"), "and that no other is wanted");

    fake_job("delay", false);
    fake_hosts("abab");
    fake_windows[2] = fake_windows[3] = NULL;
    tap_ok(gsh_tr_open_all() == -EHOSTUNREACH && says("2          p2p        shares no memory") &&
               says("3          p2p        is on host host-b") &&
               says("3          delay      is on"),
           "PEs of unlike reasons have rows of their own, reached ones none");
    tap_ok(!says("1          "), "a PE that is reached is not in the table");
}

static void test_names(void)
{
    fake_job("verbs", false);
    fake_hosts("aaaa");
    tap_ok(gsh_tr_open_all() == -EINVAL && says("'verbs'") &&
               says("this build has: delay, ucx, none"),
           "an unknown name is an error with the names there are");
    fake_job("delay,verbs", false);
    tap_ok(gsh_tr_open_all() == -EINVAL && says("'delay,verbs'"), "so is one in a list");
    fake_job("p2p", false);
    tap_ok(gsh_tr_open_all() == -EINVAL, "a transport that only maps is no remote transport");
}

static bool logged(const char *path, const char *text)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");

    while (file && !found && fgets(line, sizeof(line), file))
        found = strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return found;
}

static void test_failing_open(void)
{
    char path[] = "/tmp/gsh-choose-XXXXXX";
    int fd = mkstemp(path);

    gsh_log_open("INFO", "", path);
    fake_job("delay", false);
    fake_hosts("aaaa");
    fake_fault("fail:p2p.open");
    tap_ok(opens_as("s+ddd"), "when p2p does not open the next one takes over");
    tap_ok(
        logged(path, "info COMM: transport p2p is passed over: could not be opened: GSHMEM_FAULT"),
        "the log tells at info level what did not open, and why");
    tap_ok(logged(path, "transport delay carries to 3 of 4 PEs"), "and how many PEs each serves");
    gsh_tr_close_all();
    gsh_log_open("", "", "");
    close(fd);
    unlink(path);

    fake_job("delay", true);
    fake_fault("fail:delay.open");
    tap_ok(gsh_tr_open_all() == -EHOSTUNREACH && says("delay      could not be opened: GSHMEM"),
           "when none is left the table says what did not open");
    gsh_tr_close_all();
    gsh_tr_close_all();
    tap_ok(opens_as("s+ddd"), "after that, and closing twice, the next start is well");
    gsh_tr_close_all();
    fake_fault("");
}

static void test_hosts(void)
{
    fake_job("", false);
    tap_ok(!fake_hosts("baab") && gsh_host_of(0) == 0 && gsh_host_of(1) == 1 &&
               gsh_host_of(2) == 1 && gsh_host_of(3) == 0,
           "hosts are numbered by their first PE");
    tap_ok(gsh_host_rank(0) == 0 && gsh_host_rank(1) == 0 && gsh_host_rank(2) == 1 &&
               gsh_host_rank(3) == 1,
           "a PE's rank on its host counts the PEs there before it");
    tap_ok(!strcmp(gsh_host_name(1), "host-a"), "a host has a name");
    tap_ok(!fake_hosts("aaba") && gsh_host_of(2) == 1 && gsh_host_rank(3) == 2 &&
               gsh_host_count() == 2,
           "hosts may have different numbers of PEs");
    gsh_env.FAKE_NODES = 3;
    tap_ok(!fake_hosts("aaaa") && gsh_host_of(0) == 0 && gsh_host_of(1) == 0 &&
               gsh_host_of(2) == 1 && gsh_host_of(3) == 2 && !strcmp(gsh_host_name(3), "host-a/2"),
           "fake nodes deal the PEs out in blocks, and have names of their own");
    gsh_env.FAKE_NODES = 0;
    gsh_host_close();
    gsh_host_close();
}

int main(void)
{
    test_choice();
    test_table();
    test_names();
    test_failing_open();
    test_hosts();
    return tap_end();
}
