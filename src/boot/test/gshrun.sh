#!/bin/sh
# gshrun passes input, output and exit codes on, ends a job when a PE fails or the
# user says so, names the culprit, and leaves no process behind.
# SPDX-License-Identifier: BSD-3-Clause
set -u

pe=$GSH_BUILD/test/unit/boot_local
count=0 failed=0
# Nobody else's processes have this in their arguments.
mark=gshrun-test-$$

ok() {
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        failed=$((failed + 1))
        echo "not ok $count - $2"
        sed 's/^/# /' out err
    fi
}

# run ARGUMENTS...: gshrun with its output in out and err and its exit code in $code.
run() {
    gshrun "$@" >out 2>err
    code=$?
}

# says FACT COMMAND...: the fact is what the command shows.
says() {
    fact=$1
    shift
    "$@" >/dev/null 2>&1
    ok $? "$fact"
}

# holds FILE WANTED: the lines of the file in any order are these.
holds() {
    [ "$(sort "$1")" = "$(printf '%s\n' "$2")" ]
}

ended_with() {
    [ "$code" -eq "$1" ]
}

# has FILE PATTERN N: N lines of the file fit.
has() {
    [ "$(grep -c -E -e "$2" "$1")" -eq "$3" ]
}

# no_process: nobody carries the mark any more, within ten seconds.
no_process() {
    tries=0
    while [ $tries -lt 100 ]; do
        pgrep -f "$mark" >/dev/null || return 0
        sleep 0.1
        tries=$((tries + 1))
    done
    return 1
}

