# gshinfo -g shows GPUs, how they reach each other, and MPS: here those of a pretended driver.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# with [NAME=VALUE]...: gshinfo -g on the pretended GPUs.
with() { run env LD_LIBRARY_PATH="$GSH_BUILD/test/fake" "$@" gshinfo -g; }

with FAKE_NVLINK='0-1:4 2-3:2' FAKE_NO_PEER='0-3'
ok "it ends with 0" is "$status" 0
ok "it shows the driver and its CUDA" says '^  driver +580\.00, for CUDA 13\.0$'
ok "each GPU" says '^  GPU 3 +Pretended GPU, 0000:04:00\.0, GPU-'
ok "what CUDA says of it" says '^  device 3 .*, compute 9\.0, 132 multiprocessors, 512 MiB, 3 copy engines$'
ok "NVLinks of a pair" says '^  from 0 +- +NV4 +PCI +no'
ok "pairs without NVLink" says 'peer access over PCIe, which has no atomics: 0-2 1-2 1-3$'
ok "and pairs without access, with the reason" says '^  no .*on parts of the PCI bus .*: 0-3$'
ok "no MPS daemon is told of" says '^  MPS +no daemon serves in '
with FAKE_NVLINK=switch:18
ok "links through switches" says '^  from 2 +NV18 NV18 - +NV18'
with CUDA_VISIBLE_DEVICES=1
ok "a GPU that CUDA_VISIBLE_DEVICES hides is listed" says '^  GPU 3 '
ok "but is no device" eval '! says "^  device 1 "'
with FAKE_CUDA=10020
ok "a driver that is too old is named with both versions" \
    says 'driver +not used: .* for CUDA 10\.2, and 11\.2 or newer'
with FAKE_MIG=1
ok "MIG is shown" says '^  GPU 0 .*, divided into MIG instances'
mkdir mps
echo $$ >mps/nvidia-cuda-mps-control.pid
with CUDA_MPS_PIPE_DIRECTORY="$PWD/mps" CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25
ok "an MPS daemon is named" says "^  MPS .*\\(pid $$\\) serves in .*, thread percentage 25"
finish
