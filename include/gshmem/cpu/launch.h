/* launch.h - kernels and launches for the CPU device: what the code that gshcu writes calls.
 *
 * A launch pushes its configuration and calls the kernel; the kernel, which sees that it
 * does not run on the device, takes the configuration, copies its arguments and enqueues
 * itself. Each thread of the grid then calls it with its own copies. The library knows
 * all kernels by their address, for launches that only have that.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_LAUNCH_H
#define GSHMEM_CPU_LAUNCH_H

#include <cuda_runtime.h>
#include <gshmem/cpu/kernel.h>
#include <gshmem/cpu/ptx.h>

GSH_BEGIN_C

/* Puts a grid into a stream. The arguments of the grid now belong to the stream, also when
 * this fails; they are released after the grid has ended. */
GSH_API cudaError_t gsh_cuda_enqueue(const struct gsh_cpu_grid *grid, void (*release)(void *args),
                                     cudaStream_t stream);

GSH_END_C

#ifdef __cplusplus
#include <tuple>
#include <type_traits>
#include <utility>

namespace gsh_cuda {

/* Lives as long as the expression of the launch. */
class config {
  public:
    config(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr)
        : values{ { grid.x, grid.y, grid.z },
                  { block.x, block.y, block.z },
                  shared_bytes,
                  stream,
                  nullptr }
    {
        gsh_cuda_configure(&values);
    }
    ~config() { gsh_cuda_unconfigure(&values); }
    config(const config &) = delete;
    config &operator=(const config &) = delete;

  private:
    gsh_cuda_config values;
};

/* F is the type of the pointer f to a kernel; Name::name() is how messages call it. */
template <class F, F f, class Name> class kernel;

template <class... P, void (*f)(P...), class Name> class kernel<void (*)(P...), f, Name> {
    typedef std::tuple<P...> packed;

    struct registration {
        gsh_cuda_kernel_info info;

        registration()
            : info{ Name::name(), reinterpret_cast<const void *>(f),
                    sizeof...(P), sizes(),
                    pack,         run,
                    release,      nullptr }
        {
            gsh_cuda_add_kernel(&info);
        }
        ~registration() { gsh_cuda_remove_kernel(&info); }
    };

    static registration registered;

    static const size_t *sizes()
    {
        static const size_t all[] = { sizeof(P)..., 0 };
        return all;
    }

    template <size_t... I> static void *pack_each(void **pointers, std::index_sequence<I...>)
    {
        (void)pointers;
        return new packed(*static_cast<std::remove_reference_t<P> *>(pointers[I])...);
    }

    static void *pack(void **pointers)
    {
        return pack_each(pointers, std::index_sequence_for<P...>());
    }

    template <size_t... I> static void call(const packed &arguments, std::index_sequence<I...>)
    {
        (void)arguments;
        f(std::get<I>(arguments)...);
    }

    static void run(void *arguments)
    {
        call(*static_cast<const packed *>(arguments), std::index_sequence_for<P...>());
    }

    static void release(void *arguments) { delete static_cast<packed *>(arguments); }

  public:
    template <class... A> static void launch(A &...arguments)
    {
        const gsh_cuda_kernel_info &info = registered.info;
        const gsh_cuda_config *with = gsh_cuda_configured(info.name);
        gsh_cpu_grid grid = { info.name,  run,         new packed(arguments...),
                              with->grid, with->block, with->shared_bytes,
                              0 };
        gsh_cuda_enqueue(&grid, release, with->stream);
    }
};

template <class... P, void (*f)(P...), class Name>
typename kernel<void (*)(P...), f, Name>::registration kernel<void (*)(P...), f, Name>::registered;

/* The dynamic shared memory of the block, as a T. */
template <class T> T &dynamic_shared()
{
    return *static_cast<T *>(gsh_cpu_dynamic_shared());
}

} // namespace gsh_cuda
#endif

#endif /* GSHMEM_CPU_LAUNCH_H */
