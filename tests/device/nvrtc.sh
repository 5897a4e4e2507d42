# NVRTC compiles kernels with our headers and those of CUDA, at the levels of C++ that these
# take, for each GPU from sm_75 on.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

command -v nvcc >/dev/null || skip_all "there is no nvcc"
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
ls "$cuda"/lib64/libnvrtc.so >/dev/null 2>&1 || skip_all "there is no NVRTC beside nvcc"

run nvcc -std=c++17 -arch=sm_80 -I"$GSH_BUILD/include" -L"$GSH_BUILD/lib" -lgshmem -lnvrtc \
    -Xlinker -rpath="$GSH_BUILD/lib" -Xlinker -rpath="$cuda/lib64" -o nvrtc \
    "$GSH_SOURCE/tests/gpu/nvrtc.cu"
ok "the test for GPUs compiles" [ "$status" -eq 0 ]
export GSH_TEST_INCLUDE="$GSH_BUILD/include:$cuda/include:$cuda/include/cccl"
for target in 75:17 80:17 90:20 100:20; do
    GSH_TEST_TARGET=$target run gshrun -n 1 ./nvrtc
    ok "for sm_${target%:*}, C++${target#*:}" says '^ok 1 - NVRTC compiles'
done
finish
