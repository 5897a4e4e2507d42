/* api.h - the part of the interface of UCX that is used here, under names of our own, and
 * its calls as they were found at run time.
 *
 * UCX reads of a struct what its field mask says, so that structs end here with the last
 * field that is set. tests/nodes/ucx_interface.sh compares this with the headers that it finds.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TR_UCX_API_H
#define GSH_TR_UCX_API_H

#include <stddef.h>
#include <stdint.h>

enum { GSH_UCP_MAJOR = 1, GSH_UCP_MINOR = 13 }; /* of the interface that is asked for */

/* Status: 0, what goes on, or an error below zero. It is one byte. */
enum {
    GSH_UCS_OK = 0,
    GSH_UCS_INPROGRESS = 1,
    GSH_UCS_ERR_NO_MEMORY = -4,
    GSH_UCS_ERR_BUSY = -15,
    GSH_UCS_ERR_CONNECTION_RESET = -25,
    GSH_UCS_ERR_LAST = -100,
};

enum { GSH_UCP_FEATURE_WAKEUP = 1 << 4, GSH_UCP_FEATURE_AM = 1 << 6 };

struct gsh_ucp_params {
    uint64_t mask;
    uint64_t features;
    size_t request_size;
    void (*request_init)(void *request);
    void (*request_cleanup)(void *request);
    uint64_t tag_sender_mask;
    int mt_workers_shared;
    size_t estimated_num_eps;
};

enum {
    GSH_UCP_PARAM_FEATURES = 1 << 0,
    GSH_UCP_PARAM_NUM_EPS = 1 << 6,
};

struct gsh_ucp_worker_params {
    uint64_t mask;
    int thread_mode;
};

enum { GSH_UCP_WORKER_THREAD_MODE = 1 << 0 };
enum { GSH_UCS_THREAD_SERIALIZED = 1 };

struct gsh_ucp_ep_params {
    uint64_t mask;
    const void *address;
    int error_mode;
    struct {
        void (*call)(void *arg, void *ep, int8_t status);
        void *arg;
    } error;
};

enum {
    GSH_UCP_EP_ADDRESS = 1 << 0,
    GSH_UCP_EP_ERROR_MODE = 1 << 1,
    GSH_UCP_EP_ERROR = 1 << 2,
};
enum { GSH_UCP_ERROR_MODE_PEER = 1 };

struct gsh_ucp_request_params {
    uint32_t mask;
    uint32_t flags;
    void *request;
    union {
        void (*send)(void *request, int8_t status, void *arg);
        void (*receive)(void *request, int8_t status, size_t bytes, void *arg);
    } done;
    uint64_t datatype;
    void *arg;
    void *reply_buffer;
    int memory_type;
};

enum {
    GSH_UCP_REQUEST_CALLBACK = 1 << 1,
    GSH_UCP_REQUEST_ARG = 1 << 2,
    GSH_UCP_REQUEST_FLAGS = 1 << 4,
    GSH_UCP_REQUEST_MEMORY_TYPE = 1 << 6,
};
enum { GSH_UCS_MEMORY_HOST = 0 };
enum { GSH_UCP_SEND_EAGER = 1 << 1 };
enum { GSH_UCP_CLOSE_FORCE = 1 << 0 };

/* How long a message of so many bytes takes, as UCX reckons. */
struct gsh_ucp_size {
    uint64_t mask;
    size_t bytes;
};
struct gsh_ucp_time {
    uint64_t mask;
    double seconds;
};
enum { GSH_UCP_SIZE_BYTES = 1 << 0, GSH_UCP_TIME_SECONDS = 1 << 0 };

struct gsh_ucp_am_params {
    uint64_t attributes;
    void *reply_ep;
};

enum { GSH_UCP_AM_DATA = 1 << 16, GSH_UCP_AM_RNDV = 1 << 17 };

