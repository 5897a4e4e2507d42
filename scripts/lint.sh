#!/bin/sh
# Layout of C files, mistakes in shell scripts, spelling. Shows all that is wrong.
# SPDX-License-Identifier: BSD-3-Clause
set -u
cd "$(dirname "$0")/.." || exit 1

files=$(mktemp)
trap 'rm -f "$files" "$files.sh"' EXIT
# Files under version control, and new ones that are not ignored.
git -c safe.directory='*' ls-files -co --exclude-standard | while read -r file; do
    [ -f "$file" ] && echo "$file"
done >"$files"
[ -s "$files" ] || { echo "lint.sh: needs a checkout with git" >&2; exit 1; }
status=0


# The rewriter's cases are laid out as nobody should.
grep -E '\.(c|h|cc|cpp|cu|cuh)$' "$files" | grep -v '^tests/cudacpu/rewrite/cases/' | xargs -d '\n' clang-format --dry-run -Werror || status=1

# Tests that read tests/tap.sh have no first line with the shell: they end with .sh.
while read -r file; do
    case $file:$(head -c 64 "$file" | tr -d '\000' | head -n 1) in
    *:'#!'*sh | *.sh:'#'*) echo "$file" ;;
    esac
done <"$files" >"$files.sh"
grep -v '\.sh$' "$files.sh" | xargs -d '\n' shellcheck || status=1
grep '\.sh$' "$files.sh" | xargs -d '\n' shellcheck -x -s sh || status=1

if command -v codespell >/dev/null; then
    grep -v '\.png$' "$files" | xargs -d '\n' codespell -L fro,iput,whats || status=1
else
    echo "lint.sh: no codespell, spelling is not looked at"
fi
exit $status
