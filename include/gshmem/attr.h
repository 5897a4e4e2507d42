/* attr.h - compiler words, so that no other header asks which compiler it is. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_ATTR_H
#define GSHMEM_ATTR_H

#if defined(__cplusplus) && defined(__clang__)
/* Calls on half return a C++ class that is still incomplete in host code. */
#define GSH_BEGIN_C \
    _Pragma("clang diagnostic push") \
        _Pragma("clang diagnostic ignored \"-Wreturn-type-c-linkage\"") extern "C" \
    {
#define GSH_END_C \
    } \
    _Pragma("clang diagnostic pop")
#define GSH_STATIC_ASSERT(c, m) static_assert(c, m)
#elif defined(__cplusplus)
#define GSH_BEGIN_C extern "C" {
#define GSH_END_C }
#define GSH_STATIC_ASSERT(c, m) static_assert(c, m)
#else
#define GSH_BEGIN_C
#define GSH_END_C
#define GSH_STATIC_ASSERT(c, m) _Static_assert(c, m)
#endif

#ifdef __CUDACC_RTC__
/* NVRTC takes no functions of the host: they are declared for the device, and not there. Its
 * offsetof is no constant. */
#define GSH_API __device__
#define GSH_OFFSET_ASSERT(type, member, off) GSH_STATIC_ASSERT(sizeof(type) > (off), "layout")
#else
#define GSH_API __attribute__((visibility("default")))
#define GSH_OFFSET_ASSERT(type, member, off) \
    GSH_STATIC_ASSERT(offsetof(type, member) == (off), "layout")
#endif

/* Before a call that kernels may make as well. */
#if defined(__CUDACC__) && !defined(GSHMEM_TARGET_CPU)
#define GSH_ANY GSH_API __host__ __device__
#else
#define GSH_ANY GSH_API
#endif

#endif /* GSHMEM_ATTR_H */
