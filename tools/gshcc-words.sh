# gshcc-words.sh - a part of gshcc: "$@" becomes what a host compiler understands. Options
# that only matter for GPUs are left out, with a note under -v; the others that only nvcc
# has are translated. Folders with CUDA's own headers are looked into last, for what the
# CPU device does not have.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086

verbose=no
for word; do
    case $word in
    -v | --show | -show) verbose=yes ;;
    esac
done

# The words for it, if any, in place of --default-stream=KIND.
default_stream() {
    case $1 in
    per-thread) given=-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1 ;;
    legacy | null) ;;
    *) die "--default-stream: $1 is none of legacy, null and per-thread" ;;
    esac
}

leave_out() {
    [ $verbose = no ] || echo "$me: left out, as it is for GPUs: $*" >&2
}

of_cuda() { [ -f "$1/cuda_runtime_api.h" ]; }

# "a,b c" in place of the word -Xcompiler.
for_compiler() {
    given=$(printf %s "$1" | tr ',' ' ')
}

n=$#
while [ "$n" -gt 0 ]; do
    word=$1
    shift
    n=$((n - 1))
    given=''
    case $word in
    -o | -x | -I | -L | -D | -U | -include | -isystem | -iquote | -idirafter | -MF | -MT | -MQ | -Xlinker)
        [ "$n" -eq 0 ] || [ "$word" != -I ] || ! of_cuda "$1" || word=-idirafter
        set -- "$@" "$word"
        [ "$n" -gt 0 ] || continue
        word=$1
        shift
        n=$((n - 1))
        ;;
    -I*)
        if of_cuda "${word#-I}"; then
            set -- "$@" -idirafter
            word=${word#-I}
        fi
        ;;
    -arch | -code | -gencode | --generate-code | --gpu-architecture | --gpu-code | -rdc | \
        --relocatable-device-code | -maxrregcount | --maxrregcount | -cudart | --cudart | \
        -Xptxas | --ptxas-options | -Xcudafe | --cudafe-options | -Xnvlink | --nvlink-options | \
        -Xfatbin | --fatbin-options | -diag-suppress | --diag-suppress | \
        -t | --threads)
        leave_out "$word" "${1-}"
        [ "$n" -eq 0 ] || shift
        [ "$n" -eq 0 ] || n=$((n - 1))
        continue
        ;;
    -arch=* | -code=* | -gencode=* | --generate-code=* | --gpu-architecture=* | --gpu-code=* | \
        -rdc=* | --relocatable-device-code=* | -maxrregcount=* | --maxrregcount=* | -cudart=* | \
        --cudart=* | -Xptxas=* | --ptxas-options=* | -Xcudafe=* | --cudafe-options=* | \
        -Xnvlink=* | --nvlink-options=* | -Xfatbin=* | --fatbin-options=* | -diag-suppress=* | \
        --diag-suppress=* | -t=* | --threads=* | -t[0-9]* | \
        -lineinfo | --generate-line-info | -use_fast_math | --use_fast_math | -ftz=* | --ftz=* | \
        -fmad=* | --fmad=* | -prec-div=* | --prec-div=* | -prec-sqrt=* | --prec-sqrt=* | \
        -expt-* | --expt-* | -extended-lambda | --extended-lambda | -res-usage | \
        --resource-usage | -restrict | --restrict | -Wno-deprecated-gpu-targets | \
        -forward-unknown-* | --forward-unknown-* | -split-compile=* | --split-compile=* | \
        -extra-device-vectorization | --extra-device-vectorization)
        leave_out "$word"
        continue
        ;;
    -lcudart | -lcudart_static | -lcudadevrt | -lcuda | -lnvidia-ml)
        # The CPU device has its own, which is linked anyway.
        if [ $kernels = cpu ]; then
            leave_out "$word"
            continue
        fi
        ;;
    -dc | --device-c | --compile) word=-c ;;
    -dw | -dlink | --device-link)
        die "$word: the CPU device has no device code to link; leave this step out"
        ;;
    -G | --device-debug) word=-g ;;
    -default-stream=* | --default-stream=*)
        default_stream "${word#*=}"
        [ -n "$given" ] || continue
        ;;
    -default-stream | --default-stream)
        [ "$n" -gt 0 ] || die "$word: which one?"
        default_stream "$1"
        shift
        n=$((n - 1))
        [ -n "$given" ] || continue
        ;;
    -ccbin=* | --compiler-bindir=*)
        CXX=${word#*=}
        continue
        ;;
    -ccbin | --compiler-bindir)
        [ "$n" -gt 0 ] || die "$word: which compiler?"
        CXX=$1
        shift
        n=$((n - 1))
        continue
        ;;
    -Xcompiler=* | --compiler-options=*) for_compiler "${word#*=}" ;;
    -Xcompiler | --compiler-options)
        [ "$n" -gt 0 ] || die "$word: which option?"
        for_compiler "$1"
        shift
        n=$((n - 1))
        ;;
    esac
    if [ -n "$given" ]; then
        set -- "$@" $given
    else
        set -- "$@" "$word"
    fi
done
