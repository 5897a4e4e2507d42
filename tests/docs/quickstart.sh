# The programs in the quick starts and on the page about the CPU device compile, and the commands
# there work in the order in which they stand; those that are marked with "fails" fail and say
# why. The links of all pages lead somewhere.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

export GSHMEM_PREFIX="$GSH_BUILD" PKG_CONFIG_PATH="$GSH_BUILD/lib/pkgconfig"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

# take FILE: a program is named in its first line; the commands go to the file commands.
take() {
    awk '
        /^```/ { kind = kind ? "" : substr($0, 4); file = ""; next }
        (kind == "c" || kind == "cuda") && !file { file = $2 }
        kind == "cmake" { file = "CMakeLists.txt" }
        kind == "sh" { file = "commands" }
        kind && file { print >file }
    ' "$1"
}

# explained: it failed, but for a reason that it gave.
explained() { [ "$status" -ne 0 ] && [ "$status" -lt 124 ] && says 'PE [0-9]'; }

for start in from-nvshmem from-openshmem cpu-device; do
    rm -rf work && mkdir work && cd work || exit 1
    take "$GSH_SOURCE/docs/$start.md"
    ok "$start has commands" test -s commands
    while read -r command; do
        case $command in
        mpirun.* | mpiexec.* | gdb*) command -v "${command%% *}" >/dev/null || continue ;;
        esac
        run timeout 60 sh -c "$command"
        case $command in
        *'# fails') ok "$start: $command" explained ;;
        *) ok "$start: $command" is "$status" 0 ;;
        esac
    done <commands
    cd ..
done

for file in "$GSH_SOURCE"/docs/*.md; do
    grep -oE '\]\([^)#:]+\)' "$file" | sed 's/](\(.*\))/\1/' | sort -u >links
    while read -r path; do
        ok "docs/$(basename "$file"): $path is there" test -e "$GSH_SOURCE/docs/$path"
    done <links
done
finish
