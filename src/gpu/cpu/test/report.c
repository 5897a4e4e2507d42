/* A kernel that cannot go on ends the job with one line that says why: which kernel, block
 * and thread, in which call, at which line of the source, and what the others do. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cpu/sanitize.h"
#include "gpu/cpu/test/launch.h"
#include "util/test/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[8192];

/* Runs the kernel in a process of its own and keeps what it says; its status. */
static int run_apart(const char *name, void (*run)(void *), struct gsh_cpu_dim grid,
                     struct gsh_cpu_dim block, int cooperative)
{
    int fds[2], status;
    size_t have = 0;
    ssize_t n;

    if (pipe(fds))
        return -1;
    fflush(stdout);
    if (fork() == 0) {
        dup2(fds[1], STDERR_FILENO);
        _exit(launch(name, run, NULL, grid, block, cooperative) ? 2 : 0);
    }
    close(fds[1]);
    while ((n = read(fds[0], said + have, sizeof(said) - 1 - have)) > 0)
        have += (size_t)n;
    said[have] = '\0';
    close(fds[0]);
    wait(&status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool one_line(void)
{
    const char *end = strchr(said, '\n');

    return end && !end[1];
}

static bool has(const char *text)
{
    return strstr(said, text) != NULL;
}

/* The place as the report has it, unless there are no source lines to be had. */
static bool has_line(int line)
{
    char place[32];

    snprintf(place, sizeof(place), "report.c:%d", line);
    return !line || has(place) || !has(".c:");
}

/* Where kernels are about to call; shared with the process that runs them. */
static _Atomic int *lines;

/* Keeps the compiler from a jump to a function that is called last. */
static void stay_here(void)
{
    __asm__ volatile("" ::: "memory");
}

static void divergent(void *args)
{
    (void)args;
    if (gsh_cpu_block_idx.x == 1 && gsh_cpu_thread_idx.x == 3) {
        if (gsh_cpu_thread_idx.y == 1)
            return;
        lines[0] = __LINE__ + 1;
        gsh_cpu_barrier(1, 8);
    } else {
        lines[1] = __LINE__ + 1;
        gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
    }
    stay_here();
}

static void two_lines(void *args)
{
    (void)args;
    if (rank() == 3) {
        lines[0] = __LINE__ + 1;
        gsh_cpu_syncthreads(GSH_CPU_NONE, 0);
    } else {
        lines[1] = __LINE__ + 1;
        gsh_cpu_syncthreads(GSH_CPU_OR, 0);
    }
    gsh_cpu_yield();
}

static void one_ends(void *args)
{
    (void)args;
    if (rank() != 2)
        sync_block();
}

static void warp_apart(void *args)
{
    (void)args;
    if (rank() == 5)
        sync_block();
    else
        gsh_cpu_syncwarp(0xff);
}

static void lane_ends(void *args)
{
    (void)args;
    if (rank() != 5)
        gsh_cpu_syncwarp(0xff);
}

static void not_in_mask(void *args)
{
    (void)args;
    gsh_cpu_syncwarp(0xfe);
}

static void traps(void *args)
{
    (void)args;
    if (rank() != 6)
        return;
    gsh_cpu_enter("nvshmem_something", __builtin_return_address(0));
    gsh_cpu_trap("PE %d is none", 77);
}

static void traps_bare(void *args)
{
    (void)args;
    sync_block();
    lines[0] = __LINE__ + 1;
    gsh_cpu_trap("stop");
}

__attribute__((noinline)) static int use_stack(int bytes)
{
    volatile char room[8192];

    for (size_t i = 0; i < sizeof(room); i += 8)
        room[i] = (char)bytes;
    return bytes > 8192 ? use_stack(bytes - 8192) + room[0] : room[0];
}

static void deep(void *args)
{
    (void)args;
    if (rank() == 3)
        use_stack((80 << 10) * GSH_CPU_STACK_FACTOR);
    sync_block();
}

static void deep_alone(void *args)
{
    (void)args;
    use_stack((80 << 10) * GSH_CPU_STACK_FACTOR);
}

static void endless(void *args)
{
    (void)args;
    use_stack(1 << 30);
}

static void block_ends(void *args)
{
    (void)args;
    if (gsh_cpu_block_idx.x != 2)
        gsh_cpu_syncgrid();
}

static void not_together(void *args)
{
    (void)args;
    gsh_cpu_syncgrid();
}

/* Status 1 and one line with the kernel's name and these texts. */
static void says(const char *name, void (*run)(void *), struct gsh_cpu_dim grid,
                 struct gsh_cpu_dim block, const char *a, const char *b, const char *fact)
{
    int status = run_apart(name, run, grid, block, grid.x == 3);

    if (!tap_ok(status == 1 && one_line() && has("kernel") && has(name) && has(a) && has(b), "%s",
                fact))
        printf("# status %d, it said: %s\n", status, said);
}
#define SAYS(run, grid, block, a, b, fact) says(#run, run, grid, block, a, b, fact)

static void check_lines(const char *fact)
{
    if (!tap_ok(has_line(lines[0]) && has_line(lines[1]), "%s", fact))
        printf("# lines %d and %d, it said: %s\n", lines[0], lines[1], said);
    lines[1] = 0;
    lines[0] = 0;
}

static void passes(const char *name, void (*run)(void *), const char *fact)
{
    tap_ok(run_apart(name, run, DIM(1, 1, 1), DIM(8, 1, 1), 0) == 0 && !*said, "%s", fact);
}

static void look_at_meetings(void)
{
    SAYS(divergent, DIM(2, 1, 1), DIM(4, 3, 1), "block (1,0,0)", "9 wait in __syncthreads",
         "a divergent barrier is told with the block and how many wait in it");
    tap_ok(has("2 wait in a named barrier") && has("1 ended (thread (3,1,0))") &&
               has("thread (0,0,0)") && has("thread (3,0,0)"),
           "and who waits elsewhere, and who has ended");
    check_lines("and with both source lines");
    SAYS(warp_apart, DIM(1, 1, 1), DIM(8, 1, 1), "7 wait in __syncwarp for lanes 0xff",
         "1 waits in __syncthreads", "a lane that waits elsewhere is told");
    SAYS(not_in_mask, DIM(1, 1, 1), DIM(8, 1, 1), "thread (0,0,0)", "lane 0 is not in its own mask",
         "a lane outside of its mask is told");
    passes("two_lines", two_lines, "barriers at two lines meet");
    passes("one_ends", one_ends, "a barrier passes when a thread has ended");
    passes("lane_ends", lane_ends, "__syncwarp passes when a lane has ended");
    setenv("GSHMEM_CHECK", "1", 1);
    SAYS(two_lines, DIM(1, 1, 1), DIM(8, 1, 1), "__syncthreads", "can never meet",
         "with GSHMEM_CHECK barriers at two lines are told");
    check_lines("with both lines");
    SAYS(one_ends, DIM(1, 1, 1), DIM(8, 1, 1), "__syncthreads", "1 ended (thread (2,0,0))",
         "with GSHMEM_CHECK a barrier without a thread that has ended is told");
    SAYS(lane_ends, DIM(1, 1, 1), DIM(8, 1, 1), "__syncwarp", "(5,0,0)",
         "with GSHMEM_CHECK a lane that has ended is told");
    unsetenv("GSHMEM_CHECK");
}

static void look_at_grids(void)
{
    SAYS(block_ends, DIM(3, 1, 1), DIM(8, 1, 1), "grid barrier", "1 blocks have ended",
         "a grid barrier without a block that has ended is told");
    SAYS(not_together, DIM(1, 1, 1), DIM(8, 1, 1), "block (0,0,0)", "cooperative",
         "a grid barrier in a grid that is not cooperative is told");
}

static void look_at_traps(void)
{
    SAYS(traps, DIM(1, 1, 1), DIM(2, 2, 2), "block (0,0,0), thread (0,1,1), nvshmem_something in ",
         "PE 77 is none", "a trap is told with block, thread and call");
    SAYS(traps_bare, DIM(1, 1, 1), DIM(1, 1, 1), "thread (0,0,0)", "stop",
         "a trap outside of a call is told");
    check_lines("with its source line");
}

static void look_at_stacks(void)
{
    if (GSH_CPU_OWN_FAULTS) {
        SAYS(deep, DIM(1, 1, 1), DIM(8, 1, 1), "thread (3,0,0)", "GSHMEM_CPU_STACK",
             "a stack that is too small is told when the thread waits");
        SAYS(deep_alone, DIM(2, 1, 1), DIM(8, 1, 1), "thread (0,0,0)", "GSHMEM_CPU_STACK",
             "a stack that is too small is told when the thread ends");
        SAYS(endless, DIM(1, 1, 1), DIM(4, 1, 1), "thread (0,0,0)", "GSHMEM_CPU_STACK",
             "a thread that calls itself without end is told");
    } else {
        tap_skip("a stack that is too small is told", "left to the sanitizer");
    }
    setenv("GSHMEM_CPU_STACK", "160K", 1);
    passes("deep", deep, "a larger GSHMEM_CPU_STACK helps");
    setenv("GSHMEM_CPU_STACK", "1K", 1);
    tap_ok(run_apart("deep", deep, DIM(1, 1, 1), DIM(8, 1, 1), 0) == 2 && has("GSHMEM_CPU_STACK"),
           "a GSHMEM_CPU_STACK that is too small is refused");
    unsetenv("GSHMEM_CPU_STACK");
}

int main(void)
{
    lines = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lines == MAP_FAILED)
        return 1;
    look_at_meetings();
    look_at_grids();
    look_at_traps();
    look_at_stacks();
    return tap_end();
}
