# make fuzz: libFuzzer on every target of tests/fuzz.

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
$F/%_fuzz: $F/obj/tests/fuzz/%_fuzz.o $(QUERY_JSON:%.c=$F/obj/%.o) $F/libflamel.a
	$(call say,LINK,$@)$(CLANG) -fsanitize=fuzzer,address,undefined $^ $(LIBS) -o $@

# The usual quarantine of freed memory (256 MB) reaches the limit where large blocks are freed, as those of a
# JFR file's windows (bench/RESULTS.md).
FUZZ_RUNS := $(FUZZ:%=fuzz-%)
.PHONY: fuzz $(FUZZ_RUNS)
fuzz: $(FUZZ_RUNS)
$(FUZZ_RUNS): fuzz-%: $F/%_fuzz $F/obj/tests/fuzz/%_fuzz.o
	@mkdir -p $F/corpus/$*
	ASAN_OPTIONS=quarantine_size_mb=16 $< -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	    -artifact_prefix=$F/$*- $F/corpus/$* $(call seeds_of,$*)
