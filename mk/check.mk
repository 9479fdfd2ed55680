# make check: the rules of the house.

# The compiler that does not make the library reads everything too: no warnings from either.
OTHER_CC := $(if $(findstring clang,$(CC)),gcc,$(CLANG))
ALL_SOURCES := $(LIBRARY_SOURCES) $(COMMAND_SOURCES) $(PAGE_SOURCES) $(TEST_SOURCES) $(SUPPORT_SOURCES) \
               $(wildcard tests/fuzz/*.c) $(BENCH_SOURCES) $(POWER_SOURCES)
OTHER := $(ALL_SOURCES:%.c=$B/other/%.ok)
$B/other/%.ok: %.c Makefile
	@mkdir -p $(@D)
	$(call say,READ,$<)$(OTHER_CC) $(LANGUAGE) $(call sees,$<) $(WARNINGS) -Werror \
	    -fsyntax-only -MMD -MP -MF $(@:.ok=.d) -MT $@ $< && touch $@

TREE_RULES := self_test layers cycles headers tested cli_includes comments references format lint manual
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
