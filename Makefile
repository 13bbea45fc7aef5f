# `make help` lists the targets.

SCENARIO ?= city
ARGS ?=
SEEDS ?= main
PEERS ?= ../shared/peers

# The flag makes an import that Package.swift does not allow an error.
# Without --no-color-diagnostics, builds on a terminal and in a pipe have different compiler flags,
# and each rebuilds everything after the other.
SWIFT_BUILD := .ci/swift build --explicit-target-dependency-import-check error \
  --no-color-diagnostics
SWIFT_TEST := .ci/swift test --disable-xctest --skip-build
# The tests that run at the same time: swift-testing would start all of them, and they would wait
# for threads. Flow tests start the program and wait for it. Live tests need third-party software or
# an idle machine.
AT_ONCE := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH
FLOWS := ^FlowTests\.
LIVE := ^LiveTests\.
ALONE := ^LiveTests\.Alone/
SOURCES := Package.swift Sources Tests
# The configuration in which tests are built. With release, `make build` and the tests share one
# build, which takes less time than two.
CONFIGURATION ?= debug
ifeq ($(CONFIGURATION),release)
SWIFT_BUILD += -Xswiftc -enable-testing
SWIFT_TEST += -c release
FOR_TESTS = $(OPTIMISED) $(NATIVE)
endif

# Separate build folders, so that the plain build stays valid; optimised, since tests that simulate
# days of a thousand phones would take half an hour. A finding ends the process, also a program that
# a test has started.
SANITIZE ?=
ifneq ($(SANITIZE),)
SANITIZED := --sanitize=$(SANITIZE) --scratch-path .build/$(SANITIZE) -Xswiftc -O
SWIFT_BUILD += $(SANITIZED)
SWIFT_TEST += $(SANITIZED)
ifeq ($(SANITIZE),thread)
# Tells the sanitizer about the runtime's reference counts.
REFCOUNTS := $(CURDIR)/.build/thread/refcounts.so
SWIFT_TEST := LD_PRELOAD=$(REFCOUNTS) $(SWIFT_TEST)
endif
export FLOTILLA_SANITIZE := $(SANITIZE)
# The program handles crashes itself, as without a sanitizer.
export TSAN_OPTIONS := halt_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0
# Collector and fleet do not free their memory before exit.
export ASAN_OPTIONS := halt_on_error=1:detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0
endif

.DEFAULT_GOAL := help
.PHONY: help deps deps-test build lab mpi install stage deb image load tests test test-live test-stress \
	lint check docs calibrate proto chaos bench bench-peers fuzz figures fmt clean

help:  ## Print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo '  make load SCENARIO=city ARGS="--phones 20000"'
	@echo '  make exits with 2 if a run fails; for the exit code of the run, call'
	@echo '  .build/release/flotilla load city.'

deps:  ## Install missing libraries for the build
	@.ci/deps build

deps-test: deps  ## Install missing tools for the tests
	@.ci/deps test

# Optimises for the processor of this machine, except for results that may run on other machines:
# `make install`, packages and images. The loops of the codec gain most.
NATIVE := $(if $(filter x86_64,$(shell uname -m)),-Xcc -march=native)
# Debug information would take a tenth of the build. Backtraces have the names of functions, no lines.
OPTIMISED := -c release -debug-info-format none
install deb image: NATIVE :=

build: deps  ## Build the program, optimised for this machine
	@.ci/build flotilla $(SWIFT_BUILD) $(OPTIMISED) --product flotilla $(NATIVE)

lab: build  ## Build flotilla-lab, the tools for developers
	@.ci/build flotilla-lab $(SWIFT_BUILD) $(OPTIMISED) --product flotilla-lab $(NATIVE)

# Only processes started by mpirun load it; nothing else needs MPI.
mpi:  ## Build the MPI library for mpirun: .build/libflotilla-mpi.so
	@command -v mpicc >/dev/null || { \
	  echo 'mpicc is missing; run: apt-get install openmpi-bin libopenmpi-dev' >&2; exit 1; }
	@mkdir -p .build
	@mpicc -O2 -Wall -Wextra -Werror -shared -fPIC -o .build/libflotilla-mpi.so \
	  Sources/MPIShim/flotilla_mpi.c

# As usual for packages: files are staged in DESTDIR and installed below PREFIX.
PREFIX ?= /usr/local
SHARE := $(DESTDIR)$(PREFIX)/share
install: build  ## Install program, scenarios, documentation, completions to PREFIX
	@$(MAKE) --no-print-directory stage
	@echo 'installed $(DESTDIR)$(PREFIX)/bin/flotilla'

