/* kernel.c - the kernels of the program, by address, and the configurations of launches
 * that are being made. */
// SPDX-License-Identifier: BSD-3-Clause
#include <gshmem/cpu/kernel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gsh_cuda_kernel_info *kernels;

static _Thread_local struct gsh_cuda_config *pending;

void gsh_cuda_add_kernel(struct gsh_cuda_kernel_info *info)
{
    pthread_mutex_lock(&lock);
    info->next = kernels;
    kernels = info;
    pthread_mutex_unlock(&lock);
}

void gsh_cuda_remove_kernel(struct gsh_cuda_kernel_info *info)
{
    pthread_mutex_lock(&lock);
    for (struct gsh_cuda_kernel_info **at = &kernels; *at; at = &(*at)->next) {
        if (*at == info) {
            *at = info->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

const struct gsh_cuda_kernel_info *gsh_cuda_find_kernel(const void *function)
{
    pthread_mutex_lock(&lock);
    const struct gsh_cuda_kernel_info *at = kernels;
    while (at && at->function != function)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at;
}

void gsh_cuda_configure(struct gsh_cuda_config *config)
{
    if (gsh_cpu_fiber)
        gsh_cpu_trap("a kernel launches a kernel: the CPU device has no dynamic parallelism");
    config->outer = pending;
    pending = config;
}

void gsh_cuda_unconfigure(struct gsh_cuda_config *config)
{
    if (pending == config)
        pending = config->outer;
}

struct gsh_cuda_config *gsh_cuda_configured(const char *name)
{
    struct gsh_cuda_config *config = pending;

    if (!config) {
        fprintf(stderr, "kernel %s is called like a function: it needs <<<grid, block>>>\n", name);
        abort();
    }
    pending = config->outer;
    return config;
}