# await FILE N: the file has N lines, within ten seconds.
await() {
    tries=0
    while [ $tries -lt 100 ] && [ "$(wc -l <"$1")" -lt "$2" ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# start ARGUMENTS...: the same in the background, as $launcher.
start() {
    : >out
    gshrun "$@" >out 2>err &
    launcher=$!
}

test_options() {
    for arguments in '' '-n' '-n 2' '-n 0 true' '-n x true' '-n 2 --nonsense true' '-n 2 -x A true' \
        '-n 2 --timeout no true'; do
        # shellcheck disable=SC2086 # a list of words
        run $arguments
        says "gshrun $arguments is refused with 2" ended_with 2
        says "gshrun $arguments gets one line" has err '^gshrun: .*--help' 1
    done
    run --help
    says '--help shows an example' has out 'gshrun -n 4 ' 1
    run --version
    says '--version shows a version' has out '^gshrun [0-9]' 1
    run -np 2 echo x
    says '-np is -n' has out '^x$' 2
    # shellcheck disable=SC2016 # for the PEs
    run -n 2 --timeout 9 -x A=b -x C= sh -c 'echo "$GSHMEM_TIMEOUT $A $C."'
    says '--timeout and -x set variables' has out '^9 b \.$' 2
}

test_streams() {
    printf 'first\nsecond\n' | gshrun -n 3 --tag cat >out 2>err
    says 'PE 0 reads the input, the others find it empty' holds out '[0] first
[0] second'
    run -n 2 --tag sh -c 'echo out; echo err >&2; printf part'
    says '--tag marks each line of the output, also one without an end' holds out '[0] out
[0] part
[1] out
[1] part'
    says '--tag marks each line of the errors' holds err '[0] err
[1] err'
    run -n 2 --tag sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo'
    says '--tag keeps a long line whole in length' [ "$(wc -c <out)" -eq 400010 ]
    says '--tag keeps a long line in one piece' has out '^\[[01]\] x*$' 2
    run -n 3 sh -c 'echo plain'
    says 'without --tag the output is as it is' has out '^plain$' 3
    run -n 2 --tag sh -c 'head -c 17000000 /dev/zero | tr "\0" x; echo y'
    says '--tag breaks a line of more than 16 MiB' holds out "$(
        for rank in 0 1; do
            printf '[%d] ' $rank && head -c 16777216 /dev/zero | tr '\0' x && echo
            printf '[%d] ' $rank && head -c 222784 /dev/zero | tr '\0' x && echo y
        done | sort)"
    gshrun -n 2 --tag yes 2>err | head -n 1 >out
    says 'a reader that stops ends the job' has out '^\[[01]\] y$' 1
    says 'without a word' has err '' 0
    for arguments in yes 'echo x'; do
        # shellcheck disable=SC2086 # a list of words
        gshrun -n 2 --tag $arguments >/dev/full 2>err
        code=$?
        says "output of $arguments that cannot be written ends the job with 1" ended_with 1
        says 'and one line, which says why' has err '' 1
        says 'and not that a PE was killed' has err 'cannot write the output.*No space left' 1
    done
}

test_codes() {
    run -n 3 true
    says 'all well is 0' ended_with 0
    # shellcheck disable=SC2016 # for the PEs
    run -n 3 sh -c 'case $GSHMEM_BOOT in 1,*) exit 3;; esac; sleep 30'
    says 'the code of a PE that fails is the code of the job' ended_with 3
    says 'it is named once' has err \
        '^gshrun: PE 1 \(pid [0-9]+\) ended with exit code 3; ending the other 2 PEs$' 1
    # shellcheck disable=SC2016 # for the PEs
    run -n 4 sh -c 'case $GSHMEM_BOOT in 2,*) kill -9 $$;; esac; trap "" TERM; sleep 30'
    says 'a signal is 128 and its number' ended_with 137
    says 'a PE that was killed is named' has err 'PE 2 .*was killed by signal 9 \(Killed\).*3 PEs$' 1
    run -n 4 ./nonesuch
    says 'a program that is not there is 127' ended_with 127
    says 'it is said once' has err '' 1
    : >plain
    run -n 4 ./plain
    says 'a file that is no program is 126' ended_with 126
    run -n 256 true
    says '256 PEs start and end' ended_with 0
    (ulimit -Sn 64 && run -n 64 --tag sh -c 'ulimit -n' && has out '\] 64$' 64)
    ok $? 'the limit of open files is raised for the launcher alone'
}

test_boot() {
    for n in 1 2 3 5 8; do
        run -n $n "$pe" plain
        says "$n PEs form a world" ended_with 0
    done
    run -n 3 -x GSHMEM_FAULT=io.short "$pe" plain
    says 'a world forms byte by byte' ended_with 0
    run -n 3 "$pe" often
    says 'a process can init again and again' ended_with 0
    run -n 2 sh -c '"$0" plain && "$0" plain; exit $?' "$pe"
    says 'a world forms through a shell, and another one after it' ended_with 0
    run -n 3 "$pe" killed
    says 'a PE that is killed in a barrier ends the job with its signal' ended_with 137
    says 'all others see GONE with the cause' has out '^GONE pe 1 .*killed by signal 9' 2
    says 'all others get an error in the barrier' has err '^gshmem: .*PE 1 .*signal 9' 2
    run -n 3 "$pe" aborted
    says 'a PE that aborts ends the job with its status' ended_with 5
    says 'all others see END with its text' has out '^END pe 1 status 5 out of fuel$' 2
    says 'the launcher adds no line' has err '' 0
    run -n 3 "$pe" left
    says 'a PE that ends well without a word fails nobody' ended_with 0
    says 'all others see LEFT' has out '^LEFT pe 1' 2
    run -n 3 "$pe" code
    says 'a PE that says BYE may fail alone' ended_with 3
    says 'the others run to their end' has out '^LEFT pe 1' 2
    says 'it is named with its code' has err '^gshrun: PE 1 \(pid [0-9]+\) ended with exit code 3$' 1
    says 'and nothing else is said' has err '' 1
    run -n 3 "$pe" missed
    says 'the code of a PE that left is that of the job, also when others gave up first' ended_with 3
    says 'it is named with its code' has err '^gshrun: PE 1 \(pid [0-9]+\) ended with exit code 3$' 1
    run -n 3 "$pe" global
    says 'global exit with 9 is the code of the job' ended_with 9
    says 'one line tells who did it' has err '^gshrun: PE 1 ended the job with nvshmem_global_exit\(9\)$' 1
    says 'and no other' has err '' 1
    run -n 3 --timeout 1 "$pe" stopped
    says 'a PE that is stopped is not waited for longer than the time limit' ended_with 6
    says 'each of the others says who is missing' has err \
        '^gshmem: GSHMEM_TIMEOUT: PE [02] has waited 1 s in a barrier.*; PE 1 \(pid [0-9]+\) has not come$' 2
    run -n 3 "$pe" absent
    says 'a PE that ends without init fails the init of the others' ended_with 1
    says 'it is named' has err 'PE 1 has ended without a call to init' 2
}

test_ends() {
    for signal in TERM:143 HUP:129; do
        start -n 2 sh -c "echo up; sleep 30; : $mark"
        await out 2
        kill "-${signal%:*}" $launcher
        wait $launcher
        code=$?
        says "SIG${signal%:*} to the launcher is ${signal#*:}" ended_with "${signal#*:}"
        says "SIG${signal%:*} to the launcher ends all PEs" no_process
    done
    # In the background a shell ignores SIGINT; timeout(1) sends it to the group.
    timeout -s INT 1 env --default-signal=INT gshrun -n 2 sh -c "sleep 30; : $mark" >out 2>err
    says 'Ctrl-C ends all PEs' no_process
    says 'Ctrl-C is not taken for the failure of a PE' has err '' 0
    start -n 3 sh -c "echo up; sleep 30; : $mark"
    await out 3
    kill -KILL $launcher
    wait $launcher 2>/dev/null
    says 'when the launcher is killed so are the PEs' no_process
    run -n 2 sh -c "(sleep 30; : $mark) & exit 0"
    says 'what a PE leaves behind does not keep the job' ended_with 0
    says 'and is ended' no_process
}

test_options
test_streams
test_codes
test_boot
test_ends
echo "1..$count"
[ $failed -eq 0 ]
