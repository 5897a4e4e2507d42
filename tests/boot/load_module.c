/* A program without MPI that gets a communicator from a module. */
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
    void *symbols[2];
    void *(*begin)(void);
    void (*end)(void);
    nvshmemx_init_attr_t attr;
    int good;

    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    symbols[0] = dlsym(module, "module_begin");
    symbols[1] = dlsym(module, "module_end");
    memcpy(&begin, &symbols[0], sizeof(begin));
    memcpy(&end, &symbols[1], sizeof(end));
    nvshmemx_set_attr_mpi_comm_args(begin(), &attr);
    good = !nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) && nvshmem_n_pes() == 4;
    if (good)
        nvshmem_finalize();
    printf("%s\n", good ? "fine" : nvshmemx_last_error());
    fflush(stdout);
    end();
    return !good;
}
