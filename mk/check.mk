# make check: the rules of the house.

# The compiler that does not make the library reads everything too: no warnings from either.
OTHER_CC := $(if $(findstring clang,$(CC)),gcc,$(CLANG))
ALL_SOURCES := $(LIBRARY_SOURCES) $(COMMAND_SOURCES) $(PAGE_SOURCES) $(TEST_SOURCES) $(SUPPORT_SOURCES) \
               $(wildcard tests/fuzz/*.c) $(BENCH_SOURCES) $(POWER_SOURCES) $(JSON_SOURCES) \
               $(PROBE_SOURCES) $(PROBE_FRONT) probe/link.c $(PROBE_ENDS:$B/obj/%.o=%.c) \
               $(JAVA_SOURCES)
OTHER := $(ALL_SOURCES:%.c=$B/other/%.ok)
$B/other/%.ok: %.c Makefile
	@mkdir -p $(@D)
	$(call say,READ,$<)$(OTHER_CC) $(LANGUAGE) $(call sees,$<) $(WARNINGS) -Werror \
	    -fsyntax-only -MMD -MP -MF $(@:.ok=.d) -MT $@ $< && touch $@

TREE_RULES := self_test layers cycles headers tested cli_includes comments references format lint manual
CHECK_RESULTS := $(patsubst %,$B/check/%,$(TREE_RULES) globals exports)

$(TREE_RULES:%=$B/check/%): $B/check/%: force
	@CC='$(CC)' tests/house/run_test.sh $@ house/$* 900 tests/house/$*.sh
$B/check/globals: $B/libflamel.a force
	$(run_test) house/globals 60 tests/house/globals.sh $<
$B/check/exports: $B/libflamel.a $(if $(PROBE_SOURCES),$B/libflamel-probe.a) force
	$(run_test) house/exports 60 tests/house/exports.sh $B/libflamel*.a

.PHONY: check
check: $(CHECK_RESULTS) $(OTHER) wasm
	@tests/house/count_results.sh $(CHECK_RESULTS)

.PHONY: format
format:
	tests/house/format.sh --fix
