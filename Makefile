# How flamel is built, tested and installed. Everything that is made goes to build/.
#
#   make                the command build/flamel, build/libflamel.a and build/libflamel.so
#   make test           every test: unit, transcripts of the command, examples, fuzz replay, wasm, browser;
#                       -j helps
#   make test-browser   pictures in the browser that is installed: chromium, node and npm
#   make check          the rules of the house: layers, headers, globals, format, lint (tests/house)
#   make fuzz           libFuzzer on every target in tests/fuzz; FUZZ=folded for one, SECONDS=60 each
#   make bench          what we claim about speed, measured (bench/)
#   make bench-power    what we claim about the gate: false positives, and what it finds (minutes)
#   make wasm           the pure folders for the browser: build/wasm/flamel.wasm
#   make demo           records a program here, and opens what it found: build/demo.html, .svg, .flm
#   make test-corpus    the command on a folder of real profiles: CORPUS=DIR
#   make install        command, library, headers, pkg-config file and manual pages; PREFIX, DESTDIR
#   make uninstall      removes them
#   make format         clang-format on every source
#   make clean          removes build/
#
#   CC=clang            another compiler              WERROR=1   warnings are errors
#   SAN=1               address and undefined behaviour sanitizers, in build/san
#   V=1                 shows the commands            OPTIMIZE   instead of -O2

VERSION := 0.1.0
ABI     := 0

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh

# ---- Where things are ---------------------------------------------------------------------------

BUILD := build
PREFIX ?= /usr/local

