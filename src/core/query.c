/* query.c - what a program can ask, and the attributes of init. */
// SPDX-License-Identifier: BSD-3-Clause
#include "core/env.h"
#include "core/init.h"
#include "core/log.h"
#include "core/remote.h"
#include "heap/device.h"

#include <gshmem/memory.h>
#include <gshmem/setup.h>

#include <errno.h>
#include <string.h>

int nvshmemx_init_status(void)
{
    return gsh.n_init ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_NOT_INITIALIZED;
}

int nvshmemid_init_status(void)
{
    return nvshmemx_init_status();
}

int nvshmem_my_pe(void)
{
    return gsh_ready("nvshmem_my_pe") ? gsh.my_pe : -1;
}

int nvshmem_n_pes(void)
{
    return gsh_ready("nvshmem_n_pes") ? gsh.n_pes : -1;
}

void nvshmem_query_thread(int *provided)
{
    if (gsh_ready("nvshmem_query_thread"))
        *provided = gsh.thread_level;
}

void nvshmem_info_get_version(int *major, int *minor)
{
    *major = NVSHMEM_MAJOR_VERSION;
    *minor = NVSHMEM_MINOR_VERSION;
}

void nvshmem_info_get_name(char *name)
{
    strcpy(name, NVSHMEM_VENDOR_STRING);
}

void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch)
{
    *major = NVSHMEM_VENDOR_MAJOR_VERSION;
    *minor = NVSHMEM_VENDOR_MINOR_VERSION;
    *patch = NVSHMEM_VENDOR_PATCH_VERSION;
}

const char *nvshmemx_last_error(void)
{
    return gsh_last_error();
}

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *uniqueid)
{
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;

    if (!uniqueid) {
        gsh_fail(-EINVAL, "nvshmemx_get_uniqueid needs a place for the id; got NULL");
        return NVSHMEMX_ERROR_INVALID_VALUE;
    }
    if (gsh_env_read() || gsh_boot_uid_create(&id, sizeof(id), -1))
        return NVSHMEMX_ERROR_INTERNAL;
    *uniqueid = id;
    return 0;
}

int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks,
                                    const nvshmemx_uniqueid_t *uniqueid, nvshmemx_init_attr_t *attr)
{
    static const nvshmemx_init_attr_t fresh = NVSHMEMX_INIT_ATTR_INITIALIZER;

    if (!attr || !uniqueid || nranks < 1 || myrank < 0 || myrank >= nranks) {
        gsh_fail(-EINVAL,
                 "nvshmemx_set_attr_uniqueid_args: rank %d of %d, id %p, attributes %p do not name "
                 "a PE",
                 myrank, nranks, (const void *)uniqueid, (void *)attr);
        return NVSHMEMX_ERROR_INVALID_VALUE;
    }
    *attr = fresh;
    attr->args.uid_args.id = (nvshmemx_uniqueid_t *)(uintptr_t)uniqueid;
    attr->args.uid_args.myrank = myrank;
    attr->args.uid_args.nranks = nranks;
    return 0;
}

int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm, nvshmemx_init_attr_t *nvshmem_attr)
{
    static const nvshmemx_init_attr_t fresh = NVSHMEMX_INIT_ATTR_INITIALIZER;

    if (!nvshmem_attr)
        return -1;
    *nvshmem_attr = fresh;
    nvshmem_attr->mpi_comm = mpi_comm;
    return 0;
}

void *nvshmem_ptr(const void *ptr, int pe)
{
    size_t off = (size_t)((const char *)ptr - gsh.base);

    if (pe < 0 || pe >= gsh.n_pes || !gsh.peers[pe].base)
        return NULL;
    if (gsh_device_heap_has(ptr, 1))
        return gsh_device_heap_at(ptr, pe);
    if (gsh_data_offset(ptr, 0, &off))
        return pe == gsh.my_pe ? (void *)(uintptr_t)ptr : gsh.peers[pe].base + off;
    if (off - gsh.heap_off < gsh.span - gsh.heap_off || off - gsh.device_off < gsh.device_span)
        return gsh.peers[pe].base + off;
    return NULL;
}

int nvshmemx_ptr_accessible(const void *ptr, int pe)
{
    return nvshmem_ptr(ptr, pe) != NULL;
}

void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr)
{
    (void)team, (void)ptr; /* host memory has no multicast */
    return NULL;
}
