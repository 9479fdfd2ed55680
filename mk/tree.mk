# Which sources there are: LAYERS names the folders of src/, in order.

BUILD := build
PREFIX ?= /usr/local

layers_of = $(shell awk '$$2 == "$(1)" { print $$1 }' LAYERS)
sources_in = $(foreach folder,$(1),$(sort $(wildcard src/$(folder)/*.c)))

PURE_SOURCES    := $(call sources_in,$(call layers_of,pure))
PAGE_SOURCES    := $(call sources_in,wasm)
# The viewer's responses as JSON: tests and fuzzers read them too.
QUERY_JSON      := $(wildcard src/wasm/query_json.c)
LIBC_SOURCES    := $(call sources_in,wasm/libc)
LIBRARY_SOURCES := $(PURE_SOURCES) $(call sources_in,$(call layers_of,system))
COMMAND_SOURCES := $(call sources_in,$(call layers_of,command))

# src/wasm is what the module in the browser exports: it has writable globals, one viewer a module,
# so it is no part of the library.

# The unit tests mirror src/: tests/base/core/bytes_test.c tests src/base/core/bytes.c.
TEST_SOURCES    := $(wildcard tests/*/*_test.c tests/*/*/*_test.c)
SUPPORT_SOURCES := $(wildcard tests/support/*/*.c)
FUZZ_SOURCES    := $(wildcard tests/fuzz/*_fuzz.c)
BENCH_SOURCES   := $(wildcard bench/*.c)
POWER_SOURCES   := $(wildcard bench/power/*.c)
JSON_SOURCES    := $(wildcard bench/make_json/*.c)
