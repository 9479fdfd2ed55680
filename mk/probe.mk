# The library that lives inside measured programs: libflamel-probe, shared and static. It links to nothing
# but libc; of libflamel it has what makes reports and profiles, inside.
#
# The header refers to it weakly, so that a program runs without it; and what is referred to weakly
# makes no linker take a library. So what -lflamel-probe finds is a line for the linker: an object that
# refers to the library strongly, and the library; or, of the shared one, what of it programs may refer to.
# malloc and new are none of it, or a program that has its own in an archive would not get them.

# What stands in front of functions of libc (probe/front) is in the shared one only: a static program's own
# libc has its functions once. But setjmp and longjmp: who links with --wrap of them, as flamel-probe.pc says,
# takes an object that stands in front, from an archive of its own: it needs what --wrap makes of them, which
# --whole-archive of the other one does not.
PROBE_FRONT   := $(wildcard probe/front/*.c probe/front/*/*.c)
PROBE_SOURCES := $(filter-out probe/link.c probe/functions/entry_ends.c,$(wildcard probe/*.c probe/functions/*.c probe/stack/*.c probe/output/*.c))
PROBE_ENDS    := $B/obj/probe/functions/entry_ends.o
PROBE_WRAPPED := $B/obj/probe/wrapped_jumps.o
PROBE_WRAPS   := setjmp _setjmp __sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk
PROBE_OBJECTS := $(PROBE_SOURCES:%.c=$B/obj/%.o)
PROBE_SHARED  := libflamel-probe.so.$(VERSION)
PROBE_LIBRARIES := $B/libflamel-probe.so $B/libflamel-probe.a

# Vectors make pairs of counters one addition, which then waits for both.
PROBE_SEES  := -Iprobe -Iprobe/front -Iprobe/functions -Iprobe/output
PROBE_FLAGS := -std=c11 -D_GNU_SOURCE= -Iinclude -Isrc $(PROBE_SEES) -fvisibility=hidden -fno-tree-slp-vectorize
$(PROBE_OBJECTS) $(PROBE_FRONT:%.c=$B/obj/%.o) $B/obj/probe/link.o $(PROBE_ENDS): $B/obj/probe/%.o: probe/%.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(PROBE_FLAGS) $(NATIVE) $(WARNINGS) $(FATAL) $(CPPFLAGS) $(CFLAGS) $(depend) -c $< -o $@

$(PROBE_WRAPPED): probe/front/jumps.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(PROBE_FLAGS) -DFLM_WRAPPED $(NATIVE) $(WARNINGS) $(FATAL) $(CPPFLAGS) $(CFLAGS) $(depend) -c $< -o $@

# reallocarray calls the realloc that the program has: another allocator's, where that is in front of ours
# and has no reallocarray (jemalloc).
$B/obj/probe/front/memory.o: NATIVE += -fsemantic-interposition

# What functions call where all registers are kept: arguments may be in those for vectors.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
$B/obj/probe/functions/entries.o: NATIVE += -mgeneral-regs-only
$B/obj/probe/functions/xray.o: NATIVE += -fno-omit-frame-pointer
endif

# Of libflamel there is what makes the report, and nothing of it is seen from outside: the program may
# have another libflamel.
$B/$(PROBE_SHARED): $(PROBE_OBJECTS) $(PROBE_ENDS) $(PROBE_FRONT:%.c=$B/obj/%.o) $B/libflamel.a
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,libflamel-probe.so.$(ABI) -Wl,-z,nodelete -Wl,-z,defs -Wl,--gc-sections \
	    -Wl,--exclude-libs,ALL $(LDFLAGS) $^ -lm -o $@

PROBE_LINK := $B/flamel-probe-link.o
$(PROBE_LINK): $B/obj/probe/link.o
	@cp $< $@

PROBE_INTERFACE := $B/libflamel-probe-interface.so
$(PROBE_INTERFACE): $(PROBE_OBJECTS) $(PROBE_ENDS) $(PROBE_FRONT:%.c=$B/obj/%.o) $B/libflamel.a
	@echo '{ global: flm_*; __*; mcount; _mcount; local: *; };' > $@.map
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,libflamel-probe.so.$(ABI) -Wl,--gc-sections,-s -Wl,--version-script=$@.map \
	    -Wl,--exclude-libs,ALL $(LDFLAGS) $^ -lm -o $@

$B/libflamel-probe.so: $B/$(PROBE_SHARED) $(PROBE_LINK) $(PROBE_INTERFACE)
	@ln -sf $(PROBE_SHARED) $B/libflamel-probe.so.$(ABI)
	@echo 'INPUT($(notdir $(PROBE_LINK)) $(notdir $(PROBE_INTERFACE)))' > $@

# What compilers call, and what entry_ends.o and wrapped_jumps.o need.
PROBE_CALLED := __cyg_profile_func_enter __cyg_profile_func_exit __fentry__ mcount _mcount flm_entry_ended flm_functions flm_jump_remember flm_jump_leave

# One object: only names that programs use, those in the headers, are global in it.
PROBE_WHOLE := $B/obj/probe/whole.o
PROBE_HEADERS := $(filter-out %/probe_format.h,$(wildcard include/flamel/probe*.h))
$(PROBE_WHOLE): $(PROBE_OBJECTS) $B/libflamel.a $(PROBE_HEADERS)
	$(call say,LINK,$@)(grep -oh 'flm_[a-z0-9_]*' $(PROBE_HEADERS); printf '%s\n' $(PROBE_CALLED)) | sort -u > $@.names
	@$(LD) -r $(filter %.o %.a,$^) -o $@ && $(OBJCOPY) --keep-global-symbols=$@.names $@

$B/libflamel-probe.a: $(PROBE_WHOLE) $(PROBE_ENDS) $(PROBE_WRAPPED) $(PROBE_LINK) $B/flamel-probe.pc
	$(call say,AR,$@)rm -f $@ $B/libflamel-probe-static.a && \
	    ar rcs $B/libflamel-probe-static.a $(PROBE_WHOLE) $(PROBE_ENDS)
	@rm -f $B/libflamel-probe-wrapped.a && ar rcs $B/libflamel-probe-wrapped.a $(PROBE_WRAPPED)
	@echo 'INPUT($(notdir $(PROBE_LINK)) libflamel-probe-wrapped.a libflamel-probe-static.a AS_NEEDED(-lm))' > $@

OBJCOPY ?= objcopy

$B/flamel-probe.pc: flamel-probe.pc.in mk/probe.mk
	@sed 's|@WRAPS@|$(PROBE_WRAPS:%=-Wl,--wrap=%)|; s|@VERSION@|$(VERSION)|' $< > $@

all: $(PROBE_LIBRARIES)

# Programs that measure themselves, and what flamel says of them.
PROBE_RESULTS := $(patsubst tests/probe/%.sh,$B/results/probe/%,$(wildcard tests/probe/*.sh))
$(PROBE_RESULTS): $B/results/probe/%: tests/probe/%.sh $B/flamel $(PROBE_LIBRARIES) force
	$(run_test) probe/$* $(TEST_SECONDS) env CC='$(CC)' tests/probe/$*.sh $(abspath $B)

# The library and a program of many threads under the thread sanitizer, each object compiled with it. Without
# what stands in front of other libraries: the sanitizer is there itself. libflamel makes reports of a copy.
PROBE_RACES := $B/tests/probe/races
PROBE_RACES_FLAGS := $(filter-out -fno-tree-slp-vectorize,$(PROBE_FLAGS)) -O1 -g -fPIC -pthread -fsanitize=thread
PROBE_RACES_OBJECTS := $(PROBE_SOURCES:%.c=$B/races/%.o) $B/races/tests/probe/programs/races.o
$(PROBE_RACES_OBJECTS): $B/races/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(PROBE_RACES_FLAGS) $(filter -mgeneral-regs-only -fno-omit-frame-pointer,$(NATIVE)) -Wno-tsan $(depend) -c $< -o $@
$B/races/probe/functions/entries.o: NATIVE += -mgeneral-regs-only

# No file: there is no such sanitizer, or libflamel has another one in it.
$(PROBE_RACES): $(PROBE_RACES_OBJECTS) $(PROBE_ENDS) $B/libflamel.a
	@mkdir -p $(@D) && rm -f $@
	$(call say,LINK,$@)$(if $(SAN),:,$(CC) -fsanitize=thread $^ -lm -ldl -pthread -o $@) || :
ifeq ($(SAN),)
$B/results/probe/races: $(PROBE_RACES)
endif

.PHONY: probe-pictures
probe-pictures: $B/flamel $(PROBE_LIBRARIES)
	env CC='$(CC)' docs/probe-pictures.sh $B

# The library in programs of others, and in what disturbs it: what is installed; takes minutes.
.PHONY: test-probe-hosts
PROBE_WORDS ?= on,cpu,leaks
test-probe-hosts: $B/flamel $(PROBE_LIBRARIES)
	tests/probe/hosts/run.sh $(abspath $B) $(PROBE_WORDS)
	env CC='$(CC)' tests/probe/survive.sh $(abspath $B) $(PROBE_WORDS)
