# The front door. `make help` lists the targets.

SCENARIO ?= city
ARGS ?=
SEEDS ?= main
PEERS ?= ../shared/peers

# An import that Package.swift does not allow is an error; without the flag it builds silently.
# At a terminal SwiftPM would ask the compiler for colours, and in a pipe not: each of the two would
# build all again after the other.
SWIFT_BUILD := .ci/swift build --explicit-target-dependency-import-check error \
  --no-color-diagnostics
SWIFT_TEST := .ci/swift test --disable-xctest --skip-build
# Units run two at a time: swift-testing begins all at once else, and each waits for a thread.
# Flows start the program; one runs at a time, with nothing beside it. Live tests need others'
# software or a whole machine.
UNITS := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=2
FLOWS := ^FlowTests\.
LIVE := ^LiveTests\.
ALONE := ^LiveTests\.Alone/
SOURCES := Package.swift Sources Tests

# Builds of their own, so that the plain one stays warm; optimised, since tests that live days of a
# thousand phones would take half an hour. A finding ends the process that has it, a program that a
# test has started too.
SANITIZE ?=
ifneq ($(SANITIZE),)
SANITIZED := --sanitize=$(SANITIZE) --scratch-path .build/$(SANITIZE) -Xswiftc -O
SWIFT_BUILD += $(SANITIZED)
SWIFT_TEST += $(SANITIZED)
ifeq ($(SANITIZE),thread)
# The sanitizer does not see into the runtime's reference counts; this tells it.
REFCOUNTS := $(CURDIR)/.build/thread/refcounts.so
SWIFT_TEST := LD_PRELOAD=$(REFCOUNTS) $(SWIFT_TEST)
endif
export FLOTILLA_SANITIZE := $(SANITIZE)
# Crashes are the program's own to tell of, as it does without a sanitizer.
export TSAN_OPTIONS := halt_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0
# The end of the process is a collector's and a fleet's way to free what it had.
export ASAN_OPTIONS := halt_on_error=1:detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0
endif

.DEFAULT_GOAL := help
.PHONY: help deps deps-test build lab mpi install load test test-live test-stress check docs \
	calibrate proto chaos bench bench-peers fuzz figures fmt clean

help:  ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo '  make load SCENARIO=city ARGS="--phones 20000"'
	@echo '  make reports a failed run as its own error 2; for the exact exit code'
	@echo '  call .build/release/flotilla load city.'

deps:  ## Install the libraries that a build needs, if any is missing
	@.ci/deps build

deps-test: deps  ## Install the tools that only tests need, if any is missing
	@.ci/deps test

# For the processor of this machine, which is the one that runs it; what is installed may be carried
# to others. The codec's loops over residuals gain most of it.
NATIVE := $(if $(filter x86_64,$(shell uname -m)),-Xcc -march=native)
install: NATIVE :=

build: deps  ## Build the program, optimised for this machine
	@$(SWIFT_BUILD) -c release --product flotilla $(NATIVE)

lab: build  ## Build flotilla-lab, for people who work on the program
	@$(SWIFT_BUILD) -c release --product flotilla-lab $(NATIVE)

# Loaded by processes that mpirun has started, and by no others: nothing else needs MPI.
mpi:  ## Build what processes of mpirun load: .build/libflotilla-mpi.so
	@command -v mpicc >/dev/null || { \
	  echo 'mpicc is missing: apt-get install openmpi-bin libopenmpi-dev' >&2; exit 1; }
	@mkdir -p .build
	@mpicc -O2 -Wall -Wextra -Werror -shared -fPIC -o .build/libflotilla-mpi.so \
	  Sources/MPIShim/flotilla_mpi.c

