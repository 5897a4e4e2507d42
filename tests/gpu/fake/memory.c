/* memory.c - a pretended libcuda: memory of the GPUs of gpus.h.
 *
 * Memory of a GPU is a file in memory, named after the GPU. Its addresses are reserved, but not
 * readable: a host that touches it is killed, as on a machine with a GPU. Copies find the file by
 * the address, and refuse what the driver refuses: memory that is not mapped, and host memory
 * that reaches beyond one registration. Environment:
 *
 *   FAKE_MEMORY=512          MiB that each process can have
 *   FAKE_NO_DESCRIPTORS=1    no virtual memory management, as on old systems
 *   FAKE_PINNED=8            MiB that one registration can have
 *   FAKE_REPORT=FILE         a line is added at the end, of what was not given back
 */
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "calls.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNIT = 2 << 20, MOST = 4096 };
enum {
    GOOD,
    BAD_VALUE = 1,
    NO_MEMORY = 2,
    NO_PEER = 217,
    IS_REGISTERED = 712,
    NOT_REGISTERED = 713,
};

/* What lies at a range of addresses. */
enum what {
    RESERVED = 1,
    MAPPED = 2,
    ALLOCATED = 4,
    OPENED = 8,
    DEVICE = MAPPED | ALLOCATED | OPENED,
    LOCKED = 16,
    REGISTERED = 32,
    HOST = LOCKED | REGISTERED,
};

struct place {
    uintptr_t at;
    size_t bytes;
    enum what what;
    int fd;
};

/* What a handle names. */
struct chunk {
    int fd;
    size_t bytes;
};

static struct place places[MOST];
static struct chunk *chunks[MOST];

/* Own memory, which is there as long as something names it. */
static struct file {
    ino_t ino;
    size_t bytes;
} files[MOST];
static int n_files;

static struct place *add(uintptr_t at, size_t bytes, enum what what, int fd)
{
    for (int i = 0; i < MOST; i++)
        if (!places[i].what) {
            places[i] = (struct place){ at, bytes, what, fd };
            return &places[i];
        }
    abort();
}

/* The place of one of these kinds that holds the address. */
static struct place *find(uintptr_t at, int kinds)
{
    for (int i = 0; i < MOST; i++)
        if (places[i].what & kinds && at - places[i].at < places[i].bytes)
            return &places[i];
    return NULL;
}

static size_t most(void)
{
    return (size_t)fake_number("FAKE_MEMORY", 512) << 20;
}

static ino_t ino_of(int fd)
{
    struct stat file;

    if (fstat(fd, &file))
        abort();
    return file.st_ino;
}

static int make_file(size_t bytes, int gpu)
{
    char name[32];
    int fd;

    snprintf(name, sizeof(name), "gpu-%d", gpu);
    fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) || n_files == MOST)
        abort();
    files[n_files++] = (struct file){ ino_of(fd), bytes };
    return fd;
}

/* Whose memory it is, in other processes as well. */
static int gpu_of_file(int fd)
{
    char path[64], name[64] = "";
    int gpu = -1;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (readlink(path, name, sizeof(name) - 1) > 0)
        sscanf(name, "/memfd:gpu-%d", &gpu);
    return gpu;
}

static int current_gpu(void)
{
    int device = 0;

    cuCtxGetDevice(&device);
    return fake_gpu_of(device);
}

static bool reaches(int gpu, int other)
{
    return gpu == other || fake_peers(gpu, other);
}

static bool is_named(ino_t ino)
{
    for (int i = 0; i < MOST; i++)
        if ((chunks[i] && ino_of(chunks[i]->fd) == ino) ||
            (places[i].what & DEVICE && ino_of(places[i].fd) == ino))
            return true;
    return false;
}

/* Bytes that are free. */
static size_t left(void)
{
    size_t used = 0;

    for (int i = 0; i < n_files; i++)
        if (is_named(files[i].ino))
            used += files[i].bytes;
        else
            files[i--] = files[--n_files];
    return most() - used;
}

