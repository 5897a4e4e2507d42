# gshinfo shows the build, what can be used here and why not, and where the value of
# each variable comes from.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# shows FACT PATTERN COMMAND...: it ends with $want, and a line has the pattern.
shows() {
    fact=$1 pattern=$2
    shift 2
    run "$@"
    ok "$fact" both
}

both() {
    is "$status" "$want" && says "$pattern"
}

want=0
shows "-b names the version" '^  version +gshmem [0-9.]+$' gshinfo -b
shows "-b names the interface" 'NVSHMEM v3\.' gshinfo -b
shows "-t names the boot method of a lone PE" '^  single +usable' gshinfo -t
shows "-t says why a boot method is not used" '^  local +not used: .' gshinfo -t
shows "-t says why a transport is not used" '^  p2p +not used: .*NVSHMEM_DISABLE_P2P' \
    env NVSHMEM_DISABLE_P2P=1 gshinfo -t
shows "-t shows the cores" '^  cores +[1-9]' gshinfo -t
shows "-g says why there is no GPU, or for which CUDA the driver is" \
    '^  driver +(not used: .|.*for CUDA [0-9])' gshinfo -g
shows "-g shows what the CPU device pretends to be" '^  each +compute 9\.0, .* warps of 32' gshinfo -g
shows "under gshrun its boot method can be used" '^  local +usable' gshrun -n 1 gshinfo -t
shows "-e shows a default" '^  NVSHMEM_SYMMETRIC_SIZE=1G  \(default\)$' gshinfo -e
shows "-e shows a value from the environment" '^  NVSHMEM_SYMMETRIC_SIZE=2M  \(environment\)$' \
    env NVSHMEM_SYMMETRIC_SIZE=2M gshinfo -e
shows "a misspelt variable is told about" 'did you mean NVSHMEM_DEBUG\?' \
    env NVSHMEM_DEBG=1 gshinfo -e
shows "-a shows variables without effect" '^  NVSHMEM_QP_DEPTH$' gshinfo -a
shows "without options the environment is shown" '^environment$' gshinfo
shows "-h shows the usage" '^usage: gshinfo' gshinfo -h
want=1
shows "a bad value is an error, and all is shown" '^  NVSHMEM_MAX_TEAMS=many' \
    env NVSHMEM_MAX_TEAMS=many gshinfo -e
want=2
shows "an unknown option ends with 2" 'x' gshinfo -x
shows "an argument ends with 2" 'takes options only' gshinfo build
finish
