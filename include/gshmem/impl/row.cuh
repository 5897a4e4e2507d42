/* row.cuh - what becomes of a row of the name lists (names.cuh).
 *
 *     GSH_ANY_ROW(ret, name, params, args, body)      a call of host and device
 *     GSH_DEVICE_ROW(ret, name, params, args, body)   a call of the device only
 *     GSH_SAME_ROW(ret, name, params, body)           a call of both, which the CPU device
 *                                                     leaves to the library: no row there
 *
 * CUDA: an inline function, whose body only the device pass sees. The host's function of
 * the same name is the library's; the header has declared it for both.
 *
 * CPU device: one source serves host and kernels, so that a name of both asks where it
 * is called. Its symbol must not be the library's: a first look at the list, before the
 * public headers declare the names, gives it a label of its own (GSH_ROWS_LABEL), and a
 * second one defines it. It is not inlined, so that its return address is the user's line.
 */
// SPDX-License-Identifier: BSD-3-Clause

#undef GSH_ANY_ROW
#undef GSH_DEVICE_ROW
#undef GSH_SAME_ROW

#if defined(GSH_ROWS_LABEL)
#define GSH_ANY_ROW(ret, name, params, args, ...) \
    extern "C" ret name params __asm__("gsh_device_" #name); \
    namespace gsh_host { \
    ret name params __asm__(#name); \
    }
#define GSH_DEVICE_ROW(ret, name, params, args, ...)
#define GSH_SAME_ROW(ret, name, params, ...)
#elif defined(GSHMEM_TARGET_CPU)
#define GSH_ANY_ROW(ret, name, params, args, ...) \
    extern "C" __attribute__((noinline)) inline ret name params \
    { \
        if (!gsh_cpu_fiber) { \
            gsh_impl::from_host in_call(__builtin_return_address(0)); \
            return gsh_host::name args; \
        } \
        gsh_impl::calling in_call(#name, __builtin_return_address(0)); \
        __VA_ARGS__; \
    }
#define GSH_DEVICE_ROW(ret, name, params, args, ...) \
    extern "C" __attribute__((noinline)) inline ret name params \
    { \
        gsh_impl::calling in_call(#name, __builtin_return_address(0)); \
        __VA_ARGS__; \
    }
#define GSH_SAME_ROW(ret, name, params, ...)
#elif defined(__CUDA_ARCH__)
#define GSH_ANY_ROW(ret, name, params, args, ...) \
    _Pragma("nv_exec_check_disable") extern "C" __host__ __device__ inline ret name params \
    { \
        __VA_ARGS__; \
    }
#define GSH_DEVICE_ROW(ret, name, params, args, ...) \
    extern "C" __device__ inline ret name params \
    { \
        __VA_ARGS__; \
    }
#define GSH_SAME_ROW(ret, name, params, ...) GSH_ANY_ROW(ret, name, params, _, __VA_ARGS__)
#else
#define GSH_ANY_ROW(ret, name, params, args, ...)
#define GSH_DEVICE_ROW(ret, name, params, args, ...) extern "C" __device__ ret name params;
#define GSH_SAME_ROW(ret, name, params, ...)
#endif
