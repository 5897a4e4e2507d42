/* bind.c - the list of the units that have kernels. */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "gpu/bind.h"
#include "core/log.h"

#include <gshmem/impl/bind.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gsh_device_unit *units;

void gsh_device_register(struct gsh_device_unit *unit)
{
    pthread_mutex_lock(&lock);
    unit->next = units;
    units = unit;
    pthread_mutex_unlock(&lock);
}

void gsh_device_unregister(struct gsh_device_unit *unit)
{
    pthread_mutex_lock(&lock);
    for (struct gsh_device_unit **at = &units; *at; at = &(*at)->next) {
        if (*at == unit) {
            *at = unit->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

bool gsh_bind_any(void)
{
    bool any = false;

    pthread_mutex_lock(&lock);
    for (const struct gsh_device_unit *unit = units; unit; unit = unit->next)
        any |= unit->upload != NULL;
    pthread_mutex_unlock(&lock);
    return any;
}

/* The file that the unit is in. */
static const char *file_of(const struct gsh_device_unit *unit)
{
    Dl_info info;

    return dladdr(unit, &info) && info.dli_fname ? info.dli_fname : "the program";
}

static int check(const struct gsh_device_unit *unit)
{
    if (unit->version == GSH_DEVICE_STATE_VERSION && unit->bytes == sizeof(struct gsh_device_state))
        return 0;
    return gsh_fail(
        -EPROTO,
        "%s was compiled with headers whose device state has version %u (%u bytes), this "
        "library's has version %u (%zu bytes); compile it with this library's headers",
        file_of(unit), unit->version, unit->bytes, GSH_DEVICE_STATE_VERSION,
        sizeof(struct gsh_device_state));
}

int gsh_bind_check(void)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    for (const struct gsh_device_unit *unit = units; unit && !err; unit = unit->next)
        err = check(unit);
    pthread_mutex_unlock(&lock);
    return err;
}

static int upload(const struct gsh_device_unit *unit, const struct gsh_device_state *state)
{
    int error = check(unit);

    if (error || !unit->upload)
        return error;
    error = unit->upload(state);
    return error ? gsh_fail(-EIO, "%s: CUDA error %d when the kernels were told of the job",
                            file_of(unit), error)
                 : 0;
}

int gsh_bind_upload(const struct gsh_device_state *state)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    for (const struct gsh_device_unit *unit = units; unit && !err; unit = unit->next)
        err = upload(unit, state);
    pthread_mutex_unlock(&lock);
    return err;
}
