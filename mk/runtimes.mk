# make test-runtimes: tests that need a runtime or a compiler which `make test` does without. Unit tests are part
# of `make test` too, and skip what is missing; ./bootstrap test-runtimes installs all of them. A runtime's tests
# are a line here.

RUNTIME_TESTS := record/runtimes record/interpreters
RUNTIME_TESTS += record/python/%
RUNTIME_TESTS += record/v8/%
RUNTIME_TESTS += record/ruby/%
RUNTIME_TESTS += record/php/%
RUNTIME_TESTS += record/java/%
RUNTIME_TESTS += symbol/elf/go_code symbol/elf/go_functions

# Programs that are compiled, recorded and compared.
RUNTIME_SCRIPTS := $(patsubst tests/runtimes/%.sh,$B/results/runtimes/%,$(wildcard tests/runtimes/*.sh))
$(RUNTIME_SCRIPTS): $B/results/runtimes/%: tests/runtimes/%.sh $(RUNNABLE) force
	$(run_test) runtimes/$* $(TEST_SECONDS) tests/runtimes/$*.sh $B/flamel

RUNTIME_RESULTS := $(patsubst %,$B/results/%,$(filter $(RUNTIME_TESTS:%=%_test),$(TESTS))) $(RUNTIME_SCRIPTS)
.PHONY: test-runtimes
test-runtimes: $(RUNTIME_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)
