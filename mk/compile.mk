# Compilers, flags, and the packages that flamel is built with.

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG   ?= $(firstword $(foreach name,clang clang-14,$(shell command -v $(name))) clang)
WASM_LD ?= $(firstword $(foreach name,wasm-ld wasm-ld-14,$(shell command -v $(name))) wasm-ld)
PKG_CONFIG ?= pkg-config
MODULE := $(BUILD)/wasm/flamel.wasm
PAGE_MODULE := $(BUILD)/wasm/page.wasm
PAGE_READERS := $(BUILD)/wasm/readers.packed
# Both of binaryen. They make the module of pages 3 % smaller, and two of it; without them it stays one.
WASM_OPT ?= $(shell command -v wasm-opt)
WASM_SPLIT ?= $(shell command -v wasm-split)
PAGE_DECODER := $(BUILD)/wasm/base91.wasm
WASM_TESTS_MODULE := $(BUILD)/wasm/tests.wasm
HAVE_WASM := $(and $(shell command -v $(CLANG)),$(shell command -v $(WASM_LD)))

# Builds with sanitizers take half of the time without -O2 and without the debug information of variables, which their
# reports do not need.
OPTIMIZE ?= $(if $(SAN),-O1,-O2)
DEBUG    ?= $(if $(SAN),-g1,-g)
# Designated initializers leave fields out on purpose; gcc 11 warns of some of them all the same.
WARNINGS := -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Werror=implicit-function-declaration \
            -Werror=incompatible-pointer-types -Werror=int-conversion

# Optional, for packagers: added after ours.
CFLAGS   ?=
CPPFLAGS ?=
LDFLAGS  ?=

# Never contract a*b+c: the same input gives the same bytes on every machine.
LANGUAGE := -std=c11 -ffp-contract=off -Isrc -Iinclude -I$(BUILD)/generated \
            -DFLAMEL_VERSION='"$(VERSION)"'

# Pure code sees the C standard only; the rest also what the system has beyond it, defined as
# nothing, so that a source may say it too. Tests share tests/support: "support/core/allocation.h".
sees = $(if $(filter $(PURE_SOURCES) $(PAGE_SOURCES),$(1)),,-D_GNU_SOURCE= $(OPTIONAL)) \
       $(if $(filter tests/%,$(1)),-Itests) $(if $(filter probe/%,$(1)),$(PROBE_SEES)) \
       $(if $(filter java/%,$(1)),-I. -fno-strict-aliasing)

# What the compiler compiles for: x86_64.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
# A static program has only the functions that it calls; the folder that it was built in is no part of
# it, so that two builds are the same. ROOT has the packages of another machine.
ROOT :=
ifeq ($(KIND),static)
NATIVE := $(OPTIMIZE) $(DEBUG) -fPIE -ffunction-sections -fdata-sections -pthread -DFLAMEL_STATIC \
          -ffile-prefix-map=$(CURDIR)=. \
          $(foreach folder,include include/$(MACHINE)-linux-gnu,$(ROOT:%=-isystem %/usr/$(folder)))
LDFLAGS += -static-pie -Wl,--gc-sections
# What has to be moved when the file is loaded is a bit for each pointer instead of 24 bytes, which are 0.25 MB: glibc 2.36
# and later do that in a static program, where the linker has it for the machine.
LINKER = $(shell $(CC) -print-prog-name=ld)
ifneq ($(shell printf '\043include <features.h>\n\043if __GLIBC_PREREQ(2, 36)\nyes\n\043endif\n' | $(CC) -E -P - 2>/dev/null | grep -qx yes && $(LINKER) --help | grep -o -m 1 pack-relative-relocs),)
LDFLAGS += -Wl,-z,pack-relative-relocs
endif
else
# One compilation serves both libraries; calls inside the library need not go through its table.
NATIVE := $(OPTIMIZE) $(DEBUG) -fPIC -fno-semantic-interposition -pthread
endif

# SAN=1 finds wrong memory accesses and undefined behavior, SAN=thread data races; each has a build of its own.
ifeq ($(SAN),1)
B := $(BUILD)/san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifeq ($(SAN),thread)
B := $(BUILD)/tsan
SANITIZE := -fsanitize=thread -fno-omit-frame-pointer
else ifeq ($(KIND),static)
B := $(BUILD)/static/$(MACHINE)
SANITIZE :=
else
B := $(BUILD)
SANITIZE :=
endif
NATIVE += $(SANITIZE)
LDFLAGS += $(SANITIZE)

