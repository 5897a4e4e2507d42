/* unit.h - what a program without kernels does to have a GPU of the pretended driver: it binds a
 * unit, as one with kernels is bound, and chooses a device. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TESTS_FAKE_UNIT_H
#define GSH_TESTS_FAKE_UNIT_H

#include <gshmem/impl/bind.h>

#include <dlfcn.h>

static struct gsh_device_state state; /* what kernels would be told */

static int upload(const struct gsh_device_state *told)
{
    state = *told;
    return 0;
}

static struct gsh_device_unit unit = { GSH_DEVICE_STATE_VERSION, sizeof(state), upload, NULL };

static __attribute__((constructor)) void bind_unit(void)
{
    gsh_device_register(&unit);
}

static void choose(int device)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    int (*retain)(void **, int) = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
    int (*set)(void *) = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");

    retain(&context, device);
    set(context);
}

#endif /* GSH_TESTS_FAKE_UNIT_H */
