# docs/environment.md is what `gshinfo --markdown` writes.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

gshinfo --markdown >written
run diff -u "$GSH_SOURCE/docs/environment.md" written
ok "docs/environment.md has all variables of this build" is "$status" 0
failed && echo "# bring it up to date with: build/bin/gshinfo --markdown >docs/environment.md"
finish
