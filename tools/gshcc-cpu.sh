# gshcc-cpu.sh - a part of gshcc: compiles "$@", in which there are CUDA sources, for the
# CPU device, and does not return.
#
# A CUDA source is preprocessed, rewritten by gshcu and compiled; C and C++ sources beside it
# are compiled by gshcc itself; what is left is linked. Lists of words are kept quoted, for
# eval; $compiler may hold options. $print, $race, $run, $link, $prefix and the functions come from gshcc.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2046

compiler=${CXX:-c++}
gshcu=$parts/gshcu
include=$prefix/include

# Options for all steps of the compiler; only for the preprocessor; for the linker, which
# also has the objects in their order. Sources as pairs of language and file.
options='' preprocess='' linker='' sources=''
stage=-c output='' depfile='' depend=no target_given=no standard=no language='' n_sources=0

add() { eval "$1=\"\$$1 \$(quote \"\$2\")\""; }

# A source. When it is linked, its object has the place of the source.
source_file() {
    n_sources=$((n_sources + 1))
    add sources "$1"
    add sources "$2"
    linker="$linker \"\$folder/$n_sources.o\""
}

input_file() {
    case $language:$1 in
    cu:* | :*.cu) source_file cu "$1" ;;
    :*.c) source_file c "$1" ;;
    :*.cc | :*.cpp | :*.cxx | :*.C | :*.c++) source_file c++ "$1" ;;
    :*) add linker "$1" ;;
    *) source_file "$language" "$1" ;;
    esac
}

# An option with a word behind it.
pair() {
    case $1 in
    -o) output=$2 ;;
    -x) language=${2#none} ;;
    -MF) depfile=$2 ;;
    -MT | -MQ)
        target_given=yes
        add preprocess "$1"
        add preprocess "$2"
        ;;
    -L | -Xlinker)
        add linker "$1"
        add linker "$2"
        ;;
    *)
        add preprocess "$1"
        add preprocess "$2"
        ;;
    esac
}

single() {
    case $1 in
    -c | -E | -S | -fsyntax-only | -M | -MM) stage=$1 ;;
    -xcu | -x=cu) language=cu ;;
    -o?*) output=${1#-o} ;;
    -MD | -MMD)
        depend=yes
        add preprocess "$1"
        ;;
    -I* | -D* | -U* | -isystem?* | -MP | -MG) add preprocess "$1" ;;
    -L* | -l* | -Wl,* | -shared | -static | -static-* | -rdynamic | -pie | -no-pie) add linker "$1" ;;
    -std=* | --std=*)
        standard=yes
        add options "$1"
        ;;
    -?*) add options "$1" ;;
    *) input_file "$1" ;;
    esac
}

while [ $# -gt 0 ]; do
    case $1 in
    -o | -x | -I | -L | -D | -U | -include | -isystem | -iquote | -idirafter | -MF | -MT | -MQ | -Xlinker)
        [ $# -gt 1 ] || die "$1: a word is missing behind it"
        pair "$1" "$2"
        shift
        ;;
    *) single "$1" ;;
    esac
    shift
done
[ $link = yes ] || [ $n_sources -gt 0 ] || die "no input files; $me --help shows how"
[ $link = yes ] || [ $n_sources -le 1 ] || [ -z "$output" ] || die "-o with $stage and several files"

folder=${TMPDIR:-/tmp}/gshcc
if [ $run = yes ]; then
    folder=$(mktemp -d "$folder.XXXXXX") || exit 1
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' HUP INT TERM
fi

# instrument COMPILER: its options for the race checker, and such that keep the lines of
# calls. The linker has none of them: a sanitizer's library would come in, whose place
# libgshrace takes.
instrument() {
    [ $race = yes ] || return 0
    if $1 --version | grep -q clang; then
        echo "-g -fno-optimize-sibling-calls -fsanitize=thread -mllvm -tsan-distinguish-volatile=1" \
            "-mllvm -tsan-instrument-func-entry-exit=0"
    else
        echo "-g -fno-optimize-sibling-calls -fno-tree-tail-merge -fno-crossjumping" \
            "-fsanitize=thread --param=tsan-distinguish-volatile=1" \
            "--param=tsan-instrument-func-entry-exit=0 -Wno-tsan"
    fi
}

