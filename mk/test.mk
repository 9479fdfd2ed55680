# make test: unit tests, transcripts, examples, installing, fuzz replay, wasm, browser; and parts of it.

# A program per file, and one shared library of all that they have in common: libflamel with what it hides,
# cmocka and tests/support. Each program with its own copy of them would need 25 GB under sanitizers. Support
# may stand in front of the allocator, to make the 1st, 2nd, 3rd ... allocation fail.
TESTS := $(TEST_SOURCES:tests/%.c=%)
WRAP := -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc

$B/tests/libtested.so: $(SUPPORT_OBJECTS) $(LIBRARY_OBJECTS) $B/sources
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,libtested.so -Wl,-Bsymbolic-functions $(LDFLAGS) $(WRAP) \
	    $(filter %.o,$^) $(CMOCKA_LIBS) $(LIBS) -o $@

link_tested = $(CC) $(LDFLAGS) $(WRAP) $(filter %.o,$^) $(filter %.so,$^) -Wl,-rpath,$(abspath $B/tests) \
              $(CMOCKA_LIBS) $(LIBS) -o $@

$B/tests/%_test: $B/obj/tests/%_test.o $B/tests/libtested.so
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link_tested)

# Reads the pictures with what drew them.
ifeq ($(CAIRO),1)
$B/tests/load/png_test: LIBS += $(call package_flags,--libs cairo)
endif

# Those of the command have all of it but its main().
$(patsubst %,$B/tests/%,$(filter cli/%,$(TESTS))): \
    $(filter-out $B/obj/src/cli/command/main.o,$(COMMAND_OBJECTS))

# Those of the page's functions have these; they are no part of the library.
$(patsubst %,$B/tests/%,$(filter wasm/%,$(TESTS))): $(PAGE_SOURCES:%.c=$B/obj/%.o)

# A result is made anew each time: it may depend on any file of tests/data. A test that fails does
# not stop the others; the results are counted at the end.
TEST_SECONDS ?= 600
run_test = @tests/house/run_test.sh $@

UNIT_RESULTS := $(TESTS:%=$B/results/%)
$(UNIT_RESULTS): $B/results/%: $B/tests/% force
	$(run_test) $* $(TEST_SECONDS) $<

# recording_test links a program with the shared library, which is not made under sanitizers.
ifeq ($(SAN),)
$B/results/record/capture/recording_test: $B/libflamel.so
endif

# Of the unit tests, those with servers of ClickHouse, which are skipped where there are none; and a
# cluster of such servers.
CLUSTER_RESULT := $B/results/store/cluster
.PHONY: test-stores
test-stores: $(filter $B/results/store/%,$(UNIT_RESULTS)) $(CLUSTER_RESULT)
	@tests/house/count_results.sh $(filter-out force,$^)

# A fuzz target reads every file of tests/data/<its name>, here without a fuzzer.
FUZZ_NAMES := $(patsubst tests/fuzz/%_fuzz.c,%,$(FUZZ_SOURCES))
seeds_of = $(wildcard tests/data/$(1))

$B/tests/fuzz/%_replay: $B/obj/tests/fuzz/%_fuzz.o $B/obj/tests/fuzz/replay.o $B/tests/libtested.so
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link_tested)

REPLAY_RESULTS := $(FUZZ_NAMES:%=$B/results/fuzz/%_replay)
$(REPLAY_RESULTS): $B/results/fuzz/%_replay: $B/tests/fuzz/%_replay force
	$(run_test) fuzz/$*_replay $(TEST_SECONDS) $< $(call seeds_of,$*)

# What `flamel probe` loads into programs lies beside the command: a test that runs one needs both.
RUNNABLE := $B/flamel $(PROBE_LIBRARIES)

$(CLUSTER_RESULT): tests/store/cluster.py $(RUNNABLE) force
	$(run_test) store/cluster $(TEST_SECONDS) sh -c 'command -v python3 > /dev/null || exit 77; python3 $$0 $$1' $< $B/flamel

CLI_RESULTS := $(if $(wildcard tests/cli/run),$B/results/cli/transcripts)
$B/results/cli/transcripts: $(RUNNABLE) force
	$(run_test) cli/transcripts 600 tests/cli/run $<

