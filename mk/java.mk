# The agent in Java VMs: libflamel-java.so, which `flamel record --java` loads into them. It links to nothing
# but libc, is built without a JDK, and has nothing of libflamel: src/record/java/wire.h is what both know.
JAVA_SOURCES := $(wildcard java/*.c)
JAVA_OBJECTS := $(JAVA_SOURCES:%.c=$B/obj/%.o)
JAVA_LIBRARY := $B/libflamel-java.so

# Thread-local memory of a library that is loaded late is allocated at its first use: there is none.
JAVA_FLAGS := -std=c11 -D_GNU_SOURCE= -Isrc -I. -fvisibility=hidden -fno-strict-aliasing
$(JAVA_OBJECTS): $B/obj/java/%.o: java/%.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(JAVA_FLAGS) $(filter-out $(SANITIZE),$(NATIVE)) $(WARNINGS) $(FATAL) $(CPPFLAGS) $(CFLAGS) $(depend) -c $< -o $@

$(JAVA_LIBRARY): $(JAVA_OBJECTS)
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,libflamel-java.so -Wl,-z,nodelete -Wl,-z,defs $(filter-out $(SANITIZE),$(LDFLAGS)) $^ -ldl -lpthread -lm -o $@

all: $(JAVA_LIBRARY)

# Real VMs, where a JDK is installed: a minute in all.
JAVA_RESULTS := $(patsubst tests/java/%.sh,$B/results/java/%,$(filter-out %/common.sh,$(wildcard tests/java/*.sh)))
$(JAVA_RESULTS): $B/results/java/%: tests/java/%.sh $B/flamel $(JAVA_LIBRARY) force
	$(run_test) java/$* $(TEST_SECONDS) tests/java/$*.sh $(abspath $B)

# The same for long, under each collector: JAVA_SECONDS=600.
.PHONY: test-java-hosts
JAVA_SECONDS ?= 120
test-java-hosts: $B/flamel $(JAVA_LIBRARY)
	tests/java/survive.sh $(abspath $B) $(JAVA_SECONDS)
