# How flamel is built, tested and installed. Everything that is made goes to build/. The rules are
# in mk/, a file a subject.
#
#   make                the command build/flamel, build/libflamel and build/libflamel-probe, .a and .so
#   make test           every test: unit, transcripts of the command, examples, install, fuzz replay,
#                       wasm, browser; -j helps
#   make test-unit      unit tests and fuzz replay: with SAN=1, say
#   make test-threads   the unit tests that run threads: with SAN=thread
#   make test-runtimes   functions of interpreters and of compiled languages: python3, node, ruby, php, go, java ...
#   make test-stores    stores, those in ClickHouse with a server of their own: clickhouse-server
#   make test-browser   pages and pictures in the installed browsers: chromium, firefox, node, npm
#   make test-lines     programs that know what their lines cost, with every compiler and runtime: minutes
#   make test-java-hosts  the agent in a Java VM that is attached to again and again: JDK; JAVA_SECONDS=600 for each
#                       collector
#   make test-corpus    the command on a folder of real profiles, and readers on damaged copies: CORPUS=DIR
#   make check          the rules of the house: layers, headers, globals, format, lint (tests/house)
#   make fuzz           libFuzzer on every target in tests/fuzz; FUZZ=folded for one, SECONDS=60 each
#   make bench          what we claim about speed, measured (bench/)
#   make bench-power    what we claim about the gate: false positives, and what it finds (minutes)
#   make wasm           the viewer for the browser: build/wasm/flamel.wasm
#   make component      the viewer as a custom element, for npm: build/component
#   make probe-pictures  the reports in docs/probe.md, of programs that run now
#   make demo           records a program, and writes what it found: build/demo.html, .svg, .flm
#   make static         the command as one file that needs no other; make static-aarch64 for arm64
#   make npm            the package for npm: build/npm
#   make vscode         the extension for VS Code: build/vscode
#   make site           documentation with live flame graphs: build/site/index.html
#   make python         the package for Python: build/python; make test-python tries it, in a notebook too
#   make deb            Debian packages: build/deb
#   make test-packages  each of these, installed and used in a root of its own: minutes
#   make release        all that a release consists of, with checksums: build/release, docs/releasing.md
#   make install        command, library, headers, pkg-config file, manual pages, completions;
#                       PREFIX, LIBDIR, DESTDIR, STRIP
#   make uninstall      removes them
#   make format         clang-format on every source
#   make clean          removes build/
#   make help           prints this list
#
#   CC=clang            another compiler              WERROR=1   warnings are errors
#   SAN=1               address and undefined behavior sanitizers, in build/san
#   SAN=thread          data races, in build/tsan
#   V=1                 shows the commands            OPTIMIZE   instead of -O2

VERSION := 0.1.0
ABI     := 0

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh

include mk/tree.mk
include mk/compile.mk
include mk/library.mk
include mk/assets.mk
include mk/wasm.mk
include mk/probe.mk
include mk/java.mk
include mk/test.mk
include mk/runtimes.mk
include mk/check.mk
include mk/fuzz.mk
include mk/bench.mk
include mk/install.mk
include mk/static.mk
include mk/npm.mk
include mk/vscode.mk
include mk/site.mk
include mk/python.mk
include mk/packages.mk

.PHONY: help
help:
	@sed -n '/^$$/q; s/^#$$//p; s/^#   /  /p' Makefile

# Which headers each object needs: written by the compiler, read back here.
-include $(shell test -d $(BUILD) && find $(BUILD) -path $(BUILD)/deb -prune -o -name '*.d' -type f -print)
