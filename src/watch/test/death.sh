# A PE that dies, leaves or hangs never hangs the others: all end soon, say who is
# missing and what they waited for, and leave nothing behind.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# end HOW: PE 2 ends in this way while the others wait in a barrier.
program end <<'C'
#include <nvshmem.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argv[argc - 1];

    nvshmem_init();
    nvshmem_barrier_all();
    if (nvshmem_my_pe() == 2) {
        usleep(200000);
        if (!strcmp(how, "kill"))
            raise(SIGKILL);
        if (!strcmp(how, "_exit"))
            _exit(0);
        if (!strcmp(how, "exit3"))
            exit(3);
        if (!strcmp(how, "global"))
            nvshmem_global_exit(7);
        return 0;
    }
    nvshmem_barrier_all();
    nvshmem_finalize();
    return 0;
}
C

ls /dev/shm >shm.before

run gshrun -n 4 ./end kill
ok "a PE killed in a job of 4 ends it with 128 + 9" is "$status" 137
ok "within some seconds" [ "$took" -le 10 ]
ok "the launcher names the PE and the signal" says 'PE 2 .*killed by signal 9'
ok "a blocked PE says which call waits, and where" says 'PE [013]: .*nvshmem_barrier_all at main at end.c:[0-9]+'

run gshrun -n 4 ./end _exit
ok "_exit without finalize while others wait ends the job" failed
ok "and names the PE" says 'PE 2'
ok "within some seconds" [ "$took" -le 10 ]

run gshrun -n 4 ./end exit3
ok "exit(3) without finalize is the exit code of the job" is "$status" 3
ok "and names the PE" says 'PE 2'

run gshrun -n 4 ./end return
ok "return from main without finalize while others wait for it is an error" failed
ok "that says that the PE has left" says 'PE 2.*left'

run gshrun -n 4 ./end global
ok "nvshmem_global_exit(7) is the exit code of the job" is "$status" 7
ok "and one line says who did it" is "$(cat out)" \
    'gshrun: PE 2 ended the job with nvshmem_global_exit(7)'

ls /dev/shm >shm.after
ok "nothing is left in /dev/shm" cmp shm.before shm.after
ok "no PE is left running" sh -c '! pgrep -f "^\./end"'

# PE 2 returns from main, the others finalize.
program apart <<'C'
#include <nvshmem.h>
#include <unistd.h>

int main(void)
{
    nvshmem_init();
    if (nvshmem_my_pe() == 2)
        return 0;
    usleep(100000 * nvshmem_my_pe());
    nvshmem_finalize();
    return 0;
}
C
run gshrun -n 5 ./apart
ok "PEs that finalize do not wait for one that has returned from main" is "$status" 0
ok "and nothing is said" silent
ok "within some seconds" [ "$took" -le 10 ]

# wait WORD: PE 0 waits for a word that nobody writes; the others compute on, or end.
program wait <<'C'
#include <nvshmem.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long *word;

    nvshmem_init();
    word = nvshmem_calloc(1, sizeof(*word));
    if (nvshmem_my_pe() == 0)
        nvshmem_long_wait_until(word, NVSHMEM_CMP_GE, 42);
    if (!strcmp(argv[argc - 1], "sleep"))
        sleep(30);
    return 0;
}
C

run gshrun -n 2 -x GSHMEM_TIMEOUT=1 ./wait sleep
ok "GSHMEM_TIMEOUT ends a wait for ever" failed
ok "within some seconds" [ "$took" -le 10 ]
ok "it names PE, call, source line, condition and what is there" \
    says 'PE 0: GSHMEM_TIMEOUT.*nvshmem_long_wait_until at main at wait.c:12.*GE 42; it is 0'

run gshrun -n 2 ./wait leave
ok "a wait is given up when every other PE has ended" failed
ok "and says so" says 'every other PE has ended'

# PE 1 stops in the midst of init, between one exchange and the next.
program init <<'C'
#include <nvshmem.h>

int main(void)
{
    nvshmem_init();
    nvshmem_finalize();
    return 0;
}
C
GSHMEM_FAULT=io.delay:20000 gshrun -n 3 --timeout 1 ./init >out 2>&1 &
launcher=$!
tries=0
until [ "$(pgrep -x -P $launcher init | wc -l)" -eq 3 ] || [ $tries -eq 500 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
kill -STOP "$(pgrep -P $launcher | sed -n 2p)"
wait $launcher
status=$?
ok "a PE that stops in the midst of init does not hang the others" failed
ok "and is named" says 'GSHMEM_TIMEOUT.*PE 1 .*has not come'

# PE 1 is killed while the launcher is stopped, and cannot tell.
program blocked <<'C'
#include <nvshmem.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    nvshmem_init();
    if (nvshmem_my_pe() == 1) {
        printf("victim %d\n", getpid());
        fflush(stdout);
        pause();
    }
    nvshmem_barrier_all();
    return 0;
}
C
: >out
gshrun -n 3 ./blocked >out 2>&1 &
launcher=$!
# until PATTERN: the output says it, within 20 seconds.
until_says() {
    tries=0
    while [ $tries -lt 200 ] && ! says "$1"; do
        sleep 0.1
        tries=$((tries + 1))
    done
    says "$1"
}
until_says victim
kill -STOP $launcher
kill -KILL "$(sed -n 's/^victim //p' out)"
ok "a PE that is killed while the launcher is stopped ends the wait of the others" \
    until_says 'PE [02]: PE 1 .*its process is gone: nvshmem_barrier_all'
kill -CONT $launcher
wait $launcher
status=$?
ok "and the job fails" failed

run gshrun -n 3 -x GSHMEM_TIMEOUT=1 sh -c 'case $GSHMEM_BOOT in 1,*) sleep 20 ;; *) exec ./end kill ;; esac'
ok "a PE that never comes to init does not hang the others" failed
ok "and is named" says 'PE 1'
finish
