/* kernels.c - see kernels.h. */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/kernels.h"
#include "core/log.h"
#include "core/remote.h"
#include "gpu/copy.h"
#include "gpu/gpu.h"
#include "heap/device.h"
#include "topo/gpus.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* A share of the GPU is the program's: blocks of one launch, and of one that may come early, and so
 * waits on the GPU. */
enum { MOST_BLOCKS = 64, MOST_EARLY = 8 };

static const char *const names[] = {
#define ROW(name) "gsh_kernel_" #name,
    GSH_KERNELS(ROW)
#undef ROW
};
enum { N = sizeof(names) / sizeof(names[0]) };

static struct {
    struct CUmod_st *module;
    struct CUfunc_st *at[N];
    bool early;       /* they wait for what is in front of them */
    uint64_t *answer; /* of an atomic operation; host and GPU see it */
    pthread_mutex_t asking;
} kernels = { .asking = PTHREAD_MUTEX_INITIALIZER };

/* The driver brings a kernel and its stack to the device at the first launch, and may wait for
 * all else that runs there: now nobody waits for other PEs yet. */
static int warm_up(void)
{
    const struct gsh_op nothing = { .call = "init", .kind = GSH_OP_QUIET };
    int err = 0;

    for (int i = 0; i < N && !err; i++)
        err = gsh_kernels_launch((enum gsh_kernel)i, &nothing, 1, 1, gsh_gpu_own_stream());
    return err ? err : gsh_gpu_wait_for(gsh_gpu_own_stream());
}

int gsh_kernels_open(const struct gsh_device_state *state)
{
    int err;

    if (!gsh_kernels_image)
        return 0;
    err = gsh_gpu_module_load(gsh_kernels_image, &kernels.module);
    if (!err)
        err = gsh_gpu_module_set(kernels.module, "gsh_device_state_d", state, sizeof(*state));
    if (err == -ENOENT)
        err = gsh_fail(-EIO, "the library's kernels have no gsh_device_state_d");
    for (int i = 0; i < N && !err; i++)
        err = gsh_gpu_kernel_find(kernels.module, names[i], &kernels.at[i]);
    kernels.early = !err && gsh_gpu_kernel_waits(kernels.at[0]);
    if (!err)
        err = warm_up();
    return err ? err : gsh_gpu_take_host(sizeof(*kernels.answer), (void **)&kernels.answer);
}

void gsh_kernels_close(void)
{
    gsh_gpu_give_host(kernels.answer);
    gsh_gpu_module_unload(kernels.module);
    kernels.answer = NULL;
    kernels.module = NULL;
    memset(kernels.at, 0, sizeof(kernels.at));
}

int gsh_kernels_launch(enum gsh_kernel kernel, const struct gsh_op *op, unsigned blocks,
                       unsigned threads, struct CUstream_st *stream)
{
    struct gsh_op copy = *op;
    void *args[] = { &copy };

    if (!kernels.at[kernel])
        return gsh_fail(-ENOTSUP,
                        "%s: the library was built without nvcc, and has no kernels for this on a "
                        "GPU; build it where nvcc is found",
                        op->call);
    return gsh_gpu_kernel_launch(kernels.at[kernel], blocks, threads,
                                 kernels.early && blocks <= MOST_EARLY, args, stream);
}

unsigned gsh_kernels_blocks(size_t n, size_t each, unsigned threads)
{
    size_t blocks = (n / each + threads - 1) / threads;

    if (!blocks)
        return 1;
    return blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS;
}

static int ask(char *word, const struct gsh_amo_args *args, uint64_t *old)
{
    const struct gsh_op op = { .call = "an atomic operation",
                               .kind = GSH_OP_AMO,
                               .how = (int)args->op,
                               .size = (int)args->bytes,
                               .word = (uint64_t *)(void *)word,
                               .value = args->operand,
                               .cond = args->cond,
                               .result = kernels.answer };
    int err;

    pthread_mutex_lock(&kernels.asking);
    err = gsh_kernels_launch(GSH_KERNEL_word, &op, 1, 1, gsh_gpu_own_stream());
    if (!err)
        err = gsh_gpu_wait_for(gsh_gpu_own_stream());
    *old = err ? 0 : *(volatile uint64_t *)kernels.answer;
    pthread_mutex_unlock(&kernels.asking);
    return err;
}

uint64_t gsh_gpu_amo_at(int pe, size_t off, const struct gsh_amo_args *args)
{
    char *word = gsh_device_heap_at(gsh_device_heap.base + (off - gsh.window), pe);
    uint64_t old;

    if (!word && !gsh.peers[pe].base)
        return gsh_tr_amo(pe, off, args);
    if (!word)
        gsh_die("the GPU memory of PE %d cannot be reached: %s", pe,
                gsh_way_words(gsh_topo_way(gsh.my_pe, pe)));
    if (ask(word, args, &old))
        gsh_die("%s", gsh_last_error());
    return old;
}
