/* host.h - which PE is on which host. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_TOPO_HOST_H
#define GSH_TOPO_HOST_H

#include "boot/boot.h"

/* Collective over all PEs. A host is where PEs share memory: one start of one system, in
 * one network namespace. GSHMEM_HOST_ID and GSHMEM_FAKE_NODES divide it further. Hosts may
 * carry unequal numbers of PEs. */
int gsh_host_open(struct gsh_boot *boot);
void gsh_host_close(void);

int gsh_host_of(int pe);   /* number of its host, in order of the first PE there */
int gsh_host_rank(int pe); /* its rank among the PEs of its host */
int gsh_host_count(void);
const char *gsh_host_name(int pe); /* for messages */

/* Runs it on the same machine as this PE, whatever hosts they are dealt to? */
bool gsh_host_shares_cores(int pe);

#endif /* GSH_TOPO_HOST_H */
