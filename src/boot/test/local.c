/* Without a launcher there is one PE; a wrong GSHMEM_BOOT is an error that says so.
 * With an argument this is a PE that does what gshrun.sh wants to see. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/boot.h"
#include "core/env.h"
#include "core/log.h"
#include "util/test/tap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX 256

/* ---- As a PE: the exit code is the answer ---- */

static int exchange(struct gsh_boot *boot)
{
    int all[MAX];
    int wrong = boot->ops.allgather(boot, &boot->rank, all, sizeof(int)) != 0;

    for (int i = 0; i < boot->n_ranks; i++)
        wrong += all[i] != i;
    return wrong + (boot->ops.barrier(boot) != 0);
}

/* Waits for news and prints them. */
static int report_life(struct gsh_boot *boot)
{
    static const char *const names[] = { "NONE", "LEFT", "GONE", "END", "LOST" };
    struct pollfd wait = { .fd = boot->life_fd, .events = POLLIN };
    struct gsh_life_event event;

    do {
        if (poll(&wait, 1, 20000) != 1 || boot->ops.life_read(boot, &event))
            return 9;
    } while (event.kind == GSH_LIFE_NONE);
    printf("%s pe %d status %d %s\n", names[event.kind], event.pe, event.status, event.text);
    return 0;
}

static int be_plain(struct gsh_boot *boot)
{
    (void)boot;
    return 0;
}

/* PE 1 is killed; the others are in a barrier. */
static int be_killed(struct gsh_boot *boot)
{
    if (boot->rank == 1)
        raise(SIGKILL);
    if (!boot->ops.barrier(boot))
        return 8;
    return report_life(boot);
}

static int be_aborted(struct gsh_boot *boot)
{
    if (boot->rank == 1)
        boot->ops.abort(boot, 5, "out of fuel");
    return boot->rank == 1 ? pause() : report_life(boot);
}

/* PE 1 ends well without a word. */
static int be_left(struct gsh_boot *boot)
{
    if (boot->rank == 1)
        _exit(0);
    return report_life(boot);
}

/* PE 1 is stopped; the others do not wait for it for ever. */
static int be_stopped(struct gsh_boot *boot)
{
    if (boot->rank == 1)
        raise(SIGSTOP);
    if (!boot->ops.barrier(boot))
        return 8;
    boot->ops.abort(boot, 6, "no more patience");
    return pause();
}

/* PE 1 leaves with 3; the others give up when they hear of it, before it has ended. */
static int be_missed(struct gsh_boot *boot)
{
    if (boot->rank == 1) {
        boot->ops.close(boot, 0);
        usleep(100 * 1000);
        _exit(3);
    }
    if (!boot->ops.barrier(boot))
        return 8;
    boot->ops.abort(boot, 1, "PE 1 has left");
    return pause();
}

/* What nvshmem_global_exit(9) says. */
static int be_global(struct gsh_boot *boot)
{
    if (boot->rank != 1)
        return pause();
    boot->ops.abort(boot, 9, "");
    _exit(9);
}

/* Leaves with 3 from main, after it has said so: the others finish. */
static int be_code(struct gsh_boot *boot)
{
    if (boot->rank != 1)
        return report_life(boot);
    boot->ops.close(boot, 0);
    _exit(3);
}

static const struct role {
    const char *name;
    int (*play)(struct gsh_boot *boot);
} roles[] = {
    { "plain", be_plain },   { "killed", be_killed }, { "aborted", be_aborted },
    { "left", be_left },     { "code", be_code },     { "stopped", be_stopped },
    { "missed", be_missed }, { "global", be_global },
};

static int play(const char *name)
{
    struct gsh_boot boot;
    int code;

    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (strcmp(roles[i].name, name))
            continue;
        if (gsh_boot_open(&boot, NULL, NULL))
            return 1;
        code = exchange(&boot) ? 2 : roles[i].play(&boot);
        boot.ops.close(&boot, 1);
        return code;
    }
    return 4;
}

/* Many worlds in one process, and one PE that comes to neither. */
static int play_often(void)
{
    int code = 0;

    for (int i = 0; i < 50; i++)
        code += play("plain");
    return code;
}

static int play_absent(void)
{
    return strncmp(getenv("GSHMEM_BOOT"), "1,", 2) ? play("plain") : 0;
}

/* ---- Alone ---- */

static void test_single(void)
{
    struct gsh_boot boot;
    int mine = 7;
    int all = 0;
    struct gsh_life_event event;

    unsetenv("GSHMEM_BOOT");
    tap_ok(!gsh_boot_open(&boot, NULL, NULL) && !strcmp(boot.name, "single") && boot.rank == 0 &&
               boot.n_ranks == 1 && boot.life_fd == -1,
           "without a launcher there is one PE");
    tap_ok(!boot.ops.allgather(&boot, &mine, &all, sizeof(all)) && all == 7 &&
               !boot.ops.barrier(&boot),
           "one PE exchanges with itself");
    tap_ok(!boot.ops.life_read(&boot, &event) && event.kind == GSH_LIFE_NONE,
           "an op that a method leaves out has a default");
    boot.ops.close(&boot, 1);
    tap_ok(gsh_boot_open(&boot, "local", NULL) == -ENOENT && strstr(gsh_last_error(), "gshrun -n"),
           "the method local without gshrun is an error");
    tap_ok(gsh_boot_open(&boot, "pigeon", NULL) == -EINVAL &&
               strstr(gsh_last_error(), " local pmix"),
           "an unknown method is an error that names those there are");
}

static void test_variable(void)
{
    struct gsh_boot boot;

    setenv("GSHMEM_BOOT", "0,2,900,901", 1);
    tap_ok(gsh_boot_open(&boot, NULL, NULL) == -EBADF && strstr(gsh_last_error(), "900"),
           "connections that are closed are an error, not one PE");
    setenv("GSHMEM_BOOT", "0,1,0,1", 1);
    tap_ok(gsh_boot_open(&boot, NULL, NULL) == -EBADF,
           "descriptors of something else are an error");
    setenv("GSHMEM_BOOT", "0,2,3", 1);
    tap_ok(gsh_boot_open(&boot, NULL, NULL) == -EINVAL, "a malformed variable is an error");
}

int main(int argc, char **argv)
{
    if (gsh_env_read())
        return 1;
    if (argc > 1 && !strcmp(argv[1], "often"))
        return play_often();
    if (argc > 1 && !strcmp(argv[1], "absent"))
        return play_absent();
    if (argc > 1)
        return play(argv[1]);
    test_single();
    test_variable();
    return tap_end();
}
