/* setup.h - start, end, and what a program can ask about its job.
 *
 * OpenSHMEM 1.5, section 9.1 (library setup, exit and query routines); the
 * nvshmemx_ names are NVSHMEM's. Calls that return int return 0, or non-zero
 * with a text in nvshmemx_last_error(). A void call that fails prints one line
 * and ends the job.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_SETUP_H
#define GSHMEM_SETUP_H

#include <gshmem/types.h>
#include <gshmem/version.h>

GSH_BEGIN_C

#define NVSHMEM_MAJOR_VERSION 1
#define NVSHMEM_MINOR_VERSION 3
#define NVSHMEM_MAX_NAME_LEN 256

typedef enum nvshmemi_thread_support {
    NVSHMEM_THREAD_SINGLE = 0,
    NVSHMEM_THREAD_FUNNELED = 1,
    NVSHMEM_THREAD_SERIALIZED = 2,
    NVSHMEM_THREAD_MULTIPLE = 3,
    NVSHMEM_THREAD_TYPE_SENTINEL = 0x7fffffff
} nvshmemx_thread_support_t;

typedef enum {
    NVSHMEM_STATUS_NOT_INITIALIZED = 0,
    NVSHMEM_STATUS_IS_BOOTSTRAPPED = 1,
    NVSHMEM_STATUS_IS_INITIALIZED = 2,
    NVSHMEM_STATUS_LIMITED_MPG = 3,
    NVSHMEM_STATUS_FULL_MPG = 4,
    NVSHMEM_STATUS_INVALID = 0x7fffffff
} nvshmemx_init_status_t;

/* Flags of nvshmemx_init_attr(): which member of the attributes is set. */
enum {
    NVSHMEMX_INIT_THREAD_PES = 1,
    NVSHMEMX_INIT_WITH_MPI_COMM = 1 << 1,
    NVSHMEMX_INIT_WITH_SHMEM = 1 << 2,
    NVSHMEMX_INIT_WITH_UNIQUEID = 1 << 3,
    NVSHMEMX_INIT_MAX = (int)0x80000000
};

/* A name for a job that has not started yet, made by one process and handed to
 * the others by any means. */
typedef struct nvshmemx_uniqueid_v1 {
    int version;
    char internal[124];
} nvshmemx_uniqueid_v1;
typedef nvshmemx_uniqueid_v1 nvshmemx_uniqueid_t;

typedef struct nvshmemx_uniqueid_args_v1 {
    int version;
    nvshmemx_uniqueid_v1 *id;
    int myrank;
    int nranks;
} nvshmemx_uniqueid_args_v1;
typedef nvshmemx_uniqueid_args_v1 nvshmemx_uniqueid_args_t;

typedef struct {
    int version;
    nvshmemx_uniqueid_args_v1 uid_args;
    char content[96];
} nvshmemx_init_args_v1;

typedef struct {
    int version;
    nvshmemx_uniqueid_args_v1 uid_args;
    int cuda_device_id;
    char content[92];
} nvshmemx_init_args_v2;
typedef nvshmemx_init_args_v2 nvshmemx_init_args_t;

typedef struct {
    int version;
    void *mpi_comm;
    nvshmemx_init_args_v1 args;
} nvshmemx_init_attr_v1;

typedef struct {
    int version;
    void *mpi_comm;
    nvshmemx_init_args_v2 args;
} nvshmemx_init_attr_v2;
typedef nvshmemx_init_attr_v2 nvshmemx_init_attr_t;

typedef struct {
    int major;
    int minor;
    int patch;
} nvshmemi_version_t;

typedef void (*nvshmemx_device_lib_init_cb)(void **dev_state, void **transport_state);

/* A version word is (version of the struct << 16) + its size. */
#define NVSHMEMX_UNIQUEID_INITIALIZER \
    { \
        (1 << 16) + (int)sizeof(nvshmemx_uniqueid_v1), \
        { \
            0 \
        } \
    }
#define NVSHMEMX_UNIQUEID_ARGS_INITIALIZER \
    { \
        (1 << 16) + (int)sizeof(nvshmemx_uniqueid_args_v1), NULL, -1, -1 \
    }
#define NVSHMEM_INIT_ARGS_V2_IDENTIFIER ((2 << 16) + sizeof(nvshmemx_init_args_v2))
#define NVSHMEM_INIT_ATTR_VER 1
#define NVSHMEM_INIT_ATTR_V1_IDENTIFIER ((1 << 16) + sizeof(nvshmemx_init_attr_v1))
#define NVSHMEM_INIT_ATTR_V2_IDENTIFIER ((2 << 16) + sizeof(nvshmemx_init_attr_v2))
#define NVSHMEMX_INIT_ARGS_INITIALIZER \
    { \
        (1 << 16) + (int)sizeof(nvshmemx_init_args_v1), NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, \
        { \
            0 \
        } \
    }