# As packagers have it: DESTDIR is where the tree is put together, PREFIX where it will stand.
PREFIX ?= /usr/local
SHARE := $(DESTDIR)$(PREFIX)/share
install: build  ## Install below PREFIX: program, scenarios, documentation, completions
	@install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/flotilla $(SHARE)/man/man1 \
	  $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	  $(SHARE)/fish/vendor_completions.d
	@install -m 755 .build/release/flotilla $(DESTDIR)$(PREFIX)/bin/flotilla
	@if [ -f .build/libflotilla-mpi.so ]; then install -d $(DESTDIR)$(PREFIX)/lib && \
	  install -m 755 .build/libflotilla-mpi.so $(DESTDIR)$(PREFIX)/lib/; fi
	@cp -R scenarios Sources/Run/Run.docc/deploy $(SHARE)/flotilla/
	@install -d $(SHARE)/flotilla/doc
	@install -m 644 Sources/*/*.docc/*.md $(SHARE)/flotilla/doc/
	@.build/release/flotilla manual > $(SHARE)/man/man1/flotilla.1
	@.build/release/flotilla completions bash > $(SHARE)/bash-completion/completions/flotilla
	@.build/release/flotilla completions zsh > $(SHARE)/zsh/site-functions/_flotilla
	@.build/release/flotilla completions fish > $(SHARE)/fish/vendor_completions.d/flotilla.fish
	@echo 'installed $(DESTDIR)$(PREFIX)/bin/flotilla'

load: build  ## Run SCENARIO's fleet against a collector; ARGS are passed on
	@exec .build/release/flotilla load $(SCENARIO) $(ARGS)

$(CURDIR)/.build/thread/refcounts.so: Tests/Sanitizers/refcounts.c
	@mkdir -p $(@D)
	@cc -O2 -Wall -Werror -shared -fPIC -o $@ $< -ldl

test: deps deps-test $(REFCOUNTS)  ## Build and run units and flows; ROOM=Phone or SANITIZE=thread
ifneq ($(ROOM),)
	@FLOTILLA_ROOM=$(ROOM) $(SWIFT_BUILD) --product flotillaPackageTests
	@FLOTILLA_ROOM=$(ROOM) $(UNITS) $(SWIFT_TEST) --filter '^$(ROOM)Tests\.' \
	  $(if $(filter Flow Live,$(ROOM)),--no-parallel)
else
	@$(SWIFT_BUILD) --build-tests
	@$(UNITS) $(SWIFT_TEST) --skip '$(FLOWS)' --skip '$(LIVE)'
	@$(SWIFT_TEST) --no-parallel --filter '$(FLOWS)'
endif

test-live: deps deps-test build  ## Run the tests that need databases, brokers, browsers, two hosts
	@$(SWIFT_BUILD) --build-tests
	@SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 $(SWIFT_TEST) --filter '$(LIVE)' --skip '$(ALONE)'
	@$(SWIFT_TEST) --no-parallel --filter '$(ALONE)'

test-stress: deps deps-test  ## Run make test's tests beside two busy processes: ROUNDS=10
	@$(SWIFT_BUILD) --build-tests
	@.ci/stress $(or $(ROUNDS),10)

check: deps deps-test  ## Format, warnings, arrows, generated code, scenarios
	@swift format lint --strict --parallel --recursive $(SOURCES)
	@$(SWIFT_BUILD) --build-tests
	@$(SWIFT_TEST) --filter TidyTests
	@.ci/check-proto
	@.build/debug/flotilla scenario check

docs: deps  ## Build the documentation of all rooms as web pages in .build/docs
	@$(SWIFT_BUILD)
	@.ci/docs

# NAMES: only these figures, and no pictures.
figures: lab deps-test  ## Write the pages' references, figures and pictures anew: NAMES=city-load
	@.ci/figures --runs .build/figures $(NAMES)
ifeq ($(NAMES),)
	@.ci/pictures .build/figures
endif

proto: deps-test  ## Generate Sources/CFlotillaProto from proto/
	@proto/generate

calibrate: lab  ## Set published claims and recordings beside simulated phones; SEEDS=other
	@exec .build/release/flotilla-lab calibrate --seeds $(SEEDS) $(ARGS)

chaos: lab  ## Kill collector and fleet, harm the wire, compare ledgers: ROUNDS=20 STORE=sqlite
	@exec .build/release/flotilla-lab chaos --rounds $(or $(ROUNDS),20) --seed $(or $(SEED),1) \
	  --store $(or $(STORE),sqlite) $(ARGS)

bench: lab  ## The short form of every bench, each bar beside its figure: ROUNDS=3
	@.ci/bare '$(PEERS)' .build/peers
	@exec .build/release/flotilla-lab bench all --rounds $(or $(ROUNDS),3) $(ARGS)

bench-peers: lab  ## Flotilla and the programs of PEERS in turn, if that folder is there
	@if [ ! -d '$(PEERS)' ]; then echo 'no peers in $(PEERS): nothing to compare with'; exit 0; fi; \
	.ci/peers '$(PEERS)' .build/peers && \
	exec .build/release/flotilla-lab bench peers --rounds $(or $(ROUNDS),3) $(ARGS)

fuzz: deps deps-test  ## Fuzz what reads bytes of others, SECONDS=600 or INPUTS=10000000 each
	@INPUTS=$(INPUTS) .ci/fuzz $(or $(SECONDS),600)

fmt:  ## Format all Swift files
	@swift format --in-place --parallel --recursive $(SOURCES)

clean:  ## Remove what was built; runs/ is kept
	@rm -rf .build
