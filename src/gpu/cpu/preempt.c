/* preempt.c - a thread of a kernel may read a flag in a loop without calling anything,
 * while the thread that sets the flag is another fiber of the same operating-system
 * thread. A timer of each such thread, which runs with its own CPU time, interrupts it,
 * and the handler of the signal switches to the next fiber. The fiber that was
 * interrupted goes on inside its handler when its turn comes, and returns from it.
 *
 * Why it may be left just there: a switch is wrong only while the fiber has something
 * that another fiber of this thread could need, or would find half done:
 *  - the engine's own lists: block->hold is set while it works on them;
 *  - locks and state of the C library, the loader, the C++ and sanitizer runtimes, and of
 *    this library: they hold them only while their own code runs, or what it calls, and
 *    the switch is made only when the instruction that was interrupted lies in the program
 *    or in a library of its own. Linked statically, this library sets `hold` itself;
 *  - code of the program under a call of such a library (a comparison for qsort, the
 *    initialiser of a static variable, a callback): kernels have none of these, and what
 *    they would hold is also held across a barrier;
 *  - registers, red zone, floating-point modes: the kernel has put them on this fiber's
 *    stack with the signal frame (no alternative stack), and a switch keeps the modes;
 *  - a step of the race checker (race/event.c), which holds a lock that the block's other
 *    threads may wait for: it sets `hold`, as the access itself is made in the program;
 *  - errno: saved here;
 *  - the signal mask: SA_NODEFER and an empty mask leave it as it is, so that all fibers
 *    have the same. A second tick inside the handler finds itself in this library, or
 *    hold set, and does nothing;
 *  - threadIdx and gsh_cpu_fiber: set anew by each switch; registers that hold their
 *    values are the fiber's own;
 *  - addresses of thread-local variables: the same for all fibers, which stay on their
 *    operating-system thread.
 * The signal is SIGRTMAX - 6: far from those that the C library keeps, and from both ends
 * where programs begin to take theirs.
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/cpu/preempt.h"
#include "core/log.h"
#include "gpu/cpu/block.h"
#include "gpu/cpu/report.h"
#include "util/pc.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TICK_SIGNAL (SIGRTMAX - 6)

enum { TICK_NS = 5000000, RANGES = 64, FAULT_STACK = 64 << 10 };

/* Where code lies that may be interrupted; written once. */
static struct {
    uintptr_t from, to;
} ranges[RANGES];
static int n_ranges;

static bool is_runtime(const char *path)
{
    static const char *const names[] = {
        "ld-linux",    "libc.so",   "libm.so",      "libpthread", "libdl.so",   "librt.so",
        "libstdc++",   "libgcc_s",  "libasan",      "libtsan",    "libubsan",   "liblsan",
        "libclang_rt", "libgshmem", "libgshcudart", "libnvshmem", "linux-vdso", "libdw",
    };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

static int add_ranges(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    (void)bytes;
    (void)arg;
    if (is_runtime(info->dlpi_name))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && n_ranges < RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        ranges[n_ranges].from = info->dlpi_addr + part->p_vaddr;
        ranges[n_ranges++].to = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

static bool is_program(uintptr_t pc)
{
    for (int i = 0; i < n_ranges; i++)
        if (pc - ranges[i].from < ranges[i].to - ranges[i].from)
            return true;
    return false;
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
    struct block *block = gsh_cpu_block;
    int err = errno;

    (void)signal;
    (void)info;
    if (!block || block->hold || !gsh_cpu_fiber || !is_program(gsh_pc(context)))
        return;
    block->hold = 1;
    block->yields = 0;
    block->idle = 0;
    block->stirs++;
    gsh_cpu_ready(block, gsh_cpu_fiber_self());
    gsh_cpu_resched(block);
    block->hold = 0;
    errno = err;
}

void gsh_cpu_preempt_hold(bool on)
{
    if (gsh_cpu_block)
        gsh_cpu_block->hold = on;
}

static struct sigaction fault_before[2];

/* A fault in the pages below a block's stacks is a stack that is too small; any other is
 * left to whoever had the signal before. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct block *block = gsh_cpu_block;

    (void)context;
    if (block && gsh_cpu_fiber && gsh_cpu_slab_guards(&block->slab, info->si_addr)) {
        block->caller = gsh_cpu_fiber_self();
        gsh_cpu_report_stack(block);
    }
    sigaction(signal, &fault_before[signal == SIGBUS], NULL);
}

static void install(void)
{
    struct sigaction tick = { .sa_sigaction = on_tick,
                              .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER };
    struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

    if (GSH_CPU_PREEMPT) {
        dl_iterate_phdr(add_ranges, NULL);
        sigaction(TICK_SIGNAL, &tick, NULL);
    }
    if (GSH_CPU_OWN_FAULTS) {
        sigaction(SIGSEGV, &fault, &fault_before[0]);
        sigaction(SIGBUS, &fault, &fault_before[1]);
    }
}

void gsh_cpu_preempt_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
    stack_t stack = { .ss_size = FAULT_STACK };
    sigset_t blocked;

    pthread_once(&once, install);
    /* Handlers of the program would not expect to run on the small stack of a fiber. */
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&blocked, faults[i]);
    sigdelset(&blocked, TICK_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    if (!GSH_CPU_OWN_FAULTS)
        return;
    /* Only the kernel keeps the address: memory of malloc() would look lost. */
    stack.ss_sp = mmap(NULL, FAULT_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack.ss_sp != MAP_FAILED)
        sigaltstack(&stack, NULL);
}

void gsh_cpu_preempt_arm(struct ticker *ticker, bool on)
{
    struct itimerspec time = { .it_value.tv_nsec = on ? TICK_NS : 0,
                               .it_interval.tv_nsec = on ? TICK_NS : 0 };

    if (!GSH_CPU_PREEMPT || on == ticker->armed)
        return;
    if (!ticker->made) {
        struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL };

        event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
        if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &ticker->timer)) {
            gsh_log(GSH_WARN, GSH_GPU,
                    "no timer for a block (%s): a thread of a kernel that spins without a call may "
                    "keep others of its block from running",
                    strerror(errno));
            return;
        }
        ticker->made = true;
    }
    timer_settime(ticker->timer, 0, &time, NULL);
    ticker->armed = on;
}
