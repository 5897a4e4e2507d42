/* bind.cuh - makes the library know each unit that has kernels: an object of the unit that
 * registers itself before main() and takes itself back at the end, or when the shared
 * library that it is in is closed. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_IMPL_BIND_CUH
#define GSHMEM_IMPL_BIND_CUH

#include <gshmem/impl/arch.cuh>
#include <gshmem/impl/bind.h>

#ifndef __CUDA_ARCH__
namespace gsh_impl {
namespace {

#ifdef GSHMEM_TARGET_CPU
int (*const upload)(const gsh_device_state *) = nullptr;
#else
int upload(const gsh_device_state *state)
{
    return cudaMemcpyToSymbol(gsh_device_state_d, state, sizeof(*state));
}
#endif

struct binding {
    gsh_device_unit unit;

    binding() : unit{ GSH_DEVICE_STATE_VERSION, sizeof(gsh_device_state), upload, nullptr }
    {
        gsh_device_register(&unit);
    }
    ~binding() { gsh_device_unregister(&unit); }
} bound;

} // namespace
} // namespace gsh_impl
#endif

#endif /* GSHMEM_IMPL_BIND_CUH */