do_it() {
    [ $print = no ] || show "$@"
    [ $run = no ] || "$@" || exit
}

# preprocessor SOURCE OBJECT: our folders come last, as they have names that programs may
# use for headers of their own.
preprocessor() {
    eval "set -- \"\$1\" \"\$2\" $options $preprocess"
    source=$1 object=$2
    shift 2
    [ $standard = yes ] || set -- -std=gnu++17 "$@"
    [ -z "$depfile" ] || set -- "$@" -MF "$depfile"
    if [ $depend = yes ]; then
        [ -n "$depfile" ] || set -- "$@" -MF "${object%.*}.d"
        [ $target_given = yes ] || set -- "$@" -MQ "$object"
    fi
    set -- -D__CUDACC__=1 -DGSHMEM_TARGET_CPU=1 -DGSHMEM_REWRITE=1 \
        -include "$include/gshmem/cpu/cuda_runtime.h" "$@" "-I$include" "-I$include/gshmem/cpu" \
        -x c++ "$source"
    [ $race = no ] || set -- -DGSHMEM_RACE=1 "$@"
    case $stage in
    -M | -MM) set -- "$stage" "$@" ${output:+-o "$output"} ;;
    *) set -- -E "$@" -o "$folder/in.ii" ;;
    esac
    do_it $compiler "$@"
}

# cuda SOURCE OBJECT NAME: NAME is what the object is called in depfiles.
cuda() {
    preprocessor "$1" "$3"
    case $stage in
    -M | -MM) return ;;
    -E)
        do_it "$gshcu" "$folder/in.ii" "${output:-/dev/stdout}"
        return
        ;;
    esac
    do_it "$gshcu" "$folder/in.ii" "$folder/out.ii"
    object=$2
    eval "set -- $options"
    [ $standard = yes ] || set -- -std=gnu++17 "$@"
    [ "$stage" = -fsyntax-only ] || set -- "$@" -o "$object"
    do_it $compiler "$@" $(instrument "$compiler") "$stage" -x c++-cpp-output "$folder/out.ii"
}

# host LANGUAGE SOURCE OBJECT: by gshcc itself.
host() {
    language=$1 source=$2 object=$3
    eval "set -- $options $preprocess"
    [ $print = no ] || set -- -v "$@"
    [ $run = yes ] || set -- --show "$@"
    [ "$stage" = -fsyntax-only ] || set -- "$@" -o "$object"
    [ -z "$depfile" ] || set -- "$@" -MF "$depfile"
    case $language in
    c) extra=$(instrument "${CC:-cc}") ;;
    *) extra=$(instrument "$compiler") ;;
    esac
    "$0" --target=cpu "$@" $extra "$stage" -x "$language" "$source" || exit
}

# Where the object of the source goes when it is not linked.
place() {
    name=${1##*/}
    case $stage in
    -S) object=${output:-${name%.*}.s} ;;
    *) object=${output:-${name%.*}.o} ;;
    esac
    called=$object
}

eval "set -- $sources"
i=0
while [ $# -gt 0 ]; do
    i=$((i + 1))
    place "$2"
    if [ $link = yes ]; then
        object=$folder/$i.o called=${2##*/}
        called=${called%.*}.o
    fi
    case $1 in
    cu) cuda "$2" "$object" "$called" ;;
    *) host "$1" "$2" "$object" ;;
    esac
    shift 2
done

if [ $link = yes ]; then
    eval "set -- $options $linker"
    [ -z "$output" ] || set -- "$@" -o "$output"
    set -- "$@" "-L$prefix/lib" "-Wl,-rpath,$prefix/lib"
    [ $race = no ] || set -- "$@" -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset -lgshrace
    do_it $compiler "$@" -lgshcudart -lgshmem
fi
exit 0
