# A call of CUDA that the CPU device does not have is an error of the compiler, which names it; what
# its headers declare is in its library.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >absent <<'END'
cudaArrayGetInfo cudaBindTexture cudaCreateSurfaceObject cudaCreateTextureObject
cudaDestroyTextureObject cudaDeviceGetGraphMemAttribute cudaExternalMemoryGetMappedBuffer
cudaGetTextureObjectResourceDesc cudaGraphAddChildGraphNode cudaGraphAddEventRecordNode
cudaGraphAddMemcpyNode cudaGraphClone cudaGraphExecKernelNodeSetParams cudaGraphicsMapResources
cudaImportExternalMemory cudaIpcGetEventHandle cudaIpcGetMemHandle cudaIpcOpenMemHandle
cudaLibraryLoadData cudaMalloc3D cudaMalloc3DArray cudaMallocArray cudaMemPoolCreate
cudaMemPoolExportToShareableHandle cudaMemRangeGetAttribute cudaMemcpy2DToArray cudaMemcpy3D
cudaMemcpy3DAsync cudaMemcpyBatchAsync cudaMemcpyToArray cudaMemset3D
cudaOccupancyMaxActiveClusters cudaStreamAttachMemAsync cudaStreamBeginCaptureToGraph
cudaStreamSetAttribute cudaThreadExchangeStreamCaptureMode cudaUserObjectCreate
cuCtxCreate cuLaunchKernel cuLinkCreate cuMemAddressReserve cuMemAlloc cuMemCreate cuMemMap
cuMemcpyHtoD cuModuleGetFunction cuModuleLoadData cuMulticastCreate cuStreamBatchMemOp
cuStreamCreate cuTensorMapEncodeTiled nvmlDeviceGetTemperature
END
tr ' ' '\n' <absent | sort >names
# A compiler may stop after 20 errors.
split -l 15 names part.
for part in part.*; do
    {
        printf '#include <cuda.h>\n#include <cuda_runtime.h>\n#include <nvml.h>\n'
        sed 's/.*/void f_&() { &(); }/' "$part"
    } >calls.cu
    run gshcc --target=cpu -fsyntax-only calls.cu
    cat out >>errors
done
while read -r name; do
    ok "$name: the compiler names it" \
        grep -Eq "^calls\.cu:.*error: (.*[^a-zA-Z]${name}[^a-zA-Z0-9]+ was not declared|.*undeclared.* '$name')" errors
done <names

# C has no templates: what its headers declare has to be there.
for header in cuda.h cuda_runtime_api.h cuda_profiler_api.h nvml.h; do
    echo "#include <$header>"
done >declared.c
gcc -E -P "-I$GSH_BUILD/include" "-I$GSH_BUILD/include/gshmem/cpu" declared.c |
    grep -oE '\b(cu[A-Z]|cuda[A-Z]|nvml[A-Z])[A-Za-z0-9_]*\(' | tr -d '(' | sort -u >declared
nm -D --defined-only "$GSH_BUILD/lib/libgshcudart.so" | sed 's/.* //' | sort >defined
ok "the headers declare calls" test "$(wc -l <declared)" -gt 140
comm -23 declared defined >out
ok "all of which the library has" silent
finish
