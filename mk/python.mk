# make python: the package flamel of Python, build/python/flamel-VERSION-py3-none-any.whl. It is written on top of
# libflamel, or of the command where there is no library, and has nothing compiled in it.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
PYTHON_FILES := $(wildcard python/flamel/*.py) python/README.md
WHEEL := $(BUILD)/python/flamel-$(VERSION)-py3-none-any.whl

.PHONY: python
python: $(WHEEL)
# From a copy: setuptools leaves folders beside the sources.
$(WHEEL): $(PYTHON_FILES) python/pyproject.toml Makefile
	$(call say,WHEEL,$@)rm -rf $(@D) && mkdir -p $(@D) && cp -r python $(@D)/source && \
	    sed -i 's/^version = .*/version = "$(VERSION)"/' $(@D)/source/pyproject.toml && \
	    $(PYTHON) -m pip -q wheel --no-deps --no-build-isolation --no-index -w $(@D) $(@D)/source

# With the library that is built here; and in a notebook, which jupyter executes and Chromium shows.
PYTHON_RESULTS := $(addprefix $B/results/python/,package command notebook wheel)
$B/results/python/package: $B/libflamel.so $B/flamel force
	$(run_test) python/package $(TEST_SECONDS) tests/python/run.sh $B/libflamel.so $B/flamel
$B/results/python/command: $B/flamel force
	$(run_test) python/command $(TEST_SECONDS) tests/python/run.sh '' $B/flamel
$B/results/python/notebook: $B/libflamel.so $B/flamel force
	$(run_test) python/notebook $(TEST_SECONDS) tests/python/notebook.sh $B/libflamel.so $B/flamel
$B/results/python/wheel: $B/libflamel.so $(PYTHON_FILES) force
	$(run_test) python/wheel $(TEST_SECONDS) tests/python/wheel.sh $B/libflamel.so

.PHONY: test-python
test-python: $(PYTHON_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)
