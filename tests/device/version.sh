# Init refuses a program for the CPU device that was compiled with headers of another version.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

cat >program.cu <<'EOF'
#include <nvshmem.h>

int main()
{
    nvshmem_init();
    nvshmem_finalize();
    return 0;
}
EOF

cp -rL "$GSH_BUILD/include" other
version=$(sed -n 's/^#define GSH_DEVICE_STATE_VERSION //p' other/gshmem/impl/state.h)
sed -i 's/^\(#define GSH_DEVICE_STATE_VERSION\).*/\1 4711/' other/gshmem/impl/state.h

run gshcc --target=cpu program.cu -o program
ok "a program compiles with the library's headers" is "$status" 0
run gshrun -n 2 ./program
ok "and runs" is "$status" 0
run gshcc --target=cpu -Iother program.cu -o program
ok "it compiles with headers of another version" is "$status" 0
run gshrun -n 2 ./program
refused() { failed && says "program was compiled with .* version 4711 \\(.* version $version \\("; }
ok "then init fails, with the file and both versions" refused

finish
