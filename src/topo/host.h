/* host.h - which PE is on which host. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOPO_HOST_H
#define GSH_TOPO_HOST_H

#include "boot/boot.h"

/* Collective over all PEs. GSHMEM_HOST_ID stands in for the name of the host. All
 * hosts must carry equally many PEs. */
int gsh_host_open(struct gsh_boot *boot);
void gsh_host_close(void);

int gsh_host_of(int pe);           /* number of its host, in order of the first PE there */
int gsh_host_rank(int pe);         /* its rank among the PEs of its host */
const char *gsh_host_name(int pe); /* for messages */

#endif /* GSH_TOPO_HOST_H */
