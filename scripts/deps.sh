#!/bin/sh
# Installs the Debian packages that are missing for the sets given as arguments,
# out of the table in docs/dependencies.md. Says nothing when all is there.
# SPDX-License-Identifier: BSD-3-Clause
set -eu

table=$(dirname "$0")/../docs/dependencies.md

missing=
for set in "$@"; do
    packages=$(awk -F'[| ]+' -v set="$set" '$1 == "" && $3 == set { print $2 }' "$table")
    [ -n "$packages" ] || { echo "deps.sh: no set named '$set' in $table" >&2; exit 2; }
    for package in $packages; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
        [ "$state" = installed ] || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "These Debian packages are missing, and this is no Debian:$missing" >&2
    echo "Install what your system has in their place; $table says what each is for." >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "These packages are missing:$missing" >&2
    echo "Only root can install them:" >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of words
install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}
echo "Installing:$missing"
# A package list may be absent or out of date: then fetch it, once.
if ! install >"$log" 2>&1 </dev/null &&
    ! { apt-get update && install; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "These packages could not be installed:$missing" >&2
    exit 1
fi
