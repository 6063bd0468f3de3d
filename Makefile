# The two commands: `make run` shows the main job on this machine, `make test` runs every test. Both install what is missing.
SHELL := /bin/bash
.DELETE_ON_ERROR:
JOBS ?= $(shell nproc)

.PHONY: help run build release test unit e2e asan tsan fuzz bench accuracy check format dist clean install-packages python-env

help:
	@echo "make run       install what is missing, build, and run examples/photos: a slow training job and why it is slow"
	@echo "make test      the same for all tests"
	@echo "make dist      one relocatable tarball and a Python wheel, in dist/"
	@echo "make bench     measurements against peers (release build); results in bench/results/"
	@echo "make accuracy  predictions against measured truth; fails when worse than the thresholds"
	@echo "make check     format, rooms, translations, clang-tidy on changed files"
	@echo "make asan tsan fuzz   the same tests under sanitizers; short fuzzing"

install-packages:
	@scripts/install-packages.sh

python-env:
	@scripts/python-env.sh

build: install-packages
	@cmake --preset dev >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }; rm -f build-configure.log
	@ninja -C build/dev -j$(JOBS)

release: install-packages
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }; rm -f build-configure.log
	@ninja -C build/release -j$(JOBS) forebay

run: release python-env
	@scripts/demo.sh build/release/src/forebay

test: build python-env
	@scripts/test.sh dev

asan: install-packages python-env
	@cmake --preset asan && ninja -C build/asan -j$(JOBS) && scripts/test.sh asan

tsan: install-packages
	@cmake --preset tsan && ninja -C build/tsan -j$(JOBS) supervisor_test record_test telemetry_test && scripts/test.sh tsan supervisor record telemetry

fuzz: install-packages
	@cmake --preset fuzz && ninja -C build/fuzz -j$(JOBS) && scripts/fuzz.sh build/fuzz 30

bench: release python-env
	@cmake --preset bench >/dev/null && ninja -C build/bench -j$(JOBS) sampling_bench
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check psutil
	@bench/run.sh build/release/src/forebay

accuracy: build python-env
	@scripts/accuracy.sh dev

check: install-packages
	@scripts/check.sh

format:
	@git ls-files '*.cc' '*.h' | xargs clang-format-19 -i

dist: release
	@packaging/make-dist.sh

clean:
	rm -rf build dist