static uintptr_t reserve(size_t bytes)
{
    char *at =
        mmap(NULL, bytes + UNIT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    /* What is in front and behind stays reserved. */
    return at == MAP_FAILED ? 0 : ((uintptr_t)at + UNIT - 1) / UNIT * UNIT;
}

/* Reads or writes the device's memory; BAD_VALUE where none is mapped. */
static int move(bool write, uintptr_t at, char *host, size_t bytes)
{
    while (bytes) {
        const struct place *p = find(at, DEVICE);
        size_t off = p ? at - p->at : 0, n = p ? p->bytes - off : 0;

        n = n < bytes ? n : bytes;
        if (!p || (write ? pwrite(p->fd, host, n, (off_t)off)
                         : pread(p->fd, host, n, (off_t)off)) != (ssize_t)n)
            return BAD_VALUE;
        at += n, host += n, bytes -= n;
    }
    return GOOD;
}

/* Wholly within one registration, or in none. */
static bool is_one_range(uintptr_t at, size_t bytes)
{
    const struct place *first = find(at, HOST);

    if (first)
        return bytes <= first->bytes - (at - first->at);
    for (int i = 0; i < MOST; i++)
        if (places[i].what & HOST && at < places[i].at + places[i].bytes &&
            places[i].at < at + bytes)
            return false;
    return true;
}

/* --- Memory by handles --- */

int cuMemAddressReserve(uint64_t *at, size_t bytes, size_t align, uint64_t near,
                        unsigned long long flags)
{
    (void)near, (void)flags;
    *at = reserve(bytes);
    if (!*at || bytes % UNIT || align > UNIT)
        return BAD_VALUE;
    add(*at, bytes, RESERVED, -1);
    return GOOD;
}

int cuMemAddressFree(uint64_t at, size_t bytes)
{
    struct place *p = find(at, RESERVED);

    if (!p || p->at != at || p->bytes != bytes || find(at, DEVICE))
        return BAD_VALUE;
    p->what = 0;
    return GOOD;
}

int cuMemGetAllocationGranularity(size_t *bytes, const struct cuda_allocation *what, int option)
{
    (void)what, (void)option;
    *bytes = UNIT;
    return GOOD;
}

static uint64_t name_chunk(int fd, size_t bytes)
{
    for (uint64_t i = 0; i < MOST; i++)
        if (!chunks[i]) {
            chunks[i] = malloc(sizeof(*chunks[i]));
            *chunks[i] = (struct chunk){ fd, bytes };
            return i + 1;
        }
    abort();
}

int cuMemCreate(uint64_t *handle, size_t bytes, const struct cuda_allocation *what,
                unsigned long long flags)
{
    (void)flags;
    if (what->handles != CUDA_FILE_DESCRIPTOR || !bytes || bytes % UNIT)
        return BAD_VALUE;
    if (bytes > left())
        return NO_MEMORY;
    *handle = name_chunk(make_file(bytes, fake_gpu_of(what->location.id)), bytes);
    return GOOD;
}

int cuMemRelease(uint64_t handle)
{
    struct chunk *chunk = handle && handle <= MOST ? chunks[handle - 1] : NULL;

    if (!chunk)
        return BAD_VALUE;
    close(chunk->fd);
    free(chunk);
    chunks[handle - 1] = NULL;
    return GOOD;
}

int cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags)
{
    const struct place *space = find(at, RESERVED);
    const struct chunk *chunk = chunks[handle - 1];

    if (!space || offset || flags || bytes != chunk->bytes || find(at, DEVICE) ||
        bytes > space->bytes - (at - space->at))
        return BAD_VALUE;
    add(at, bytes, MAPPED, fcntl(chunk->fd, F_DUPFD_CLOEXEC, 0));
    return GOOD;
}

int cuMemUnmap(uint64_t at, size_t bytes)
{
    struct place *p = find(at, DEVICE);

    if (!p || p->what != MAPPED || p->at != at || p->bytes != bytes)
        return BAD_VALUE;
    close(p->fd);
    p->what = 0;
    return GOOD;
}

int cuMemSetAccess(uint64_t at, size_t bytes, const struct cuda_access *who, size_t n)
{
    const struct place *p = find(at, DEVICE);

    if (!p || p->bytes < bytes || n != 1 || who->flags != CUDA_READ_WRITE)
        return BAD_VALUE;
    return reaches(fake_gpu_of(who->location.id), gpu_of_file(p->fd)) ? GOOD : NO_PEER;
}

int cuMemExportToShareableHandle(void *fd, uint64_t handle, int type, unsigned long long flags)
{
    if (type != CUDA_FILE_DESCRIPTOR || flags)
        return BAD_VALUE;
    *(int *)fd = fcntl(chunks[handle - 1]->fd, F_DUPFD_CLOEXEC, 0);
    return GOOD;
}

int cuMemImportFromShareableHandle(uint64_t *handle, void *fd, int type)
{
    int copy = fcntl((int)(intptr_t)fd, F_DUPFD_CLOEXEC, 0);
    struct stat file;

    if (type != CUDA_FILE_DESCRIPTOR || copy < 0 || fstat(copy, &file))
        return BAD_VALUE;
    *handle = name_chunk(copy, (size_t)file.st_size);
    return GOOD;
}

int cuMemRetainAllocationHandle(uint64_t *handle, void *at)
{
    const struct place *p = find((uintptr_t)at, DEVICE);

    if (!p || p->what != MAPPED)
        return BAD_VALUE;
    *handle = name_chunk(fcntl(p->fd, F_DUPFD_CLOEXEC, 0), p->bytes);
    return GOOD;
}

int cuMemGetAddressRange_v2(uint64_t *start, size_t *bytes, uint64_t at)
{
    const struct place *p = find(at, DEVICE);

    if (!p)
        return BAD_VALUE;
    *start = p->at;
    *bytes = p->bytes;
    return GOOD;
}

/* --- Memory by addresses, also of other processes --- */

int cuMemGetInfo_v2(size_t *available, size_t *all)
{
    *all = most();
    *available = left();
    return GOOD;
}

int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    if (bytes > left())
        return NO_MEMORY;
    *at = reserve(bytes);
    add(*at, bytes, ALLOCATED, make_file(bytes, current_gpu()));
    return *at ? GOOD : NO_MEMORY;
}

