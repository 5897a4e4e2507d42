#!/bin/sh
# The few declarations of UCX that the library has of its own are those of the headers.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"
flags=$(pkg-config --cflags ucx 2>/dev/null) || skip_all "no ucp.h (Debian: libucx-dev)"

cat >same.c <<'END'
#include "tr/ucx/api.h"
#include <assert.h>
#include <ucp/api/ucp.h>

#define VALUE(ours, theirs) static_assert((uint64_t)(ours) == (uint64_t)(theirs), #theirs)
#define FIELD(ours, a, theirs, b) \
    static_assert(offsetof(struct ours, a) == offsetof(theirs, b) && \
                      sizeof(((struct ours *)0)->a) == sizeof(((theirs *)0)->b), \
                  #theirs "." #b)

static_assert(sizeof(ucs_status_t) == 1, "a status is a byte");
VALUE(GSH_UCS_INPROGRESS, UCS_INPROGRESS);
VALUE((int8_t)GSH_UCS_ERR_NO_MEMORY, UCS_ERR_NO_MEMORY);
VALUE((int8_t)GSH_UCS_ERR_BUSY, UCS_ERR_BUSY);
VALUE((int8_t)GSH_UCS_ERR_CONNECTION_RESET, UCS_ERR_CONNECTION_RESET);
VALUE((int8_t)GSH_UCS_ERR_LAST, UCS_ERR_LAST);
VALUE(GSH_UCP_FEATURE_WAKEUP, UCP_FEATURE_WAKEUP);
VALUE(GSH_UCP_FEATURE_AM, UCP_FEATURE_AM);

FIELD(gsh_ucp_params, mask, ucp_params_t, field_mask);
FIELD(gsh_ucp_params, features, ucp_params_t, features);
FIELD(gsh_ucp_params, estimated_num_eps, ucp_params_t, estimated_num_eps);
VALUE(GSH_UCP_PARAM_FEATURES, UCP_PARAM_FIELD_FEATURES);
VALUE(GSH_UCP_PARAM_NUM_EPS, UCP_PARAM_FIELD_ESTIMATED_NUM_EPS);

FIELD(gsh_ucp_worker_params, mask, ucp_worker_params_t, field_mask);
FIELD(gsh_ucp_worker_params, thread_mode, ucp_worker_params_t, thread_mode);
VALUE(GSH_UCP_WORKER_THREAD_MODE, UCP_WORKER_PARAM_FIELD_THREAD_MODE);
VALUE(GSH_UCS_THREAD_SERIALIZED, UCS_THREAD_MODE_SERIALIZED);

FIELD(gsh_ucp_ep_params, mask, ucp_ep_params_t, field_mask);
FIELD(gsh_ucp_ep_params, address, ucp_ep_params_t, address);
FIELD(gsh_ucp_ep_params, error_mode, ucp_ep_params_t, err_mode);
FIELD(gsh_ucp_ep_params, error, ucp_ep_params_t, err_handler);
VALUE(GSH_UCP_EP_ADDRESS, UCP_EP_PARAM_FIELD_REMOTE_ADDRESS);
VALUE(GSH_UCP_EP_ERROR_MODE, UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE);
VALUE(GSH_UCP_EP_ERROR, UCP_EP_PARAM_FIELD_ERR_HANDLER);
VALUE(GSH_UCP_ERROR_MODE_PEER, UCP_ERR_HANDLING_MODE_PEER);

FIELD(gsh_ucp_request_params, mask, ucp_request_param_t, op_attr_mask);
FIELD(gsh_ucp_request_params, flags, ucp_request_param_t, flags);
FIELD(gsh_ucp_request_params, done, ucp_request_param_t, cb);
FIELD(gsh_ucp_request_params, arg, ucp_request_param_t, user_data);
FIELD(gsh_ucp_request_params, memory_type, ucp_request_param_t, memory_type);
VALUE(GSH_UCP_REQUEST_CALLBACK, UCP_OP_ATTR_FIELD_CALLBACK);
VALUE(GSH_UCP_REQUEST_ARG, UCP_OP_ATTR_FIELD_USER_DATA);
VALUE(GSH_UCP_REQUEST_FLAGS, UCP_OP_ATTR_FIELD_FLAGS);
VALUE(GSH_UCP_REQUEST_MEMORY_TYPE, UCP_OP_ATTR_FIELD_MEMORY_TYPE);
VALUE(GSH_UCS_MEMORY_HOST, UCS_MEMORY_TYPE_HOST);
VALUE(GSH_UCP_SEND_EAGER, UCP_AM_SEND_FLAG_EAGER);
FIELD(gsh_ucp_size, mask, ucp_ep_evaluate_perf_param_t, field_mask);
FIELD(gsh_ucp_size, bytes, ucp_ep_evaluate_perf_param_t, message_size);
FIELD(gsh_ucp_time, mask, ucp_ep_evaluate_perf_attr_t, field_mask);
FIELD(gsh_ucp_time, seconds, ucp_ep_evaluate_perf_attr_t, estimated_time);
VALUE(GSH_UCP_SIZE_BYTES, UCP_EP_PERF_PARAM_FIELD_MESSAGE_SIZE);
VALUE(GSH_UCP_TIME_SECONDS, UCP_EP_PERF_ATTR_FIELD_ESTIMATED_TIME);
VALUE(GSH_UCP_CLOSE_FORCE, UCP_EP_CLOSE_FLAG_FORCE);

FIELD(gsh_ucp_am_params, attributes, ucp_am_recv_param_t, recv_attr);
VALUE(GSH_UCP_AM_DATA, UCP_AM_RECV_ATTR_FLAG_DATA);
VALUE(GSH_UCP_AM_RNDV, UCP_AM_RECV_ATTR_FLAG_RNDV);
FIELD(gsh_ucp_am_handler, mask, ucp_am_handler_param_t, field_mask);
FIELD(gsh_ucp_am_handler, id, ucp_am_handler_param_t, id);
FIELD(gsh_ucp_am_handler, flags, ucp_am_handler_param_t, flags);
FIELD(gsh_ucp_am_handler, call, ucp_am_handler_param_t, cb);
FIELD(gsh_ucp_am_handler, arg, ucp_am_handler_param_t, arg);
VALUE(GSH_UCP_HANDLER_ID, UCP_AM_HANDLER_PARAM_FIELD_ID);
VALUE(GSH_UCP_HANDLER_CALL, UCP_AM_HANDLER_PARAM_FIELD_CB);
VALUE(GSH_UCP_HANDLER_ARG, UCP_AM_HANDLER_PARAM_FIELD_ARG);

/* Each call exists. */
const void *const calls[] = {
#define CALL(name, symbol, result, params) (const void *)symbol,
    GSH_UCP_CALLS(CALL)
};
END
# shellcheck disable=SC2086 # a list of flags
run "${CC:-cc}" -std=gnu11 -Werror -I"$GSH_SOURCE/src" $flags -c same.c -o same.o
ok "layouts, values and calls are the same" is "$status" 0
finish
