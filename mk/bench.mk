# make bench: what we claim about speed, measured.

# bench/*.c are programs over the library; bench/run, where there is one, says what is measured.
BENCHES := $(BENCH_SOURCES:bench/%.c=$B/bench/%)
$B/bench/%: $B/obj/bench/%.o $B/libflamel.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@

# Takes real samples, and asks libdwfl too, as the tests do.
$B/bench/unwind_bench: $(patsubst %,$B/obj/tests/support/%.o,record/stack_samples record/oracle record/sections core/files)
$B/bench/unwind_bench: LIBS += $(CMOCKA_LIBS)
$B/obj/bench/unwind_bench.o: LANGUAGE += -Itests
$B/other/bench/unwind_bench.ok: LANGUAGE += -Itests

# Simulates what it judges, as the tests do.
$B/bench/power_bench: $(patsubst %,$B/obj/tests/support/gate/%.o,simulated_verdict simulated_runs simulated_sides deviates)
$B/bench/power_bench: $(POWER_SOURCES:%.c=$B/obj/%.o)
$B/obj/bench/power_bench.o $(POWER_SOURCES:%.c=$B/obj/%.o): LANGUAGE += -Itests
$B/other/bench/power_bench.ok $(POWER_SOURCES:%.c=$B/other/%.ok): LANGUAGE += -Itests

$B/bench/make_json: $(JSON_SOURCES:%.c=$B/obj/%.o)
$B/obj/bench/make_json.o $(JSON_SOURCES:%.c=$B/obj/%.o): LANGUAGE += -Ibench
$B/other/bench/make_json.ok $(JSON_SOURCES:%.c=$B/other/%.ok): LANGUAGE += -Ibench

.PHONY: bench
bench: $B/flamel $(PROBE_LIBRARIES) $(BENCHES)
	$(if $(wildcard bench/run),bench/run $B,@set -e; for program in $(BENCHES); do $$program; done)

# POWER: options and parts of bench/power_bench.c, as in POWER='--data-sets 1000 power'.
POWER ?=
.PHONY: bench-power
bench-power: $B/bench/power_bench
	$< $(POWER)

# Programs that measure themselves, as their users compile them: bench/probe/*.c. ARGUMENTS: `bias`, `threads`, `many` of scope_bench.
ARGUMENTS ?=
.PHONY: bench-probe
bench-probe: bench/probe/scope_bench.c $(PROBE_LIBRARIES)
	@mkdir -p $B/bench/probe
	$(CC) -D_GNU_SOURCE -O2 -finstrument-functions -Iinclude $< -o $B/bench/probe/scope_bench -pthread -L$B -lflamel-probe
	LD_LIBRARY_PATH=$B $B/bench/probe/scope_bench $(ARGUMENTS)

# The others, each alone: make bench-probe-locks, -io, -flow, -live. bench/probe/memory.sh runs its own.
bench-probe-%: bench/probe/%_bench.c $(PROBE_LIBRARIES)
	@mkdir -p $B/bench/probe
	$(CC) -D_GNU_SOURCE -O2 -Iinclude $< -o $B/bench/probe/$*_bench -pthread -L$B -lflamel-probe
	LD_LIBRARY_PATH=$B $B/bench/probe/$*_bench $(ARGUMENTS)
