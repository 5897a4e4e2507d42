# gshcc-nvcc.sh - a part of gshcc: calls nvcc with "$@", and does not return. Host options
# that nvcc does not know go to the host compiler.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086

has_nvcc ||
    die "--target=cuda needs nvcc: put it into PATH, or its path into NVCC; --target=cpu needs none"

arch=no
n=$#
while [ "$n" -gt 0 ]; do
    word=$1
    shift
    n=$((n - 1))
    case $word in
    -arch* | -gencode* | --gpu-architecture* | --generate-code*) arch=yes ;;
    -Wl,*)
        set -- "$@" -Xlinker
        word=${word#-Wl,}
        ;;
    -std=gnu++*) word=-std=c++${word#-std=gnu++} ;;
    esac
    set -- "$@" "$word"
done

[ $arch = yes ] || [ ! -e /dev/nvidiactl ] || set -- -arch=native "$@"
set -- -forward-unknown-to-host-compiler "$@" "-I$prefix/include"
[ $link = no ] || set -- "$@" "-L$prefix/lib" -Xlinker "-rpath,$prefix/lib" -lgshmem
set -- ${NVCC:-nvcc} "$@"

[ $print = no ] || show "$@"
[ $run = no ] || exec "$@"
exit 0
