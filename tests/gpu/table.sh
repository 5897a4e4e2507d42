# tests/gpu/run tabulates what it ran on the GPUs of the machine, as many as there are, and says
# what it skipped and why. Compiler, GPUs and MPS are pretended here.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

mkdir bin
cat >bin/nvcc <<'S'
#!/bin/sh
# Makes a program that passes, or for sources of these names one that does not.
while [ $# -gt 0 ]; do
    [ "$1" != -o ] || out=$2
    source=$1
    shift
done
[ -n "${out-}" ] || exit 0
case $source in
*/tile.cu) echo "tile.cu: error: it does not compile" && exit 1 ;;
*/team.cu) line='not ok 1 - it works' ;;
*) line='ok 1 - it works' ;;
esac
printf '#!/bin/sh\necho "%s"\n' "$line" >"$out"
chmod +x "$out"
S
printf '#!/bin/sh\necho "Pretended GPU, 580.00"\n' >bin/nvidia-smi
printf '#!/bin/sh\n[ -n "${1-}" ] || read -r _\n' >bin/nvidia-cuda-mps-control
chmod +x bin/*

# with [NAME=VALUE]... COMMAND...: on the pretended GPUs.
with() { run env PATH="$PWD/bin:$PATH" LD_LIBRARY_PATH="$GSH_BUILD/test/fake" "$@"; }
on_gpus="$GSH_SOURCE/tests/gpu/run"

with FAKE_GPUS=1 "$on_gpus" -k device/t
ok "one GPU is shared by 2 PEs, by 4 and 8" says '^FAIL  device/team +8 PEs  mps '
ok "a failed fact is shown" says '^ +\| not ok 1 - it works'
ok "what does not compile fails, with the compiler's words" says '^ +\| tile.cu: error'
ok "it ends with the sums" says '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'
ok "and with 1 when something failed" is "$status" 1
with FAKE_GPUS=3 "$on_gpus" -k moves
ok "on several GPUs there is one PE for each" says '^pass  stream/moves +3 PEs  none '
ok "and two for each, through MPS" says '^pass  stream/moves +6 PEs  mps '
ok "and some programs by time slices" says '^pass  stream/moves +6 PEs  time '
ok "and it ends with 0" is "$status" 0
with FAKE_GPUS=1 "$on_gpus" -k big_grid
ok "what does not fit on a GPU is skipped, with the reason" \
    says '^skip  device/big_grid: 4 PEs are more than 2 on one GPU$'
with FAKE_GPUS=1 "$on_gpus" -k device/checks
ok "so is what cannot be run there" says '^skip  device/checks: makes mistakes on purpose'
rm bin/nvidia-cuda-mps-control
if ! command -v nvidia-cuda-mps-control >/dev/null; then
    with FAKE_GPUS=1 "$on_gpus" -k moves
    ok "without MPS that is skipped, with the reason" says '^skip  MPS: there is no nvidia-cuda-mps'
    ok "and PEs share the GPU by time slices" says '^pass  stream/moves +8 PEs  time '
fi
with FAKE_CUDA=11000 "$on_gpus"
ok "without a driver that can be used all is skipped, and says why" \
    says '^skipped: the CUDA driver is too old'
ok "and it ends with 77" is "$status" 77
finish