layers_of = $(shell awk '$$2 == "$(1)" { print $$1 }' LAYERS)
sources_in = $(foreach folder,$(1),$(sort $(wildcard src/$(folder)/*.c)))

PAGE_SOURCES    := $(sort $(wildcard src/view/page*.c))
PURE_SOURCES    := $(filter-out $(PAGE_SOURCES),$(call sources_in,$(call layers_of,pure)))
LIBRARY_SOURCES := $(PURE_SOURCES) $(call sources_in,$(call layers_of,system))
COMMAND_SOURCES := $(call sources_in,$(call layers_of,command))

# src/view/page*.c is what the module in the browser exports: it has writable globals, one viewer a
# module, so it is no part of the library.

# The unit tests mirror src/: tests/base/bytes_test.c tests src/base/bytes.c.
TEST_SOURCES    := $(wildcard tests/*/*_test.c)
SUPPORT_SOURCES := $(wildcard tests/support/*.c)
FUZZ_SOURCES    := $(wildcard tests/fuzz/*_fuzz.c)
BENCH_SOURCES   := $(wildcard bench/*.c)

# ---- How they are compiled ----------------------------------------------------------------------

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG   ?= $(firstword $(foreach name,clang clang-14,$(shell command -v $(name))) clang)
WASM_LD ?= $(firstword $(foreach name,wasm-ld wasm-ld-14,$(shell command -v $(name))) wasm-ld)
PKG_CONFIG ?= pkg-config
MODULE := $(BUILD)/wasm/flamel.wasm
PAGE_MODULE := $(BUILD)/wasm/page.wasm
WASM_TESTS_MODULE := $(BUILD)/wasm/tests.wasm
HAVE_WASM := $(and $(shell command -v $(CLANG)),$(shell command -v $(WASM_LD)))
HAVE_PAGE := $(and $(HAVE_WASM),$(shell command -v xz))

OPTIMIZE ?= -O2
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
            -Werror=int-conversion

# Optional, for packagers: added after ours.
CFLAGS   ?=
CPPFLAGS ?=
LDFLAGS  ?=

# Never contract a*b+c: the same input gives the same bytes on every machine.
LANGUAGE := -std=c11 -ffp-contract=off -Isrc -Iinclude -I$(BUILD)/generated \
            -DFLAMEL_VERSION='"$(VERSION)"'

# Pure code sees the C standard only; the rest also what the system has beyond it, defined as
# nothing, so that a source may say it too. Tests share tests/support: "support/allocation.h".
sees = $(if $(filter $(PURE_SOURCES) $(PAGE_SOURCES),$(1)),,-D_GNU_SOURCE= $(if $(filter 1,$(CAIRO)),-DFLAMEL_CAIRO)) \
       $(if $(filter tests/%,$(1)),-Itests)

# One compilation serves both libraries; calls inside the library need not go through its table.
NATIVE := $(OPTIMIZE) -g -fPIC -fno-semantic-interposition -pthread

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ifeq ($(SAN),1)
B := $(BUILD)/san
NATIVE += $(SANITIZE)
LDFLAGS += $(SANITIZE)
else
B := $(BUILD)
endif

ifneq ($(filter test check,$(MAKECMDGOALS)),)
WERROR ?= 1
endif
FATAL := $(if $(filter 1,$(WERROR)),-Werror)

# PNG needs cairo, which is left out where it is not there: CAIRO=0 leaves it out anyhow.
CAIRO ?= $(shell $(PKG_CONFIG) --exists cairo 2>/dev/null && echo 1)
# Cairo, libmicrohttpd (the server of `flamel view`), libcurl and liblzma are loaded when they are
# needed, not linked: src/io/library.h. The first two have their headers here all the same.
LOADED := libmicrohttpd $(if $(filter 1,$(CAIRO)),cairo)
PACKAGES := libdw libelf libzstd zlib
package_flags = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)
# libstdc++ has the demangler of C++: __cxa_demangle.
LIBS := $(or $(call package_flags,--libs $(PACKAGES)),-ldw -lelf -lzstd -lz) -lstdc++ -pthread -lm
# The command has it inside, where the compiler has an archive of it: 55 KB, instead of two libraries
# that are 0.6 ms of each start.
CXX_ARCHIVE := $(filter /%,$(shell $(CC) -print-file-name=libstdc++.a 2>/dev/null))
COMMAND_LIBS := $(patsubst -lstdc++,$(or $(CXX_ARCHIVE),-lstdc++),$(LIBS))
LANGUAGE += $(foreach package,$(PACKAGES) $(LOADED),$(call package_flags,--cflags $(package)))
CMOCKA_LIBS := $(or $(call package_flags,--libs cmocka),-lcmocka)

say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(patsubst $(BUILD)/%,%,$(2));)
compile = $(CC) $(LANGUAGE) $(call sees,$<) $(WARNINGS) $(FATAL) $(NATIVE) $(CPPFLAGS) $(CFLAGS)
depend = -MMD -MP -MF $(@:.o=.d) -MT $@

# ---- The library and the command ----------------------------------------------------------------

LIBRARY_OBJECTS := $(LIBRARY_SOURCES:%.c=$B/obj/%.o)
COMMAND_OBJECTS := $(COMMAND_SOURCES:%.c=$B/obj/%.o)
SUPPORT_OBJECTS := $(SUPPORT_SOURCES:%.c=$B/obj/%.o)

.PHONY: all
all: $B/flamel $B/libflamel.a $B/libflamel.so

# A file that is written anew only when its text changes. What depends on it is then made again.
remember = @mkdir -p $(@D); echo '$(subst ','\'',$(1))' > $@.new; \
            if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: force

# Other flags compile everything again. -Werror does not count: it would do so between `make` and
# `make test`.
$B/flags: force
	$(call remember,$(filter-out -Werror,$(compile)) $(LDFLAGS))

# A source that is gone leaves the library, and one that is older than the library enters it.
$B/sources: force
	$(call remember,$(LIBRARY_SOURCES))

$B/obj/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$*.c)$(compile) $(depend) -c $< -o $@

# The script and the style that every SVG carries are files of src/draw, here made into bytes.
ASSETS := $(BUILD)/generated/draw/svg_assets_generated.h
SVG_SCRIPT := $(patsubst %,src/draw/svg_%.js,data text view page control)
asset = printf 'static const unsigned char $(1)[] = {\n'; \
        $(2) | od -An -v -tu1 | sed 's/[0-9]\{1,\}/&,/g'; printf '};\n'
bare = awk -f src/draw/svg_assets.awk $(1)
$(ASSETS): src/draw/svg_assets.awk src/draw/svg.css src/draw/svg_dark.css $(SVG_SCRIPT)
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ $(call asset,style,$(call bare,src/draw/svg.css)); \
	    $(call asset,dark_style,$(call bare,src/draw/svg_dark.css)); \
	    $(call asset,script,{ echo '(()=>{"use strict";'; $(call bare,$(SVG_SCRIPT)); \
	        echo '})();'; }); } > $@.new
	@mv $@.new $@
$B/obj/src/draw/svg_assets.o $B/other/src/draw/svg_assets.ok: $(ASSETS)
$(BUILD)/fuzz/obj/src/draw/svg_assets.o $(BUILD)/wasm/obj/src/draw/svg_assets.o: $(ASSETS)

# What every page consists of. Modules of a script are put behind each other, in an order in which
# each uses those before it; a page has it as one script, packed, which the first one starts.
PAGE_BODY   := web/page.html
PAGE_STYLE  := web/start.css
PAGE_START  := web/start.js
VIEWER_STYLE := $(BUILD)/generated/web/style.js
VIEWER      := $(VIEWER_STYLE) $(patsubst %,web/%.js,worker load dom core letters canvas theme tooltip panel tables \
               tools search chips palette status aria hash export files viewer)
PAGE_SCRIPT := $(VIEWER) web/page.js

# The style is a text of the script: so it is packed too, and goes into a shadow root as well.
$(VIEWER_STYLE): src/draw/svg_assets.awk web/page.css
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ printf 'export const viewerStyle = `'; $(call bare,web/page.css); \
	    printf '`;\n'; } > $@.new
	@mv $@.new $@

# The viewer as an element of other pages: what npm gets.
C := $(BUILD)/component
COMPONENT := $C/flamel-graph.js $C/flamel.wasm $C/index.d.ts $C/package.json $C/README.md $C/LICENSE
.PHONY: component
component: $(COMPONENT)
$C/flamel-graph.js: src/draw/svg_assets.awk $(PAGE_START) $(VIEWER) web/component/component.js
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ $(call bare,$(PAGE_START) $(VIEWER) web/component/component.js); \
	    echo 'export {FlamelGraph};'; } > $@.new
	@mv $@.new $@
$C/flamel.wasm: $(MODULE)
	@mkdir -p $(@D) && cp $< $@
$C/index.d.ts $C/README.md: $C/%: web/component/%
	@mkdir -p $(@D) && cp $< $@
$C/LICENSE: LICENSE
	@mkdir -p $(@D) && cp $< $@
$C/package.json: web/component/package.json Makefile
	@mkdir -p $(@D) && sed 's/"version": "[^"]*"/"version": "$(VERSION)"/' $< > $@

PAGE_ASSETS := $(BUILD)/generated/io/html_assets_generated.h
$(PAGE_ASSETS): src/draw/svg_assets.awk web/short_names.awk src/io/html_assets.sh $(PAGE_BODY) $(PAGE_STYLE) \
    $(PAGE_START) $(PAGE_SCRIPT) $(if $(HAVE_PAGE),$(MODULE) $(PAGE_MODULE) $(BUILD)/wasm/unpack.wasm $(BUILD)/wasm/split)
	@mkdir -p $(@D)
	$(call say,ASSETS,$@)src/io/html_assets.sh '$(PAGE_BODY)' '$(PAGE_STYLE)' \
	    '$(PAGE_START)' '$(PAGE_SCRIPT)' \
	    $(if $(HAVE_PAGE),$(MODULE) $(PAGE_MODULE) $(BUILD)/wasm/unpack.wasm $(BUILD)/wasm/split) > $@.new
	@mv $@.new $@
$B/obj/src/io/html_assets.o $B/other/src/io/html_assets.ok: $(PAGE_ASSETS)
$(BUILD)/fuzz/obj/src/io/html_assets.o: $(PAGE_ASSETS)

$B/libflamel.a: $(LIBRARY_OBJECTS) $B/sources
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(LIBRARY_OBJECTS)

# The shared library shows what the public headers declare, and nothing else.
$B/flamel.map: $(wildcard include/flamel/*.h)
	@mkdir -p $(@D)
	$(call say,MAP,$@)grep -ho 'flm_[a-z0-9_]* *(' $^ | sort -u | \
	    awk 'BEGIN { print "FLAMEL_$(ABI) {\nglobal:" } { sub(/ *\(/, ""); print "    " $$0 ";" } \
	         END { print "local:\n    *;\n};" }' > $@

SHARED := libflamel.so.$(VERSION)
$B/$(SHARED): $(LIBRARY_OBJECTS) $B/sources $B/flamel.map
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,libflamel.so.$(ABI) \
	    -Wl,--version-script,$B/flamel.map $(LDFLAGS) $(LIBRARY_OBJECTS) $(LIBS) -o $@
$B/libflamel.so: $B/$(SHARED)
	@ln -sf $(SHARED) $B/libflamel.so.$(ABI)
	@ln -sf libflamel.so.$(ABI) $@

# Mentioned here, so that make keeps them: it removes what only a chain of patterns needs.
.PHONY: objects
objects: $(LIBRARY_OBJECTS) $(COMMAND_OBJECTS) $(PAGE_SOURCES:%.c=$B/obj/%.o) $(SUPPORT_OBJECTS) $(TEST_SOURCES:%.c=$B/obj/%.o) \
         $(patsubst %.c,$B/obj/%.o,$(wildcard tests/fuzz/*.c)) $(BENCH_SOURCES:%.c=$B/obj/%.o)

$B/flamel: $(COMMAND_OBJECTS) $B/libflamel.a
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $^ $(COMMAND_LIBS) -o $@

# ---- Tests --------------------------------------------------------------------------------------

# A program per file: cmocka, what tests/support has, and the library. Support may stand in front
# of the allocator, to make the 1st, 2nd, 3rd ... allocation fail.
TESTS := $(TEST_SOURCES:tests/%.c=%)
WRAP := -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc

$B/tests/%_test: $B/obj/tests/%_test.o $(SUPPORT_OBJECTS) $B/libflamel.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(WRAP) $(filter %.o,$^) $(filter %.a,$^) \
	    $(CMOCKA_LIBS) $(LIBS) -o $@

# Reads the pictures with what drew them.
ifeq ($(CAIRO),1)
$B/tests/io/png_test: LIBS += $(call package_flags,--libs cairo)
endif

# Those of the command have all of it but its main().
$(patsubst %,$B/tests/%,$(filter cli/%,$(TESTS))): \
    $(filter-out $B/obj/src/cli/main.o,$(COMMAND_OBJECTS))

# Those of the page's functions have these; they are no part of the library.
$(patsubst %,$B/tests/%,$(filter view/page%,$(TESTS))): $(PAGE_SOURCES:%.c=$B/obj/%.o)

# A result is made anew each time: it may depend on any file of tests/data. A test that fails does
# not stop the others; the results are counted at the end.
TEST_SECONDS ?= $(if $(filter 1,$(SAN)),600,180)
run_test = @tests/house/run_test.sh $@

UNIT_RESULTS := $(TESTS:%=$B/results/%)
$(UNIT_RESULTS): $B/results/%: $B/tests/% force
	$(run_test) $* $(TEST_SECONDS) $<

# A fuzz target reads every file of tests/data/<its name>, here without a fuzzer.
FUZZ_NAMES := $(patsubst tests/fuzz/%_fuzz.c,%,$(FUZZ_SOURCES))
seeds_of = $(wildcard tests/data/$(1))

$B/tests/fuzz/%_replay: $B/obj/tests/fuzz/%_fuzz.o $B/obj/tests/fuzz/replay.o $B/libflamel.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@

REPLAY_RESULTS := $(FUZZ_NAMES:%=$B/results/fuzz/%_replay)
$(REPLAY_RESULTS): $B/results/fuzz/%_replay: $B/tests/fuzz/%_replay force
	$(run_test) fuzz/$*_replay $(TEST_SECONDS) $< $(call seeds_of,$*)

CLI_RESULTS := $(if $(wildcard tests/cli/run),$B/results/cli/transcripts)
$B/results/cli/transcripts: $B/flamel force
	$(run_test) cli/transcripts 600 tests/cli/run $<

EXAMPLE_RESULTS := $(patsubst tests/examples/%.sh,$B/results/examples/%,$(wildcard tests/examples/*.sh))
$(EXAMPLE_RESULTS): $B/results/examples/%: tests/examples/%.sh $B/flamel force
	$(run_test) examples/$* $(TEST_SECONDS) tests/examples/$*.sh $B/flamel

WASM_RESULTS := $(patsubst tests/wasm/%.mjs,$B/results/wasm/%,$(wildcard tests/wasm/*_test.mjs))
$(WASM_RESULTS): $B/results/wasm/%: tests/wasm/%.mjs $(if $(HAVE_PAGE),wasm) force
	$(run_test) wasm/$* $(TEST_SECONDS) tests/wasm/run.sh $< $(WASM_TESTS_MODULE)

# In the browser that is installed, with libraries from npm; skipped where one is missing.
BROWSER_RESULTS := $(patsubst tests/browser/%.mjs,$B/results/browser/%,$(wildcard tests/browser/svg.mjs \
                   tests/browser/viewer_*.mjs tests/browser/load.mjs tests/browser/short_names.mjs))
$(BROWSER_RESULTS): $B/results/browser/%: tests/browser/%.mjs $B/flamel \
    $(if $(HAVE_WASM),$(COMPONENT)) force
	$(run_test) browser/$* 300 tests/browser/run.sh $< $B/flamel

.PHONY: test-browser
test-browser: $(BROWSER_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

.PHONY: test
test: $(UNIT_RESULTS) $(REPLAY_RESULTS) $(CLI_RESULTS) $(EXAMPLE_RESULTS) $(WASM_RESULTS) $(BROWSER_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

CORPUS ?=
.PHONY: test-corpus
test-corpus: $B/flamel
	@test -d '$(CORPUS)' || { echo 'make test-corpus needs CORPUS=DIR' >&2; exit 2; }
	tests/corpus/run.sh $< '$(CORPUS)'

# ---- The rules of the house ---------------------------------------------------------------------

# The compiler that does not make the library reads everything too: no warnings from either.
OTHER_CC := $(if $(findstring clang,$(CC)),gcc,$(CLANG))
ALL_SOURCES := $(LIBRARY_SOURCES) $(COMMAND_SOURCES) $(PAGE_SOURCES) $(TEST_SOURCES) $(SUPPORT_SOURCES) \
               $(wildcard tests/fuzz/*.c) $(BENCH_SOURCES)
OTHER := $(ALL_SOURCES:%.c=$B/other/%.ok)
$B/other/%.ok: %.c Makefile
	@mkdir -p $(@D)
	$(call say,READ,$<)$(OTHER_CC) $(LANGUAGE) $(call sees,$<) $(WARNINGS) -Werror \
	    -fsyntax-only -MMD -MP -MF $(@:.ok=.d) -MT $@ $< && touch $@

TREE_RULES := self_test layers cycles headers tested format lint manual
LIBRARY_RULES := globals exports
CHECK_RESULTS := $(patsubst %,$B/check/%,$(TREE_RULES) $(LIBRARY_RULES))

$(TREE_RULES:%=$B/check/%): $B/check/%: force
	@CC='$(CC)' tests/house/run_test.sh $@ house/$* 900 tests/house/$*.sh
$(LIBRARY_RULES:%=$B/check/%): $B/check/%: $B/libflamel.a force
	$(run_test) house/$* 60 tests/house/$*.sh $<

.PHONY: check
check: $(CHECK_RESULTS) $(OTHER) wasm
	@tests/house/count_results.sh $(CHECK_RESULTS)

.PHONY: format
format:
	tests/house/format.sh --fix

# ---- Fuzzing ------------------------------------------------------------------------------------

# FUZZ and SECONDS come from the command line; what a run finds is kept in build/fuzz/.
FUZZ ?= $(FUZZ_NAMES)
SECONDS := 60
F := $(BUILD)/fuzz
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -pthread

$F/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CLANG,$<)$(CLANG) $(LANGUAGE) $(call sees,$<) $(FUZZ_FLAGS) $(depend) -c $< -o $@
$F/libflamel.a: $(LIBRARY_SOURCES:%.c=$F/obj/%.o) $B/sources
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(filter %.o,$^)
$F/%_fuzz: $F/obj/tests/fuzz/%_fuzz.o $F/libflamel.a
	$(call say,LINK,$@)$(CLANG) -fsanitize=fuzzer,address,undefined $^ $(LIBS) -o $@

FUZZ_RUNS := $(FUZZ:%=fuzz-%)
.PHONY: fuzz $(FUZZ_RUNS)
fuzz: $(FUZZ_RUNS)
$(FUZZ_RUNS): fuzz-%: $F/%_fuzz $F/obj/tests/fuzz/%_fuzz.o
	@mkdir -p $F/corpus/$*
	$< -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -artifact_prefix=$F/$*- $F/corpus/$* $(call seeds_of,$*)

# ---- Benchmarks ---------------------------------------------------------------------------------

# bench/*.c are programs over the library; bench/run, where there is one, says what is measured.
BENCHES := $(BENCH_SOURCES:bench/%.c=$B/bench/%)
$B/bench/%: $B/obj/bench/%.o $B/libflamel.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@

# Takes real samples, and asks libdwfl too, as the tests do.
$B/bench/unwind_bench: $(patsubst %,$B/obj/tests/support/%.o,stack_samples oracle sections files)
$B/bench/unwind_bench: LIBS += $(CMOCKA_LIBS)
$B/obj/bench/unwind_bench.o: LANGUAGE += -Itests
$B/other/bench/unwind_bench.ok: LANGUAGE += -Itests

# Simulates what it judges, as the tests do.
$B/bench/power_bench: $(patsubst %,$B/obj/tests/support/%.o,simulated_verdict simulated_runs deviates)
$B/obj/bench/power_bench.o: LANGUAGE += -Itests
$B/other/bench/power_bench.ok: LANGUAGE += -Itests

.PHONY: bench
bench: $B/flamel $(BENCHES)
	$(if $(wildcard bench/run),bench/run $B,@set -e; for program in $(BENCHES); do $$program; done)

# POWER: options and parts of bench/power_bench.c, as in POWER='--data-sets 1000 power'.
POWER ?=
.PHONY: bench-power
bench-power: $B/bench/power_bench
	$< $(POWER)

# ---- The browser --------------------------------------------------------------------------------

# web/libc has the few headers that pure code may use, and no others: an impure include does not
# build, nor one of a system package. Optimizing is done by clang, never by the linker's driver,
# which would start wasm-opt.
W := $(BUILD)/wasm
WASM_SOURCES := $(PURE_SOURCES) $(PAGE_SOURCES) $(wildcard web/libc/*.c)
WASM_OBJECTS := $(WASM_SOURCES:%.c=$W/obj/%.o)
WASM_FLAGS = --target=wasm32 $(WASM_OPTIMIZE) -ffreestanding -nostdlibinc \
             -isystem web/libc/include -mbulk-memory -msimd128 \
             -mnontrapping-fptoint -msign-ext -fvisibility=hidden \
             -ffunction-sections -fdata-sections

# Every page carries it, so it is made small; the inner loops, a little less. (-O2 for all that reads
# is 5 % larger and reads 335 MB of text no faster.) Looking at all files at once makes it 12 %
# smaller, and the last four of the linker's options 4 %. What the compiler itself calls must not be
# looked at so: web/libc.
WASM_FAST := $(addprefix src/,layout/rectangles.% format/packed_read.% draw/pixels.%)
WASM_OPTIMIZE = $(if $(filter $(WASM_FAST),$<),-Os,-Oz) $(if $(filter web/%,$<),,-flto)
WASM_LINK := --no-entry --gc-sections --stack-first -z stack-size=1048576 \
             --max-memory=4294967296 --fatal-warnings --lto-O2 -mllvm -disable-lsr \
             -mllvm -enable-merge-functions \
             -mllvm -inline-threshold=-50 -mllvm -enable-load-pre=0

$W/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,WASM,$<)$(CLANG) $(filter-out -I/%,$(LANGUAGE)) -I$(BUILD)/generated $(WARNINGS) $(FATAL) $(WASM_FLAGS) \
	    $(depend) -c $< -o $@
$W/sources: force
	$(call remember,$(WASM_SOURCES))

# The page's: it exports what src/view/page.h says, and nothing else.
$(MODULE): $(WASM_OBJECTS) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --strip-all $(WASM_OBJECTS) -o $@

# The one in a page of one file, with fewer readers: what they would read is for `flamel view`.
PAGE_MODULE_OBJECTS := $(patsubst %/src/format/format_table.o,%/web/page_formats.o,$(WASM_OBJECTS))
$(PAGE_MODULE): $(PAGE_MODULE_OBJECTS) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --strip-all $(PAGE_MODULE_OBJECTS) -o $@

# The one that unpacks it.
$W/unpack.wasm: $W/obj/web/unpack.o
	$(call say,LINK,$@)$(WASM_LD) --no-entry --gc-sections --stack-first -z stack-size=16384 \
	    --fatal-warnings --strip-all $< -o $@

# What takes apart what it joins, as a program of this machine.
$W/split: web/split.c web/module_parts.h
	@mkdir -p $(@D)
	$(call say,BUILD,$@)$(CLANG) -std=c11 -O1 $(WARNINGS) $(FATAL) $< -o $@

# The one of tests/wasm and of bench/view_bench.mjs, which call what they like: it has all of the pure
# folders and of web/libc, so what is impure in any of them does not link.
WASM_TESTED := $(filter-out $(PAGE_SOURCES:%.c=$W/obj/%.o),$(WASM_OBJECTS))
$(WASM_TESTS_MODULE): $(WASM_TESTED) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --no-gc-sections --export-all $(WASM_TESTED) -o $@

.PHONY: wasm
wasm: $(MODULE) $(PAGE_MODULE) $W/unpack.wasm $W/split $(WASM_TESTS_MODULE)

# ---- Showing, installing, cleaning --------------------------------------------------------------

.PHONY: demo
demo: $B/flamel
	@sh docs/demo.sh $(abspath $B/flamel) $(abspath $(BUILD)) '$(CC)'

MANUAL1 := $(wildcard docs/man/*.1)
MANUAL7 := $(wildcard docs/man/*.7)
BIN := $(DESTDIR)$(PREFIX)/bin
LIB := $(DESTDIR)$(PREFIX)/lib
INCLUDE := $(DESTDIR)$(PREFIX)/include/flamel
MAN := $(DESTDIR)$(PREFIX)/share/man

.PHONY: install
install: all
	install -d $(BIN) $(LIB)/pkgconfig $(INCLUDE) $(MAN)/man1 $(MAN)/man7
	install $B/flamel $(BIN)
	install -m 644 $B/libflamel.a $(LIB)
	install -m 755 $B/$(SHARED) $(LIB)
	ln -sf $(SHARED) $(LIB)/libflamel.so.$(ABI)
	ln -sf libflamel.so.$(ABI) $(LIB)/libflamel.so
	install -m 644 include/flamel/*.h $(INCLUDE)
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@PACKAGES@|$(PACKAGES)|' \
	    flamel.pc.in > $(LIB)/pkgconfig/flamel.pc
	install -m 644 $(MANUAL1) $(MAN)/man1
	install -m 644 $(MANUAL7) $(MAN)/man7

.PHONY: uninstall
uninstall:
	rm -f $(BIN)/flamel $(LIB)/libflamel.a $(LIB)/libflamel.so* $(LIB)/pkgconfig/flamel.pc
	rm -f $(addprefix $(MAN)/man1/,$(notdir $(MANUAL1))) $(addprefix $(MAN)/man7/,$(notdir $(MANUAL7)))
	rm -rf $(INCLUDE)

.PHONY: clean
clean:
	rm -rf $(BUILD)

# Which headers each object needs: written by the compiler, read back here.
-include $(shell test -d $(BUILD) && find $(BUILD) -name '*.d')
