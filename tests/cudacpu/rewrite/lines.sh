# What happens in line N of a CUDA source is reported there: by the compiler, by __LINE__,
# by the debugger and in errors of the rewriting itself.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

said() { is "$status" 1 && says "$1"; }

# The launch is over several lines, a macro makes some, and the error is behind.
cat >lines.cu <<'END'
#include "lines.h"
#define TWICE(k, p) k<<<1, 1>>>(p); \
    k<<<1, 1>>>(p)
__global__ void line(int *p)
{
    *p = __LINE__;
}
int main()
{
    int a, b;
    line<<<1,
        1,
        0>>>(
        &a);
    TWICE(line,
        &b);
    header_line<<<1, 1>>>(&b);
    cudaDeviceSynchronize();
    return !(a == 6 && b == 4 && __LINE__ == 19);
}
END
cat >lines.h <<'END'
extern __shared__ int dynamic[];
template <class T> __global__ void header_line(T *p)
{
    *p = __LINE__;
}
END
run gshcc --target=cpu -g lines.cu -o lines
ok "lines.cu compiles" is "$status" 0
run ./lines
ok "__LINE__ is right before, in and behind launches and kernels" is "$status" 0

# where FUNCTION: the line of its address.
where() {
    nm -C lines | sed -n "s/ [TtWw] $1$//p" >address
    addr2line -e lines "0x$(cat address)" >out
}
where 'line(int\*)'
ok "debugging information has the line of a kernel" says '/lines\.cu:5$'
where 'void header_line<int>(int\*)'
ok "and of a kernel in a header" says '/lines\.h:2$'

if command -v gdb >/dev/null; then
    run gdb -q -batch -ex 'set debuginfod enabled off' -ex 'break lines.cu:6' -ex run -ex 'print p' \
        -ex backtrace ./lines
    ok "gdb stops in a kernel, by line" says 'line \(p=0x[0-9a-f]+\) at .*lines\.cu:6'
fi

for line in 6 14 17; do
    sed "${line}s/[&*]/undeclared + /" lines.cu >wrong.cu
    run gshcc --target=cpu -c wrong.cu
    ok "the compiler reports what is wrong in line $line there" said "^wrong\.cu:$line:"
done
sed 's/= __LINE__/= undeclared/' lines.h >wrong.h
sed 's/lines\.h/wrong.h/' lines.cu >wrong.cu
run gshcc --target=cpu -c wrong.cu
ok "and what is wrong in a header there" said '^(\./)?wrong\.h:4:'

printf '#include "lines.h"\n\n__global__ void k();\nvoid f()\n{\n    k<<<1, 1>>();\n}\n' >wrong.cu
run gshcc --target=cpu -c wrong.cu
ok "a launch without its end is reported" said '^wrong\.cu:6: error: .*>>>'
printf '\nvoid f()\n{\n    void (*k)() = f;\n    k<<<>>>();\n}\n' >wrong.cu
run gshcc --target=cpu -c wrong.cu
ok "a launch without a grid is reported" said '^wrong\.cu:5: error: .*grid'
printf '__global__ void k()\n{\n    asm volatile("wgmma.fence.sync.aligned;");\n}\n' >wrong.cu
run gshcc --target=cpu -c wrong.cu
ok "PTX that cannot run is reported" said '^wrong\.cu:3: error: .*wgmma\.fence.*__CUDA_ARCH__'
finish