int cuMemFree_v2(uint64_t at)
{
    struct place *p = find(at, DEVICE);

    if (!p || p->what != ALLOCATED || p->at != at)
        return BAD_VALUE;
    close(p->fd);
    p->what = 0;
    return GOOD;
}

/* The ticket is the file's name. */
int cuIpcGetMemHandle(struct cuda_ticket *ticket, uint64_t at)
{
    const struct place *p = find(at, DEVICE);

    if (!p || p->what != ALLOCATED || p->at != at)
        return BAD_VALUE;
    snprintf(ticket->bytes, sizeof(ticket->bytes), "/proc/%d/fd/%d", (int)getpid(), p->fd);
    return GOOD;
}

int cuIpcOpenMemHandle_v2(uint64_t *at, struct cuda_ticket ticket, unsigned flags)
{
    int fd = open(ticket.bytes, O_RDWR | O_CLOEXEC);
    struct stat file;

    if (flags != CUDA_LAZY_PEER_ACCESS || fd < 0 || fstat(fd, &file))
        return BAD_VALUE;
    if (!reaches(current_gpu(), gpu_of_file(fd)))
        return close(fd), NO_PEER;
    *at = reserve((size_t)file.st_size);
    add(*at, (size_t)file.st_size, OPENED, fd);
    return GOOD;
}

int cuIpcCloseMemHandle(uint64_t at)
{
    struct place *p = find(at, DEVICE);

    if (!p || p->what != OPENED || p->at != at)
        return BAD_VALUE;
    close(p->fd);
    p->what = 0;
    return GOOD;
}

/* --- The host's memory --- */

int cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
    (void)flags;
    *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    add((uintptr_t)*at, bytes, LOCKED, -1);
    return GOOD;
}

int cuMemFreeHost(void *at)
{
    struct place *p = find((uintptr_t)at, HOST);

    if (!p || p->what != LOCKED || p->at != (uintptr_t)at)
        return BAD_VALUE;
    p->what = 0;
    free(at);
    return GOOD;
}

int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
    uintptr_t from = (uintptr_t)at;

    if (flags != CUDA_HOST_PORTABLE_MAPPED || from % 4096 || bytes % 4096 || !bytes)
        return BAD_VALUE;
    for (int i = 0; i < MOST; i++)
        if (places[i].what & HOST && from < places[i].at + places[i].bytes &&
            places[i].at < from + bytes)
            return IS_REGISTERED;
    if (bytes >> 20 > (size_t)fake_number("FAKE_PINNED", 1 << 20))
        return NO_MEMORY;
    add(from, bytes, REGISTERED, -1);
    return GOOD;
}

int cuMemHostUnregister(void *at)
{
    struct place *p = find((uintptr_t)at, HOST);

    if (!p || p->what != REGISTERED || p->at != (uintptr_t)at)
        return NOT_REGISTERED;
    p->what = 0;
    return GOOD;
}

int cuPointerGetAttributes(unsigned n, const int *attributes, void **values, uint64_t at)
{
    for (unsigned i = 0; i < n; i++)
        *(unsigned *)values[i] = attributes[i] != CUDA_POINTER_MEMORY_TYPE ? 0
                                 : find(at, DEVICE)                        ? CUDA_MEMORY_DEVICE
                                 : find(at, HOST)                          ? CUDA_MEMORY_HOST
                                                                           : 0;
    return GOOD;
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, struct CUstream_st *stream)
{
    bool there = find(to, DEVICE), here = find(from, DEVICE);
    char *carried = here && there ? malloc(bytes) : NULL;
    int error;

    (void)stream;
    if ((!there && !is_one_range(to, bytes)) || (!here && !is_one_range(from, bytes)))
        return BAD_VALUE;
    if (!here && !there) {
        memmove((void *)to, (const void *)from, bytes);
        return GOOD;
    }
    if (!here)
        return move(true, to, (char *)from, bytes);
    error = move(false, from, carried ? carried : (char *)to, bytes);
    if (!error && carried)
        error = move(true, to, carried, bytes);
    free(carried);
    return error;
}

int cuMemsetD8Async(uint64_t at, unsigned char byte, size_t bytes, struct CUstream_st *stream)
{
    char *filled = malloc(bytes);
    int error;

    (void)stream;
    memset(filled, byte, bytes);
    error = move(true, at, filled, bytes);
    free(filled);
    return error;
}

/* What the process has not given back. The module of the library is its own. */
static __attribute__((destructor)) void report(void)
{
    FILE *file = getenv("FAKE_REPORT") ? fopen(getenv("FAKE_REPORT"), "a") : NULL;
    int n[REGISTERED + 1] = { 0 }, n_chunks = 0;

    for (int i = 0; i < MOST; i++) {
        n[places[i].what]++;
        n_chunks += chunks[i] != NULL;
    }
    if (!file)
        return;
    fprintf(file, "left: %d handles, %d reserved, %d mapped, %d opened, %d registered\n", n_chunks,
            n[RESERVED], n[MAPPED], n[OPENED], n[REGISTERED]);
    fclose(file);
}
