# gshrun --mps starts an MPS daemon for the job, gives each PE its share, and ends the daemon with
# the job, however that ends. The daemon here is a pretended one.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

mkdir bin tmp
cat >bin/nvidia-cuda-mps-control <<'S'
#!/bin/sh
pid=$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid
case ${1-} in
-d)
    [ -z "${FAKE_MPS_FAILS-}" ] || { echo "no permission to start" && exit 1; }
    env >started
    setsid sleep 600 >/dev/null 2>&1 </dev/null &
    echo $! >"$pid"
    cp "$pid" daemon
    ;;
'')
    read -r command
    echo "$command" >said
    [ -n "${FAKE_MPS_STAYS-}" ] || kill "$(cat "$pid")"
    ;;
esac
S
chmod +x bin/nvidia-cuda-mps-control
export TMPDIR="$PWD/tmp"

# with [NAME=VALUE]... COMMAND...: with the pretended daemon and GPUs.
with() { run env PATH="$PWD/bin:$PATH" LD_LIBRARY_PATH="$GSH_BUILD/test/fake" "$@"; }

gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        kill -0 "$(cat daemon)" 2>/dev/null || return 0
        sleep 0.3
    done
    return 1
}
clean() { [ -z "$(ls tmp)" ]; }
cleans() { for _ in 1 2 3 4 5 6 7 8 9 10; do clean && return 0 || sleep 0.3; done && false; }
counts() { is "$(grep -Ec -- "$2" out)" "$1"; }
# Not by cat, which may copy from file to file: two at once then write to one place.
show='echo "share $CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"
      read -r daemon <"$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid" && echo "$daemon"'

with FAKE_GPUS=1 CUDA_VISIBLE_DEVICES=0 gshrun --mps -n 3 sh -c "$show"
ok "the job runs, and its exit code is the job's" is "$status" 0
ok "each PE has its share of the only GPU" counts 3 '^share 33$'
ok "and finds the daemon" counts 3 "^$(cat daemon)\$"
ok "the daemon was told to quit" grep -qx quit said
ok "it is gone when gshrun ends" eval '! kill -0 "$(cat daemon)" 2>/dev/null'
ok "and so is its folder" clean
ok "it numbers the GPUs as the PEs do" eval '! grep -q CUDA_VISIBLE_DEVICES started'
with FAKE_GPUS=4 gshrun --mps -n 6 sh -c "$show"
ok "PEs on several GPUs share each of them" counts 6 '^share 50$'
with FAKE_GPUS=4 CUDA_VISIBLE_DEVICES=1,2 gshrun --mps -n 6 sh -c "$show"
ok "only GPUs that are visible count" counts 6 '^share 33$'
with gshrun --mps -x CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=10 -n 2 sh -c "$show"
ok "a share that is set stays" counts 2 '^share 10$'

# A thread of NVML's library that does not hold back SIGCHLD, bit 16, takes it away from the
# launcher. One that has not begun to run holds back all.
with FAKE_GPUS=1 gshrun --mps -n 1 sh -c 'grep -h SigBlk /proc/$PPID/task/*/status'
ok "all threads of the launcher leave signals to it" counts 2 '^SigBlk:.*[13579bdf].{4}$'

with gshrun --mps -n 2 sh -c 'kill -KILL $$'
ok "a job that is killed has its status" is "$status" 137
ok "and leaves no daemon" gone
with FAKE_MPS_STAYS=1 gshrun --mps -n 1 true
ok "a daemon that does not quit is killed" gone
ok "and its folder is removed" clean

# The launcher itself is ended: job and daemon go.
for signal in TERM KILL; do
    rm -f daemon running
    env PATH="$PWD/bin:$PATH" LD_LIBRARY_PATH="$GSH_BUILD/test/fake" \
        gshrun --mps -n 1 sh -c 'echo >running; exec sleep 100' >out 2>&1 </dev/null &
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ ! -e running ] || break
        sleep 0.2
    done
    kill -"$signal" $!
    wait $! 2>/dev/null
    ok "no daemon stays when gshrun gets SIG$signal" gone
    ok "and no folder" cleans
done

with FAKE_MPS_FAILS=1 gshrun --mps -n 2 echo ran
ok "a daemon that does not start is told of, with its words" \
    says '^gshrun: --mps: the MPS daemon does not start: no permission to start$'
ok "the job does not run" eval '! says ran'
ok "and the status is 126" is "$status" 126
ok "nothing is left" cleans
if ! command -v nvidia-cuda-mps-control >/dev/null; then
    run gshrun --mps -n 2 echo ran
    ok "without MPS gshrun says where it comes from" \
        says '^gshrun: --mps: there is no nvidia-cuda-mps-control in PATH; it comes with'
fi
finish