struct gsh_ucp_am_handler {
    uint64_t mask;
    unsigned id;
    uint32_t flags;
    int8_t (*call)(void *arg, const void *head, size_t head_bytes, void *data, size_t bytes,
                   const struct gsh_ucp_am_params *params);
    void *arg;
};

enum {
    GSH_UCP_HANDLER_ID = 1 << 0,
    GSH_UCP_HANDLER_CALL = 1 << 2,
    GSH_UCP_HANDLER_ARG = 1 << 3,
};

/* X(name, symbol, result, parameters): what is called. */
/* clang-format off */
#define GSH_UCP_CALLS(X) \
    X(am_data_release, ucp_am_data_release, void, (void *worker, void *data)) \
    X(am_receive, ucp_am_recv_data_nbx, void *, \
      (void *worker, void *data, void *to, size_t bytes, \
       const struct gsh_ucp_request_params *params)) \
    X(am_send, ucp_am_send_nbx, void *, \
      (void *ep, unsigned id, const void *head, size_t head_bytes, const void *data, \
       size_t bytes, const struct gsh_ucp_request_params *params)) \
    X(cleanup, ucp_cleanup, void, (void *context)) \
    X(config_modify, ucp_config_modify, int8_t, \
      (void *config, const char *name, const char *value)) \
    X(config_read, ucp_config_read, int8_t, \
      (const char *prefix, const char *file, void **config)) \
    X(config_release, ucp_config_release, void, (void *config)) \
    X(ep_close, ucp_ep_close_nbx, void *, \
      (void *ep, const struct gsh_ucp_request_params *params)) \
    X(ep_create, ucp_ep_create, int8_t, \
      (void *worker, const struct gsh_ucp_ep_params *params, void **ep)) \
    X(ep_reckon, ucp_ep_evaluate_perf, int8_t, \
      (void *ep, const struct gsh_ucp_size *size, struct gsh_ucp_time *time)) \
    X(init, ucp_init_version, int8_t, \
      (unsigned major, unsigned minor, const struct gsh_ucp_params *params, \
       const void *config, void **context)) \
    X(request_check, ucp_request_check_status, int8_t, (void *request)) \
    X(request_free, ucp_request_free, void, (void *request)) \
    X(status_text, ucs_status_string, const char *, (int8_t status)) \
    X(version_text, ucp_get_version_string, const char *, (void)) \
    X(worker_address, ucp_worker_get_address, int8_t, \
      (void *worker, void **address, size_t *bytes)) \
    X(worker_arm, ucp_worker_arm, int8_t, (void *worker)) \
    X(worker_create, ucp_worker_create, int8_t, \
      (void *context, const struct gsh_ucp_worker_params *params, void **worker)) \
    X(worker_destroy, ucp_worker_destroy, void, (void *worker)) \
    X(worker_fd, ucp_worker_get_efd, int8_t, (void *worker, int *fd)) \
    X(worker_on_am, ucp_worker_set_am_recv_handler, int8_t, \
      (void *worker, const struct gsh_ucp_am_handler *handler)) \
    X(worker_progress, ucp_worker_progress, unsigned, (void *worker)) \
    X(worker_release_address, ucp_worker_release_address, void, \
      (void *worker, void *address))
/* clang-format on */

struct gsh_ucp {
#define CALL(name, symbol, result, params) result(*name) params;
    GSH_UCP_CALLS(CALL)
#undef CALL
};

extern struct gsh_ucp gsh_ucp;

/* Finds the library; 0 or a negative errno after gsh_miss(). */
int gsh_ucp_load(void);

/* What a call returns in place of a request: the status, INPROGRESS for a request. */
static inline int8_t gsh_ucp_status(const void *request)
{
    intptr_t value = (intptr_t)request;

    return value <= 0 && value >= GSH_UCS_ERR_LAST ? (int8_t)value : GSH_UCS_INPROGRESS;
}

#endif /* GSH_TR_UCX_API_H */