stage:
	@install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/flotilla $(SHARE)/man/man1 \
	  $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	  $(SHARE)/fish/vendor_completions.d
	@install -m 755 .build/release/flotilla $(DESTDIR)$(PREFIX)/bin/flotilla
	@if [ -f .build/libflotilla-mpi.so ]; then install -d $(DESTDIR)$(PREFIX)/lib && \
	  install -m 755 .build/libflotilla-mpi.so $(DESTDIR)$(PREFIX)/lib/; fi
	@cp -R scenarios Sources/Run/Run.docc/deploy Sources/Collector/Collector.docc/deploy \
	  $(SHARE)/flotilla/
	@install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	@sed 's,/usr/bin/,$(PREFIX)/bin/,' Sources/Collector/Collector.docc/deploy/flotilla-collect.service \
	  > $(DESTDIR)$(PREFIX)/lib/systemd/system/flotilla-collect.service
	@install -d $(SHARE)/flotilla/doc
	@install -m 644 Sources/*/*.docc/*.md $(SHARE)/flotilla/doc/
	@.build/release/flotilla manual > $(SHARE)/man/man1/flotilla.1
	@.build/release/flotilla completions bash > $(SHARE)/bash-completion/completions/flotilla
	@.build/release/flotilla completions zsh > $(SHARE)/zsh/site-functions/_flotilla
	@.build/release/flotilla completions fish > $(SHARE)/fish/vendor_completions.d/flotilla.fish

deb: build  ## Build a Debian package: .build/flotilla_VERSION_ARCHITECTURE.deb
	@.ci/package deb

image: build  ## Build an image of a container: .build/flotilla-image.tar, IMAGE=NAME:TAG
	@IMAGE='$(IMAGE)' .ci/package image

load: build  ## Run the fleet of SCENARIO against a collector, with ARGS
	@exec .build/release/flotilla load $(SCENARIO) $(ARGS)

$(CURDIR)/.build/thread/refcounts.so: Tests/Sanitizers/refcounts.c
	@mkdir -p $(@D)
	@cc -O2 -Wall -Werror -shared -fPIC -o $@ $< -ldl

# Once for all goals of a call.
tests: deps deps-test
	@$(SWIFT_BUILD) --build-tests $(FOR_TESTS)

test: deps deps-test $(REFCOUNTS)  ## Run unit and flow tests; ROOM=Phone or SANITIZE=thread
ifneq ($(ROOM),)
	@FLOTILLA_ROOM=$(ROOM) $(SWIFT_BUILD) --product flotillaPackageTests $(FOR_TESTS)
	@FLOTILLA_ROOM=$(ROOM) $(AT_ONCE)=2 $(SWIFT_TEST) --filter '^$(ROOM)Tests\.'
else
test: tests
	@$(AT_ONCE)=2 $(SWIFT_TEST) --skip '$(FLOWS)' --skip '$(LIVE)'
	@$(AT_ONCE)=3 $(SWIFT_TEST) --filter '$(FLOWS)'
endif

test-live: build tests  ## Run tests that need databases, brokers, browsers or two hosts
	@$(AT_ONCE)=4 $(SWIFT_TEST) --filter '$(LIVE)' --skip '$(ALONE)'
	@$(SWIFT_TEST) --no-parallel --filter '$(ALONE)'

test-stress: tests  ## Run the tests of make test under CPU load: ROUNDS=10
	@.ci/stress $(or $(ROUNDS),10)

# Fails in seconds, before the build.
lint:
	@swift format lint --strict --parallel --recursive $(SOURCES)

check: lint tests  ## Check format, warnings, imports, generated code, scenarios
	@$(SWIFT_TEST) --filter TidyTests
	@.ci/check-proto
	@.build/$(CONFIGURATION)/flotilla scenario check

docs: deps  ## Build the documentation of all modules as HTML in .build/docs
	@$(SWIFT_BUILD)
	@.ci/docs

# NAMES: update only these figures, and no pictures.
figures: lab deps-test  ## Regenerate references, figures and pictures: NAMES=city-load
	@.ci/figures --runs .build/figures $(NAMES)
ifeq ($(NAMES),)
	@.ci/pictures .build/figures
endif

proto: deps-test  ## Generate Sources/CFlotillaProto from proto/
	@proto/generate

calibrate: lab  ## Compare simulated phones with claims and recordings; SEEDS=other
	@exec .build/release/flotilla-lab calibrate --seeds $(SEEDS) $(ARGS)

chaos: lab  ## Kill collector and fleet, inject faults, compare ledgers: ROUNDS=20
	@exec .build/release/flotilla-lab chaos --rounds $(or $(ROUNDS),20) --seed $(or $(SEED),1) \
	  --store $(or $(STORE),sqlite) $(ARGS)

bench: lab  ## Run all benchmarks in short form: ROUNDS=3
	@.ci/bare '$(PEERS)' .build/peers
	@exec .build/release/flotilla-lab bench all --rounds $(or $(ROUNDS),3) $(ARGS)

bench-peers: lab  ## Compare Flotilla with the programs in PEERS, if that folder exists
	@if [ ! -d '$(PEERS)' ]; then echo 'no peers in $(PEERS); nothing to compare'; exit 0; fi; \
	.ci/peers '$(PEERS)' .build/peers && \
	exec .build/release/flotilla-lab bench peers --rounds $(or $(ROUNDS),3) $(ARGS)

fuzz: deps deps-test  ## Fuzz all parsers of external input, SECONDS=600 or INPUTS=10000000 each
	@INPUTS=$(INPUTS) .ci/fuzz $(or $(SECONDS),600)

fmt:  ## Format all Swift files
	@swift format --in-place --parallel --recursive $(SOURCES)

clean:  ## Remove build output; keeps runs/
	@rm -rf .build
