/* GSHMEM_FAULT switches fault points, makes exactly the k-th call of a step fail,
 * and names the first word it does not know; full reads and writes move all bytes
 * when every system call moves one. */
// SPDX-License-Identifier: BSD-3-Clause
#include "util/fault.h"

#include "util/io.h"
#include "util/test/tap.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char bad[64];

static bool is_bad(const char *text, const char *word)
{
    bad[0] = '\0';
    return gsh_fault_open(text, bad, sizeof(bad)) == -EINVAL && !strcmp(bad, word);
}

static void test_words(void)
{
    tap_ok(!gsh_fault_open("io.short,,io.delay:50", bad, sizeof(bad)), "known words are taken");
    tap_ok(gsh_fault_value(GSH_FAULT_IO_SHORT) == 1, "a point without a number has the value 1");
    tap_ok(gsh_fault_value(GSH_FAULT_IO_DELAY) == 50, "a point with a number has that value");
    tap_ok(!gsh_fault_open("", bad, sizeof(bad)) && !gsh_fault_value(GSH_FAULT_IO_SHORT),
           "the next text replaces the last");
    tap_ok(is_bad("io.short,io.shorter", "io.shorter"), "a longer word is not the point");
    tap_ok(is_bad("io.delay:x", "io.delay:x"), "a value must be a number");
    tap_ok(is_bad("fail:", "fail:"), "a step must have a name");
    tap_ok(is_bad("fail:a:0", "fail:a:0"), "calls are counted from 1");
}

static void test_steps(void)
{
    gsh_fault_open("fail:map,fail:grow:3", bad, sizeof(bad));
    tap_ok(gsh_fault_fails("map"), "the first call of a step fails without a number");
    tap_ok(!gsh_fault_fails("map"), "the call after it does not");
    tap_ok(!gsh_fault_fails("grow") && !gsh_fault_fails("grow"), "calls before the k-th are well");
    tap_ok(gsh_fault_fails("grow"), "the k-th call fails");
    tap_ok(!gsh_fault_fails("grow"), "calls after the k-th are well");
    tap_ok(!gsh_fault_fails("other"), "a step that is not named is well");
}

static void test_full(const char *faults)
{
    char from[100];
    char to[100] = "";
    int fds[2];

    gsh_fault_open(faults, bad, sizeof(bad));
    memset(from, 'x', sizeof(from));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
        return;
    tap_ok(!gsh_io_write_full(fds[0], from, sizeof(from)) &&
               !gsh_io_read_full(fds[1], to, sizeof(to)) && !memcmp(from, to, sizeof(to)),
           "all bytes arrive with faults \"%s\"", faults);
    tap_ok(gsh_io_try_read(fds[1], to, 1) == -EAGAIN, "nothing more is -EAGAIN");
    gsh_io_write_full(fds[0], from, 3);
    close(fds[0]);
    tap_ok(gsh_io_read_full(fds[1], to, 4) == -EPIPE, "an end before all bytes is -EPIPE");
    tap_ok(gsh_io_write_full(fds[1], from, 4) == -EPIPE, "nobody who reads is -EPIPE, no signal");
    close(fds[1]);
}

static void test_short(void)
{
    char buffer[8];
    int fds[2];

    gsh_fault_open("io.short", bad, sizeof(bad));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
        return;
    tap_ok(gsh_io_try_write(fds[0], "12345678", 8) == 1, "a write moves one byte under io.short");
    tap_ok(gsh_io_try_write(fds[0], "2345678", 7) == 1 && gsh_io_try_read(fds[1], buffer, 8) == 1,
           "a read moves one byte under io.short");
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    test_words();
    test_steps();
    test_full("");
    test_full("io.short");
    test_full("io.delay,io.short");
    test_short();
    return tap_end();
}
