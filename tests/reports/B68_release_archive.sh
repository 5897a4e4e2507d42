# B68: what is in the repository is all that a build needs.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

git -C "$GSH_SOURCE" rev-parse HEAD >/dev/null 2>&1 || skip_all "not a git checkout"
git -C "$GSH_SOURCE" ls-files -z | (cd "$GSH_SOURCE" && xargs -0 tar c --ignore-failed-read) | tar x
run cmake -S . -B build -G Ninja
ok "the tracked files configure" is "$status" 0
run ninja -C build
ok "and build" is "$status" 0
ok "the library is there" test -e build/lib/libgshmem.so
finish
