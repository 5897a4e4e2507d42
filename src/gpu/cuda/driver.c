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

int gsh_cuda_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int version = 0, n = 0, err;

    if (!library)
        return gsh_miss(-ENODEV, "no CUDA driver: %s", dlerror());
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        void *call = dlsym(library, calls[i].symbol);

        if (!call && !calls[i].newer)
            return gsh_miss(-ENODEV, "the CUDA driver is too old: it has no %s", calls[i].symbol);
        memcpy((char *)&gsh_cuda + calls[i].off, &call, sizeof(call));
    }
    err = gsh_cuda.init(0);
    if (!err)
        err = gsh_cuda.driver_version(&version);
    if (!err)
        err = gsh_cuda.device_count(&n);
    if (err) {
        const char *text = "unknown error";

        gsh_cuda.error_text(err, &text);
        return gsh_miss(-ENODEV, "the CUDA driver does not start: %s (%d)", text, err);
    }
    if (version < OLDEST)
        return gsh_miss(-ENODEV, "the CUDA driver is of version %d, older than %d", version,
                        OLDEST);
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
