# Static data is symmetric however the program is linked, and what is not says why.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >ring.h <<'C'
extern int ring_shared[3000];
int *ring_hidden(void);
void ring_put(int value, int pe);
C

cat >libring.c <<'C'
#include "ring.h"
#include <nvshmem.h>

int ring_shared[3000] = { 1 };

int *ring_hidden(void)
{
    static int hidden = 6;

    return &hidden;
}

void ring_put(int value, int pe)
{
    nvshmem_int_p(ring_hidden(), value, pe);
}
C

cat >strange.c <<'C'
int strange = 1;
C

# Puts to a variable named on the command line; 0 when the neighbour's value has come.
cat >pass.c <<'C'
#include <dlfcn.h>
#include <nvshmem.h>
#include <stdlib.h>
#include <string.h>
#ifdef RING
#include "ring.h"
#endif

static int initialised = 3;
static int zero[5000];
static const int constant = 4;

static int *find(const char *what)
{
#ifdef RING
    if (!strcmp(what, "hidden"))
        return ring_hidden();
    if (!strcmp(what, "shared"))
        return &ring_shared[2999];
#endif
    if (!strcmp(what, "zero"))
        return &zero[4999];
    if (!strcmp(what, "constant"))
        return (int *)&constant;
    if (!strchr(what, '/'))
        return &initialised;
    return dlsym(dlopen(what, RTLD_NOW), !strcmp(what, "./libstrange.so") ? "strange" : "ring_shared");
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int *at = strchr(what, '/') ? NULL : find(what);
    int me, n, before = at ? *at : 0, good;

    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    if (!at)
        at = find(what);
    if (!strcmp(what, "wait"))
        nvshmem_int_wait_until(at, NVSHMEM_CMP_EQ, 99);
    if (!strcmp(what, "many"))
        nvshmem_putmem(at, zero, (size_t)1 << 30, me);
    good = *at == before;
    nvshmem_barrier_all();
    nvshmem_int_p(at, 10 + me, (me + 1) % n);
#ifdef RING
    if (!strcmp(what, "hidden"))
        ring_put(10 + me, (me + 1) % n);
#endif
    nvshmem_barrier_all();
    good = good && *at == 10 + (me + n - 1) % n;
    nvshmem_finalize();
    return good ? argc - 2 : 1;
}
C

# compiled COMMAND...: it went well, or the test ends.
compiled() {
    "$@" || { echo "not ok - $* fails" && exit 1; }
}
# passes FACT PROGRAM VARIABLE
passes() {
    run gshrun -n 3 "$2" "$3"
    ok "$1" is "$status" 0
}
# refused FACT PATTERN PROGRAM VARIABLE
refused() {
    run gshrun -n 2 "$3" "$4"
    ok "$1" failed
    ok "$1: says /$2/" says "$2"
}

compiled gshcc -fPIE -pie pass.c -o pie -ldl
passes "a variable of a position-independent program is symmetric" ./pie initialised
passes "so is one of its bss" ./pie zero
refused "a constant is refused" 'nvshmem_int_p: 0x[0-9a-f]+ is not a symmetric address: it is read-only data of pie' \
    ./pie constant
refused "more bytes than there are are refused" 'beyond the static data of pie' ./pie many

compiled gshcc -no-pie -fno-pie pass.c -o fixed -ldl
passes "a variable of a program at a fixed address is symmetric" ./fixed initialised
passes "so is one of its bss" ./fixed zero

compiled "${CC:-cc}" -I"$GSH_BUILD/include" pass.c -o archive "$GSH_BUILD/lib/libgshmem.a" -ldl -lpthread
passes "so it is with the library's archive in the program" ./archive initialised
passes "and for its bss" ./archive zero

compiled gshcc -shared -fPIC libring.c -o libring.so
compiled gshcc -DRING pass.c -o ring -L. -lring -Wl,-rpath,. -ldl
passes "a hidden variable of a library that is linked with libgshmem is symmetric" ./ring hidden
passes "so is an array that it exports" ./ring shared
passes "so are the program's own" ./ring initialised

compiled "${CC:-cc}" -shared -fPIC strange.c -o libstrange.so
refused "a variable of a library that has nothing to do with it is refused" \
    'data of libstrange.so; only variables of the program and of libraries that are linked' \
    ./pie ./libstrange.so
refused "a variable of a library that is loaded later is refused" \
    'data of libring.so, which was loaded after initialisation' ./pie ./libring.so

run gshrun -n 2 sh -c 'mkdir first 2>/dev/null && exec ./pie zero || exec ./ring zero'
ok "PEs with different programs share no variables" failed
ok "which is said" says 'static data, which is not symmetric .*PE [01] runs another program'

run gshrun -n 2 -x GSHMEM_TIMEOUT=1 ./pie wait
ok "a wait that is not fulfilled names the variable by program and address" \
    says 'word 0 of 1 \(pie\+0x[0-9a-f]+\) to be EQ 99; it is 3'

run gshrun -n 2 -x GSHMEM_FAULT=fail:data.map ./pie zero
ok "where the mapping fails, init fails" failed
ok "and says so" says 'cannot map the static data of pie into the window'

if "${CC:-cc}" -static -I"$GSH_BUILD/include" pass.c -o alone "$GSH_BUILD/lib/libgshmem.a" -ldl \
    -lpthread >/dev/null 2>&1; then
    refused "a program with the C library in it keeps its variables private" 'linked with -static' \
        ./alone zero
fi

program large <<'C'
#include <nvshmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char large[1 << 30];

/* A number of a file of /proc, in KiB; -1: none. */
static long kib(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char line[256];
    long value = -1;

    while (value < 0 && file && fgets(line, sizeof(line), file))
        if (!strncmp(line, key, strlen(key)))
            sscanf(line + strlen(key), "%ld", &value);
    if (file)
        fclose(file);
    return value;
}

static int small(const char *when)
{
    long resident = kib("/proc/self/status", "VmHWM:");

    if (resident < 0 || resident < 64 << 10)
        return 1;
    printf("%s: %ld KiB\n", when, resident);
    return 0;
}

static int child_sees(void)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        _exit(large[500 << 20] == 7 && small("child") ? 0 : 1);
    return waitpid(child, &status, 0) == child && status == 0;
}

int main(void)
{
    int me, n, good = 1;

    large[500 << 20] = 7;
    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    good &= small("init") && large[500 << 20] == 7;
    nvshmem_char_p(&large[(1 << 30) - 1 - n], 'x', (me + 1) % n);
    nvshmem_barrier_all();
    good &= large[(1 << 30) - 1 - n] == 'x' && small("put");
    good &= child_sees();
    nvshmem_finalize();
    good &= large[(1 << 30) - 1 - n] == 'x' && large[500 << 20] == 7 && small("finalize");
    return !good;
}
C
run gshrun -n 2 ./large
ok "1 GiB of which two pages are used costs no memory in init, put, fork and finalize" is "$status" 0
finish
