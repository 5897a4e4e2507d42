# Short names for what is done often; the build itself is in CMakeLists.txt.
# SPDX-License-Identifier: BSD-3-Clause

BUILD = build
PREFIX = /usr/local
# PEs of the demo.
N = 4

all: configure
	@cmake --build $(BUILD)

configure:
	@scripts/deps.sh build
	@cmake -S . -B $(BUILD) -G Ninja --log-level=WARNING

demo: configure
	@cmake --build $(BUILD) --target all jacobi
	@$(BUILD)/bin/gshrun -n $(N) $(BUILD)/bin/jacobi -i apps/jacobi/heat.png -o jacobi.png

test:
	@scripts/deps.sh build test
	@tests/run

bench: configure
	@scripts/deps.sh bench
	@bench/run -B $(BUILD)

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

lint:
	@scripts/deps.sh lint
	@scripts/lint.sh

clean:
	@rm -rf $(BUILD) jacobi.png

.PHONY: all configure demo test bench install lint clean