#define NVSHMEMX_INIT_ARGS_V2_INITIALIZER \
    { \
        (2 << 16) + (int)sizeof(nvshmemx_init_args_v2), NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, -1, \
        { \
            0 \
        } \
    }
#define NVSHMEMX_INIT_ATTR_V1_INITIALIZER \
    { \
        (1 << 16) + (int)sizeof(nvshmemx_init_attr_v1), NULL, NVSHMEMX_INIT_ARGS_INITIALIZER \
    }
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
    { \
        (2 << 16) + (int)sizeof(nvshmemx_init_attr_v2), NULL, NVSHMEMX_INIT_ARGS_V2_INITIALIZER \
    }
#define nvshmemx_init_init_attr_ver_only(attr) \
    do { \
        (attr).version = (1 << 16) + (int)sizeof(nvshmemx_init_attr_v1); \
        (attr).args.version = (1 << 16) + (int)sizeof(nvshmemx_init_args_v1); \
        (attr).args.uid_args.version = (1 << 16) + (int)sizeof(nvshmemx_uniqueid_args_v1); \
    } while (0)

GSH_STATIC_ASSERT(sizeof(nvshmemx_uniqueid_t) == 128, "layout");
GSH_STATIC_ASSERT(sizeof(nvshmemx_init_args_t) == 128, "layout");
GSH_STATIC_ASSERT(sizeof(nvshmemx_init_attr_t) == 144, "layout");

/* Joins the job that the environment names: a launcher's, or a world of this
 * one process. Collective over all PEs. Calls nest by counting. Ends the
 * process with one line when it fails. */
GSH_API void nvshmem_init(void);

/* As nvshmem_init(), and returns in *provided the thread level that is granted:
 * MULTIPLE when asked for, else SERIALIZED. */
GSH_API int nvshmem_init_thread(int requested, int *provided);

/* Joins the job that `attr` describes; `flags` says which member is read, no
 * other is looked at. Collective over all PEs of that job. A second call shares
 * the world of the first; one that asks for another rank or size is an error. */
GSH_API int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr);
GSH_API int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr);
GSH_API int nvshmemid_hostlib_init_attr(int requested, int *provided, unsigned int bootstrap_flags,
                                        nvshmemx_init_attr_t *attr,
                                        nvshmemi_version_t nvshmem_device_lib_version,
                                        nvshmemx_device_lib_init_cb cb);

/* Undoes one init; the last one is a barrier and takes the library down.
 * Collective over all PEs. A later init may make a world of another size. */
GSH_API void nvshmem_finalize(void);
GSH_API void nvshmemx_hostlib_finalize(void);
GSH_API void nvshmemid_hostlib_finalize(void *device_ctx, void *transport_device_ctx);

/* Ends all PEs of the job with this exit status. Any PE may call it alone. */
GSH_ANY void nvshmem_global_exit(int status);

/* A value of nvshmemx_init_status_t. May be called at any time. */
GSH_API int nvshmemx_init_status(void);
GSH_API int nvshmemid_init_status(void);

/* Makes a unique id. One process calls it before init and hands the id to the
 * others; it serves them until all have finalized. */
GSH_API int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *uniqueid);

/* Writes all of *attr for NVSHMEMX_INIT_WITH_UNIQUEID. The id is not copied and
 * must live until init returns. */
GSH_API int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks,
                                            const nvshmemx_uniqueid_t *uniqueid,
                                            nvshmemx_init_attr_t *attr);

/* Writes all of *attr for NVSHMEMX_INIT_WITH_MPI_COMM. mpi_comm points to an
 * MPI_Comm. Returns -1 for a null attr. */
GSH_API int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm, nvshmemx_init_attr_t *nvshmem_attr);

/* Rank of this PE and number of PEs in the world. */
GSH_ANY int nvshmem_my_pe(void);
GSH_ANY int nvshmem_n_pes(void);

/* The granted thread level. */
GSH_API void nvshmem_query_thread(int *provided);

/* The level of the OpenSHMEM interface (1.3), the vendor string (at most
 * NVSHMEM_MAX_NAME_LEN with its end), and the NVSHMEM release whose interface
 * this is. May be called at any time. */
GSH_ANY void nvshmem_info_get_version(int *major, int *minor);
GSH_ANY void nvshmem_info_get_name(char *name);
GSH_ANY void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch);

/* The text of the last error of this thread, "" if there was none. Valid until
 * the next call that fails. */
GSH_API const char *nvshmemx_last_error(void);

GSH_END_C

#endif /* GSHMEM_SETUP_H */
