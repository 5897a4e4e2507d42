/* B38: a buffer whose registration fails half-way is registered nowhere, and stays as it was;
 * the next one can be registered. */
// SPDX-License-Identifier: BSD-3-Clause
// RUN: 1 GSHMEM_FAULT=fail:view.map
// RUN: 3 GSHMEM_FAULT=fail:view.map
#define _DEFAULT_SOURCE
#include "../conform/check.h"

#include <sys/mman.h>

enum { BYTES = 1 << 16 };

int main(void)
{
    unsigned char *p;
    char *alias;
    int status;

    nvshmem_init();
    p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fill(p, BYTES, 7);
    CHECK(!nvshmemx_buffer_register_symmetric(p, BYTES, 0), "the step that fails");
    CHECK(strstr(nvshmemx_last_error(), "fault"), "%s", nvshmemx_last_error());
    CHECK(differs(p, BYTES, 7) == BYTES, "contents");
    fact("NULL with the reason on every PE, and the buffer is as it was");
    alias = nvshmemx_buffer_register_symmetric(p, BYTES, 0);
    CHECK(alias && differs(alias, BYTES, 7) == BYTES, "%s", nvshmemx_last_error());
    CHECK(!nvshmemx_buffer_unregister_symmetric(alias, BYTES), "its end");
    fact("the next time it is registered");
    status = finish();
    nvshmem_finalize();
    return status;
}
