#!/bin/sh
# Makes a build tree usable for sources that were moved or copied together with it:
# CMake refuses one that was configured in another place.
#
#   scripts/fresh.sh BUILD_TREE
# SPDX-License-Identifier: BSD-3-Clause
set -eu

same() { [ "$(cd "$1" 2>/dev/null && pwd -P)" = "$(cd "$2" && pwd -P)" ]; }

cache=$1/CMakeCache.txt
[ -f "$cache" ] || exit 0
home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
place=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$cache")
if same "$home" . && same "$place" "$1"; then
    exit 0
fi
echo "$1 was configured as $place for the sources in $home: configuring anew"
rm -rf "$cache" "$1/CMakeFiles"