EXAMPLE_RESULTS := $(patsubst tests/examples/%.sh,$B/results/examples/%,$(wildcard tests/examples/*.sh))
$(EXAMPLE_RESULTS): $B/results/examples/%: tests/examples/%.sh $(RUNNABLE) force
	$(run_test) examples/$* $(TEST_SECONDS) tests/examples/$*.sh $B/flamel

# What `make install` installs, and completion in the shells that are here.
INSTALL_RESULTS := $(patsubst tests/install/%.sh,$B/results/install/%,$(wildcard tests/install/*.sh))
$(INSTALL_RESULTS): $B/results/install/%: tests/install/%.sh all force
	$(run_test) install/$* $(TEST_SECONDS) tests/install/$*.sh $B/flamel

# Programs that measure what their lines cost, recorded: a minute. The whole matrix of compilers, debug
# information and runtimes takes ten.
LINES_RESULTS := $(patsubst tests/lines/%,$B/results/lines/%,$(basename $(wildcard tests/lines/truth.sh tests/lines/debuginfod.sh tests/lines/peers.py tests/lines/pprof_list.py)))
$B/results/lines/truth: tests/lines/truth.sh $(RUNNABLE) force
	$(run_test) lines/truth 600 tests/lines/truth.sh $B/flamel

# Debug information, machine code and sources of a program that is gone, from a server of elfutils.
$B/results/lines/debuginfod: tests/lines/debuginfod.sh $(RUNNABLE) force
	$(run_test) lines/debuginfod $(TEST_SECONDS) $< $B/flamel

# Each address and line of a perf.data, as perf and addr2line have them.
$B/results/lines/peers: tests/lines/peers.py $(RUNNABLE) force
	$(run_test) lines/peers $(TEST_SECONDS) sh -c 'command -v python3 > /dev/null || exit 77; python3 $$0 $$1' $< $B/flamel

# Each line of a profile of Go, as go tool pprof has it.
$B/results/lines/pprof_list: tests/lines/pprof_list.py $(RUNNABLE) force
	$(run_test) lines/pprof_list $(TEST_SECONDS) sh -c 'command -v python3 > /dev/null || exit 77; python3 $$0 $$1' $< $B/flamel

.PHONY: test-lines
test-lines: $(RUNNABLE)
	tests/lines/truth.sh $< all
	tests/lines/debuginfod.sh $<
	python3 tests/lines/peers.py $<
	python3 tests/lines/pprof_list.py $<

WASM_RESULTS := $(patsubst tests/wasm/%.mjs,$B/results/wasm/%,$(wildcard tests/wasm/*_test.mjs))
$(WASM_RESULTS): $B/results/wasm/%: tests/wasm/%.mjs $(if $(HAVE_WASM),wasm) force
	$(run_test) wasm/$* $(TEST_SECONDS) tests/wasm/run.sh $< $(WASM_TESTS_MODULE)

# In the browsers that are installed, with libraries from npm; skipped where one is missing.
BROWSER_RESULTS := $(patsubst tests/browser/%.mjs,$B/results/browser/%,$(wildcard tests/browser/svg.mjs \
                   tests/browser/viewer_*.mjs tests/browser/load.mjs))
$(BROWSER_RESULTS): $B/results/browser/%: tests/browser/%.mjs $(RUNNABLE) \
    $(if $(HAVE_WASM),$(COMPONENT)) force
	$(run_test) browser/$* 300 tests/browser/run.sh $< $B/flamel

# Clients of other projects, which are packages of npm: likewise.
CLIENT_RESULTS := $(patsubst tests/clients/%.mjs,$B/results/clients/%,$(filter-out %/served.mjs %/agent_batch.mjs,$(wildcard tests/clients/*.mjs)))
$(CLIENT_RESULTS): $B/results/clients/%: tests/clients/%.mjs $(RUNNABLE) force
	$(run_test) clients/$* $(TEST_SECONDS) tests/clients/run.sh $< $B/flamel

.PHONY: test-clients
test-clients: $(CLIENT_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

.PHONY: test-browser
test-browser: $(BROWSER_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

# Memory and arithmetic: what SAN=1 looks at. Every seed of the fuzz targets is replayed.
.PHONY: test-unit
test-unit: $(UNIT_RESULTS) $(REPLAY_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

# The tests in which more than one thread runs: what SAN=thread looks at.
THREADED := os/% net/% load/chunks load/load stats/maxt% gate/runs/distances symbol/registry/% symbol/dwarf/walk \
            symbol/demangle/plain_names record/live/% record/capture/recorder record/capture/recorder_dumps record/capture/recorder_spool record/capture/recorder_readers record/capture/recording \
            cli/top/top cli/tui/live serve/serve serve/grpc/%
# A name that matches no test would leave one out silently.
ifneq ($(filter test-threads,$(MAKECMDGOALS)),)
$(foreach name,$(THREADED),$(if $(filter $(name)_test,$(TESTS)),,$(error mk/test.mk: THREADED has no test $(name))))
endif
THREADED_RESULTS := $(patsubst %,$B/results/%,$(filter $(THREADED:%=%_test),$(TESTS)))
.PHONY: test-threads
test-threads: $(THREADED_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

.PHONY: test
test: $(UNIT_RESULTS) $(REPLAY_RESULTS) $(CLI_RESULTS) $(EXAMPLE_RESULTS) $(INSTALL_RESULTS) $(PROBE_RESULTS) $(JAVA_RESULTS) $(LINES_RESULTS) $(WASM_RESULTS) \
      $(BROWSER_RESULTS) $(CLIENT_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

# Damaged copies of the corpus are read by a program that has the library: with SAN=1, say.
$B/tests/corpus/damaged: $B/obj/tests/corpus/damaged.o $B/libflamel.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

CORPUS ?=
.PHONY: test-corpus
test-corpus: $(RUNNABLE) $B/tests/corpus/damaged
	@test -d '$(CORPUS)' || { echo 'make test-corpus needs CORPUS=DIR' >&2; exit 2; }
	tests/corpus/run.sh $< '$(CORPUS)'
	$B/tests/corpus/damaged -n 24 '$(CORPUS)'
