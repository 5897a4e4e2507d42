# Every function of names.txt can be called by kernels, is a real function, and has exactly the
# listed type, in code for CUDA and for the CPU device, whatever the language level.
# SPDX-License-Identifier: BSD-3-Clause
. "$GSH_SOURCE/tests/tap.sh"

# The types, and the use as a value of those of some types, so that every body is compiled.
awk -F'|' '
BEGIN {
    print "#include <nvshmem.h>"
    print "#include <nvshmemx.h>"
    print "#include <type_traits>"
}
/^[^#]/ {
    printf "static_assert(std::is_same<decltype(&%s), %s (*)(%s)>::value, \"%s\");\n", $2, $1, $3, $2
}
!/^#/ && /_float_|_uint64_.*(wait|test|atomic)|mem/ && !/reduce|_qp_|_nbi/ { uses = uses "    at[" n++ "] = (void *)" $2 ";\n" }
END { print "__global__ void all(void **at)\n{\n" uses "}\n" }' \
    "$GSH_SOURCE/tests/device/names.txt" >names.cu
count=$(grep -c static_assert names.cu)

# quiet COMMAND...: it succeeds and has nothing to say.
quiet() {
    run "$@"
    [ "$status" -eq 0 ] && silent
}

for std in c++14 c++20; do
    for compiler in ${CXX:-g++} clang++; do
        command -v "$compiler" >/dev/null || continue
        ok "$compiler -std=$std, CPU device: all $count functions have their types" \
            quiet env CXX="$compiler" gshcc --target=cpu -std=$std -Wall -Wextra -c names.cu -o cpu.o
    done
done

if command -v nvcc >/dev/null; then
    include=-I$GSH_BUILD/include
    host=-Xcompiler=-Wall
    # shellcheck disable=SC2086 # a list of flags
    ok "nvcc: code is made for every body" \
        quiet nvcc -arch=sm_90 $host "$include" -ptx names.cu -o cuda.ptx
    sed -i '/^    at/d; s/void \*\*at//' names.cu
    for flags in '-arch=sm_75 -std=c++14' '-arch=sm_75 -std=c++14 -rdc=true' \
        '-arch=sm_90 -std=c++20' '-arch=sm_90 -std=c++20 -rdc=true' '-arch=sm_90 -std=c++17 -G'; do
        # shellcheck disable=SC2086 # a list of flags
        ok "nvcc $flags: all $count functions have their types" \
            quiet nvcc $flags $host "$include" -c names.cu -o cuda.o
    done
fi

finish
