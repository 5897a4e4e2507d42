/* init.h - the state of the library as a whole. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CORE_INIT_H
#define GSH_CORE_INIT_H

#include <stdbool.h>

/* True in a job. Before the first init it ends the process with a line that names
 * `call`; after an init that failed it is false, and the first cause stays the
 * last error. */
bool gsh_ready(const char *call);

#endif /* GSH_CORE_INIT_H */
