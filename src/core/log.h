/* log.h - messages for people: the log, the last error, and the end of a job.
 *
 * The function that detects a failure says so once, with gsh_fail(); who passes
 * an error on is silent. Nothing is printed at the default level when all is
 * well. All of this keeps errno.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_LOG_H
#define GSH_CORE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum gsh_level { GSH_ERROR, GSH_WARN, GSH_INFO, GSH_DEBUG, GSH_TRACE };

/* X(part, names): the parts of the log, each with the names that
 * NVSHMEM_DEBUG and NVSHMEM_DEBUG_SUBSYS know it by. */
/* clang-format off */
#define GSH_LOG_PARTS(X) \
    X(INIT,  "INIT") \
    X(BOOT,  "BOOT BOOTSTRAP") \
    X(HEAP,  "HEAP MEM") \
    X(TEAM,  "TEAM") \
    X(COMM,  "COMM P2P TRANSPORT PROXY") \
    X(COLL,  "COLL") \
    X(TOPO,  "TOPO") \
    X(GPU,   "GPU") \
    X(WATCH, "WATCH UTIL")
/* clang-format on */

enum gsh_part {
#define PART(part, names) GSH_##part,
    GSH_LOG_PARTS(PART)
#undef PART
};

/* Reads the level and the parts from the environment and opens the log file.
 * `debug` is the text of NVSHMEM_DEBUG, `subsys` of NVSHMEM_DEBUG_SUBSYS,
 * `file` of NVSHMEM_DEBUG_FILE (%h host, %p process id); each may be "". */
void gsh_log_open(const char *debug, const char *subsys, const char *file);

/* The PE number that every later line carries; -1 before it is known. */
void gsh_log_set_pe(int pe);

bool gsh_log_on(enum gsh_level level, enum gsh_part part);

void gsh_log(enum gsh_level level, enum gsh_part part, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Logs at error level, keeps the text for gsh_last_error(), returns err. */
int gsh_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Keeps the text for gsh_last_error() and says nothing: for expected misses,
 * where the caller decides whether it is an error. Returns err. */
int gsh_miss(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The text of the last gsh_fail() or gsh_miss() of this thread, "" if none. */
const char *gsh_last_error(void);

/* For calls that cannot return an error: one line with the cause, then the
 * whole job ends through the launcher. Never returns. */
_Noreturn void gsh_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What gsh_die() does last: tells the job to end with this status and this
 * text. Set by core/init.c once there is a job; the default ends the process. */
void gsh_log_set_ender(void (*end)(int status, const char *text));

#endif /* GSH_CORE_LOG_H */
