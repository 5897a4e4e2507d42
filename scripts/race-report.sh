#!/bin/sh
# usage: race-report.sh FILE.cu CASE - compiles a program of tests/race, plants the fault of the
# case, and prints what a terminal would show, with the two lines that the report names. With
# scripts/picture.py it makes the pictures of docs/races.md.
# SPDX-License-Identifier: BSD-3-Clause
set -eu

name=$(basename "$1" .cu)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gshcc --target=cpu --race -O2 "$1" -o "$folder/$name"
GSHMEM_CHECK=race timeout 60 gshrun -n 2 "$folder/$name" "$2" wrong >"$folder/out" 2>&1 || :

echo "\$ gshcc --race $name.cu -o $name"
echo "\$ GSHMEM_CHECK=race gshrun -n 2 ./$name $2 wrong"
grep -v '^gshrun: ' "$folder/out"
echo
sed -n "s/^    .* at $name\.cu:\([0-9]*\);.*/\1/p" "$folder/out" | sort -nu | while read -r line; do
    echo "  > $name.cu:$line  $(sed -n "${line}{s,^ *,,; s, *//.*,,; p}" "$1")"
done