ifneq ($(filter test test-% check,$(MAKECMDGOALS)),)
WERROR ?= 1
endif
# With -O1 and the checks of sanitizers gcc warns of correct code.
FATAL := $(if $(filter 1,$(WERROR)),$(if $(SAN),,-Werror))

# PNG needs cairo, which is left out where it is not there: CAIRO=0 leaves it out anyhow.
CAIRO ?= $(shell $(PKG_CONFIG) --exists cairo 2>/dev/null && echo 1)
# --debuginfod needs libdebuginfod, and is refused with a sentence where it was not there.
DEBUGINFOD ?= $(shell $(PKG_CONFIG) --exists libdebuginfod 2>/dev/null && echo 1)
# Profiles at URLs need libcurl, and those in archives libarchive: likewise.
CURL ?= $(shell $(PKG_CONFIG) --exists libcurl 2>/dev/null && echo 1)
ARCHIVE ?= $(shell $(PKG_CONFIG) --exists libarchive 2>/dev/null && echo 1)
# Machine code as text needs libcapstone: likewise.
CAPSTONE ?= $(shell $(PKG_CONFIG) --exists capstone 2>/dev/null && echo 1)
# Configurations of flamel serve need libyaml: likewise.
YAML ?= $(shell $(PKG_CONFIG) --exists yaml-0.1 2>/dev/null && echo 1)
# gRPC of flamel serve needs nghttp2: likewise.
NGHTTP2 ?= $(shell $(PKG_CONFIG) --exists libnghttp2 2>/dev/null && echo 1)
OPTIONAL := $(if $(filter 1,$(CAIRO)),-DFLAMEL_CAIRO) \
            $(if $(filter 1,$(DEBUGINFOD)),-DFLAMEL_DEBUGINFOD) \
            $(if $(filter 1,$(CURL)),-DFLAMEL_CURL) \
            $(if $(filter 1,$(ARCHIVE)),-DFLAMEL_ARCHIVE) \
            $(if $(filter 1,$(CAPSTONE)),-DFLAMEL_CAPSTONE) \
            $(if $(filter 1,$(YAML)),-DFLAMEL_YAML) \
            $(if $(filter 1,$(NGHTTP2)),-DFLAMEL_NGHTTP2)
# Cairo, libmicrohttpd (the server of `flamel view`), SQLite (stores), libdebuginfod, libcurl, libarchive,
# libcapstone, libyaml, nghttp2 and liblzma are loaded when they are needed, not linked: src/os/library.h. All but the last have
# their headers here all the same.
LOADED := libmicrohttpd sqlite3 $(if $(filter 1,$(CAIRO)),cairo) \
          $(if $(filter 1,$(DEBUGINFOD)),libdebuginfod) $(if $(filter 1,$(CURL)),libcurl) \
          $(if $(filter 1,$(ARCHIVE)),libarchive) $(if $(filter 1,$(CAPSTONE)),capstone) \
          $(if $(filter 1,$(YAML)),yaml-0.1) $(if $(filter 1,$(NGHTTP2)),libnghttp2)
PACKAGES := libdw libelf libzstd zlib
package_flags = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)
LIBS := $(or $(call package_flags,--libs $(PACKAGES)),-ldw -lelf -lzstd -lz) -pthread -lm
ifeq ($(KIND),static)
LIBS := $(ROOT:%=-L%/usr/lib/$(MACHINE)-linux-gnu) $(LIBS) -lmicrohttpd -llzma -lbz2
endif
LANGUAGE += $(foreach package,$(PACKAGES) $(LOADED),$(call package_flags,--cflags $(package)))
CMOCKA_LIBS := $(or $(call package_flags,--libs cmocka),-lcmocka)

# Tests are not optimized: that takes two thirds of the time in which they are compiled, and they run no faster.
unoptimized = $(if $(filter tests/%_test.c,$<),-O0 -g1)

say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(patsubst $(BUILD)/%,%,$(2));)
compile = $(CC) $(LANGUAGE) $(call sees,$<) $(WARNINGS) $(FATAL) $(NATIVE) $(unoptimized) $(CPPFLAGS) $(CFLAGS)
depend = -MMD -MP -MF $(@:.o=.d) -MT $@
