# OpenSHMEM 1.5, section 5 (language bindings): a program compiles and runs as C11 with each C compiler
# here, as C++ with each C++ compiler, and with nvshmem.h beside shmem.h.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >both.cc <<'END'
#include <nvshmem.h>
#include <shmem.h>
#include <cstdio>
#include <type_traits>

static long word;

int main()
{
    shmem_init();
    int me = shmem_my_pe(), n = nvshmem_n_pes();
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    static_assert(std::is_same<shmem_team_t, nvshmem_team_t>::value, "one kind of team");
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx);
    shmem_ctx_long_p(ctx, &word, me, (me + 1) % n);
    shmem_ctx_quiet(ctx);
    nvshmem_barrier_all();
    long want = (me + n - 1) % n;
    long double *real = static_cast<long double *>(shmem_calloc(2, sizeof(long double)));
    real[0] = 1;
    shmem_longdouble_sum_reduce(SHMEM_TEAM_WORLD, real + 1, real, 1);
    bool good = word == want && real[1] == n;
    shmem_free(real);
    shmem_ctx_destroy(ctx);
    nvshmem_finalize();
    if (!me)
        std::puts(good ? "good" : "bad");
    return good ? 0 : 1;
}
END

for cxx in g++ clang++; do
    command -v $cxx >/dev/null || continue
    for std in c++11 c++17; do
        CXX=$cxx run gshc++ -std=$std -Wall -Wextra -Wpedantic -Werror both.cc -o both
        [ "$status" -eq 0 ] && run gshrun -n 3 ./both
        ok "a program with both headers runs as $std of $cxx" is "$status $(cat out)" "0 good"
    done
done

for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    CC=$cc run gshcc -std=c11 -Wall -Wextra -Wpedantic -Werror -D_GNU_SOURCE \
        "$GSH_SOURCE/tests/shmem/generic.c" -o generic
    [ "$status" -eq 0 ] && run gshrun -n 2 ./generic
    ok "the type-generic names work with $cc" is "$status" 0
done

echo '#include <shmem.h>
int main(void) { static int *p; shmem_put((void **)&p, (void **)&p, 1, 0); }' >wrong.c
run gshcc -std=c11 -fsyntax-only wrong.c
ok "a type that OpenSHMEM has not is refused by the compiler" is "$((status != 0))" 1
finish
