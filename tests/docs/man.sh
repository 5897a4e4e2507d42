# Every function of the interface and every command has a man page, found under its own name and
# without its type; the pages have their sections, are laid out without warnings, and the programs
# in them run.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

man=$GSH_BUILD/share/man
[ -d "$man" ] || skip_all "no man pages were made (Debian: python3)"

grep -hv '^#' "$GSH_SOURCE"/tests/api/*symbols.txt "$GSH_SOURCE"/tests/api/extensions.txt \
    "$GSH_SOURCE"/tests/device/names.txt |
    cut -d'|' -f2 | sort -u >functions
# Names without a type that a reader would look for.
cat >generic <<'END'
nvshmem_put
nvshmem_get_nbi
nvshmem_p
nvshmem_iput
nvshmem_atomic_fetch_add
nvshmem_put_signal
nvshmem_wait_until_any_vector
nvshmem_test
nvshmem_broadcast
nvshmem_fcollect
nvshmem_sum_reduce
nvshmem_max_reducescatter
nvshmem_sync
nvshmemx_put_block
nvshmemx_sum_reduce_warp
nvshmemx_qp_put
nvshmemx_tma_load
nvshmemx_collective_launch
nvshmemx_collective_launch_query_gridsize
tile_put
tile_allgather_block
nvshmemx_last_error
shmem_put
shmem_ctx_put
shmem_g
shmem_ibget
shmem_atomic_swap_nbi
shmem_collect
shmem_alltoalls
shmem_sum_inscan
shmem_sum_to_all
END

# missing SECTION LIST: the names in the list without a page; a broken link is none.
missing() {
    while read -r name; do
        [ -s "$man/man$1/$name.$1" ] || echo "no page: $name"
    done <"$2" >out
    silent
}

ok "the lists have functions" [ "$(wc -l <functions)" -gt 3000 ]
ok "each of the $(wc -l <functions) functions has a page" missing 3 functions
ok "so have the names without a type" missing 3 generic
find "$GSH_BUILD/bin" -name 'gsh[cir]*' -o -name 'osh*' -o -name 'gshc++' | sed 's|.*/||' >commands
ok "there are commands" [ "$(wc -l <commands)" -ge 7 ]
ok "each command has a page" missing 1 commands

# A page says what it is about in the sections that a reader expects.
lacks() {
    for page in "$man"/man3/*.3; do
        [ -L "$page" ] && continue
        for section in NAME SYNOPSIS DESCRIPTION 'RETURN VALUE' ERRORS NOTES 'SEE ALSO'; do
            grep -qx ".SH $section" "$page" || echo "$(basename "$page") lacks $section"
        done
    done >out
    silent
}
ok "the pages of functions have all sections" lacks

# A page that is a link to another one is that one.
find "$man" -type f >pages
grep -ohE '\*\*[a-z_]+\*\*\([137]\)' "$GSH_SOURCE"/man/*.md | tr -d '*' | sort -u >references
dangling() {
    while IFS='()' read -r name section _; do
        [ -s "$man/man$section/$name.$section" ] || echo "no page: $name($section)"
    done <references >out
    silent
}
ok "every page that SEE ALSO names is there" dangling
xargs grep -lE '`|GSH_[A-Z]+_TYPES|##' <pages >out
ok "no mark of the sources is left in a page" silent

run "$GSH_SOURCE/man/make.py" "$GSH_SOURCE" "$GSH_BUILD/include" 0 again
ok "they can be made anew, without a word" is "$status $(cat out)" "0 "

if command -v man >/dev/null; then
    while read -r page; do
        man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null | sed "s|^|$(basename "$page"): |"
    done <pages >out
    ok "man lays them out without warnings" silent
    run cmake --install "$GSH_BUILD" --prefix "$PWD/place"
    ok "they are installed" is "$status" 0
    man=$PWD/place/share/man
    run man -M "$man" -w nvshmem_float_put shmem_put shmem_ctx_int_atomic_add oshrun gshmem
    ok "man finds pages under the names of functions and commands" is "$status" 0
    MANWIDTH=80 man -M "$man" shmem_sum_reduce >out 2>&1
    ok "and shows them" says 'int shmem_float_sum_reduce\(shmem_team_t team'
fi
if command -v mandoc >/dev/null; then
    # A date would make every build another one.
    xargs mandoc -T lint -W warning <pages 2>&1 | grep -v 'missing date' >out
    ok "mandoc finds no mistake in them" silent
fi

# programs PAGE: the blocks of C in it as a file each.
programs() {
    awk -v base="$(basename "$1" .md)" '/^```c$/ { file = base "_" ++n ".c"; next }
        /^```$/ { file = "" } file { print >file }' "$1"
}
for page in "$GSH_SOURCE"/man/*.3.md; do
    programs "$page"
done
for file in *.c; do
    run gshcc -Wall -Wextra -Werror "$file" -o example
    ok "$(basename "$file" .c) compiles" is "$status" 0
    # The one with a unique id is a job of one PE by itself.
    run gshrun -n "$(case $file in *init_attr*) echo 1 ;; *) echo 3 ;; esac)" --timeout 30 ./example
    ok "$(basename "$file" .c) runs" is "$status" 0
done
finish
