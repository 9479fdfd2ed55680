# The library libflamel, static and shared, and the command flamel.

LIBRARY_OBJECTS := $(LIBRARY_SOURCES:%.c=$B/obj/%.o)
COMMAND_OBJECTS := $(COMMAND_SOURCES:%.c=$B/obj/%.o)
# Tests of the viewer read responses as the page does: as JSON.
SUPPORT_OBJECTS := $(SUPPORT_SOURCES:%.c=$B/obj/%.o) $(QUERY_JSON:%.c=$B/obj/%.o)

.PHONY: all
all: $B/flamel $B/libflamel.a $B/libflamel.so

# A file that is written anew only when its text changes. What depends on it is then made again.
remember = @mkdir -p $(@D); echo '$(subst ','\'',$(1))' > $@.new; \
            if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: force

# Other flags compile everything again. -Werror does not count: it would do so between `make` and
# `make test`.
$B/flags: force
	$(call remember,$(filter-out -Werror,$(compile)) $(LDFLAGS))

# A source that is gone leaves the library, and one that is older than the library enters it.
$B/sources: force
	$(call remember,$(LIBRARY_SOURCES))

$B/obj/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$*.c)$(compile) $(depend) -c $< -o $@

$B/libflamel.a: $(LIBRARY_OBJECTS) $B/sources
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(LIBRARY_OBJECTS)

# The shared library shows what the public headers declare, and nothing else.
$B/flamel.map: $(wildcard include/flamel/*.h)
	@mkdir -p $(@D)
	$(call say,MAP,$@)grep -ho 'flm_[a-z0-9_]* *(' $^ | sort -u | \
	    awk 'BEGIN { print "FLAMEL_$(ABI) {\nglobal:" } { sub(/ *\(/, ""); print "    " $$0 ";" } \
	         END { print "local:\n    *;\n};" }' > $@

SHARED := libflamel.so.$(VERSION)
$B/$(SHARED): $(LIBRARY_OBJECTS) $B/sources $B/flamel.map
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,libflamel.so.$(ABI) \
	    -Wl,--version-script,$B/flamel.map $(LDFLAGS) $(LIBRARY_OBJECTS) $(LIBS) -o $@
$B/libflamel.so: $B/$(SHARED)
	@ln -sf $(SHARED) $B/libflamel.so.$(ABI)
	@ln -sf libflamel.so.$(ABI) $@

# Mentioned here, so that make keeps them: it removes what only a chain of patterns needs.
.PHONY: objects
objects: $(LIBRARY_OBJECTS) $(COMMAND_OBJECTS) $(PAGE_SOURCES:%.c=$B/obj/%.o) $(SUPPORT_OBJECTS) $(TEST_SOURCES:%.c=$B/obj/%.o) \
         $(patsubst %.c,$B/obj/%.o,$(wildcard tests/fuzz/*.c)) $(BENCH_SOURCES:%.c=$B/obj/%.o) $(POWER_SOURCES:%.c=$B/obj/%.o) \
         $(JSON_SOURCES:%.c=$B/obj/%.o)

$B/flamel: $(COMMAND_OBJECTS) $B/libflamel.a
	$(call say,LINK,$@)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@
