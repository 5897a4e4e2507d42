/* driver.c - find libcuda and its calls. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/cuda/driver.h"
#include "core/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { OLDEST = 11020 }; /* exportable memory and UUIDs as they are used here */

struct gsh_cuda gsh_cuda;

static const struct {
    const char *symbol;
    size_t off;
    bool newer;
} calls[] = {
#define ROW(name, symbol, params) { #symbol, offsetof(struct gsh_cuda, name), false },
    GSH_CUDA_CALLS(ROW)
#undef ROW
#define ROW(name, symbol, params) { #symbol, offsetof(struct gsh_cuda, name), true },
        GSH_CUDA_NEWER_CALLS(ROW)
#undef ROW
};

/* Before anything else is looked for: an old driver lacks calls, and the version says more. */
static int check_version(void *library)
{
    int (*ask)(int *version);
    void *call = dlsym(library, "cuDriverGetVersion");
    int version = 0;

    memcpy(&ask, &call, sizeof(ask));
    if (call && !ask(&version) && version < OLDEST)
        return gsh_miss(-ENODEV,
                        "the CUDA driver is too old: it is one for CUDA %d.%d, and %d.%d or newer "
                        "is needed; update the driver",
                        version / 1000, version % 1000 / 10, OLDEST / 1000, OLDEST % 1000 / 10);
    return 0;
}

static int find_calls(void *library)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        void *call = dlsym(library, calls[i].symbol);

        if (!call && !calls[i].newer)
            return gsh_miss(-ENODEV, "the CUDA driver is too old: it has no %s", calls[i].symbol);
        memcpy((char *)&gsh_cuda + calls[i].off, &call, sizeof(call));
    }
    return 0;
}

int gsh_cuda_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *text = "unknown error";
    int n = 0, error, err;

    if (!library)
        return gsh_miss(-ENODEV, "no CUDA driver: %s", dlerror());
    err = check_version(library);
    if (!err)
        err = find_calls(library);
    if (err)
        return err;
    error = gsh_cuda.init(0);
    if (!error)
        error = gsh_cuda.device_count(&n);
    if (error) {
        gsh_cuda.error_text(error, &text);
        return gsh_miss(-ENODEV, "the CUDA driver does not start: %s (%d)", text, error);
    }
    return n ? 0 : gsh_miss(-ENODEV, "the CUDA driver sees no device (CUDA_VISIBLE_DEVICES?)");
}

int gsh_cuda_result(int error, const char *what)
{
    const char *text = "unknown error";

    if (!error)
        return 0;
    gsh_cuda.error_text(error, &text);
    return gsh_fail(error == 2 ? -ENOMEM : -EIO, "%s: %s (CUDA error %d)", what, text, error);
}
