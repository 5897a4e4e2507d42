# Short names for what is done often; the build itself is in CMakeLists.txt.
# SPDX-License-Identifier: BSD-3-Clause

BUILD = build
PREFIX = /usr/local
# PEs of the demo.
N = 4

all: configure ## the library and the commands, in build/
	@cmake --build $(BUILD)

configure:
	@scripts/deps.sh build
	@scripts/fresh.sh $(BUILD)
	@cmake -S . -B $(BUILD) -G Ninja --log-level=WARNING

demo: configure ## solve the heat equation on N PEs (N=4), draw it, and run kernels
	@cmake --build $(BUILD) --target all jacobi
	@$(BUILD)/bin/gshrun -n $(N) $(BUILD)/bin/jacobi -i apps/jacobi/heat.png -o jacobi.png
	@echo "Now a CUDA program, compiled by gshcc for the GPU here, or without one for the CPU:"
	@$(BUILD)/bin/gshcc examples/article/kernel.cu -o $(BUILD)/kernel
	@$(BUILD)/bin/gshrun -n $(N) $(BUILD)/kernel

test: ## build and run all tests; a part: see tests/run
	@scripts/deps.sh build test
	@tests/run

bench: configure ## measure, and write the report
	@scripts/deps.sh bench
	@bench/run -B $(BUILD)

install: all ## into PREFIX (PREFIX=/usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

lint: ## style and static analysis
	@scripts/deps.sh lint
	@scripts/lint.sh

clean: ## remove what was built
	@rm -rf $(BUILD) jacobi.png

help: ## this list
	@sed -n 's/^\([a-z]*\):.* ## \(.*\)/make \1	\2/p' Makefile | expand -t 16

.PHONY: all configure demo test bench install lint clean help
