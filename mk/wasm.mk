# make wasm: the pure folders and the viewer, for the browser.

# src/wasm/libc has the few headers that pure code may use, and no others: an impure include does not
# build, nor one of a system package. Optimizing is done by clang, never by the linker's driver,
# which would start wasm-opt for every module: a page of one file alone is worth its time.
W := $(BUILD)/wasm
WASM_SOURCES := $(PURE_SOURCES) $(PAGE_SOURCES) $(LIBC_SOURCES)
WASM_OBJECTS := $(WASM_SOURCES:%.c=$W/obj/%.o)
WASM_FLAGS = --target=wasm32 $(WASM_OPTIMIZE) -ffreestanding -nostdlibinc \
             -isystem src/wasm/libc/include -mbulk-memory -msimd128 \
             -mnontrapping-fptoint -msign-ext -fvisibility=hidden \
             -ffunction-sections -fdata-sections -funique-internal-linkage-names

# Every page carries it, so it is optimized for size; the inner loops, a little less. (-O2 for all that
# reads is 5 % larger and reads 335 MB of text no faster.) Link-time optimization makes it 12 % smaller,
# the last four of the linker's options 4 %. The functions that the compiler itself calls must stay out
# of it: src/wasm/libc.
WASM_FAST := $(addprefix src/,base/mix/% base/zstd/block.% base/zstd/codes.% layout/rectangles.% format/flm/packed_read.% draw/raster/pixels.%)
WASM_OPTIMIZE = $(if $(filter $(WASM_FAST),$<),-Os,-Oz) $(if $(filter web/% src/wasm/libc/%,$<),,-flto)
WASM_LINK := --no-entry --gc-sections --stack-first -z stack-size=1048576 \
             --max-memory=4294967296 --fatal-warnings --lto-O2 -mllvm -disable-lsr \
             -mllvm -enable-merge-functions \
             -mllvm -inline-threshold=-50 -mllvm -enable-load-pre=0

$W/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,WASM,$<)$(CLANG) $(filter-out -I/%,$(LANGUAGE)) -I$(BUILD)/generated $(WARNINGS) $(FATAL) $(WASM_FLAGS) \
	    $(depend) -c $< -o $@
$W/sources: force
	$(call remember,$(WASM_SOURCES))

# The page's: it exports what src/wasm/exports.h says, and nothing else.
$(MODULE): $(WASM_OBJECTS) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --strip-all $(WASM_OBJECTS) -o $@

# The one in a page of one file has fewer readers, and no writers of what other tools read: the page does
# not offer them. web/module/page_formats.c stands for what is left out.
PAGE_FORMATS := $W/obj/web/module/page_formats.o
PAGE_LEFT_OUT := src/format/gecko/write src/format/gecko/write_items src/format/gecko/write_tables \
                 src/format/gecko/write_threads src/format/json/write src/format/otlp/otlp_write src/format/pprof/pprof_write \
                 src/format/speedscope/write src/format/trace/spans src/format/trace/trace_write \
                 src/format/valgrind/callgrind_write
PAGE_MODULE_OBJECTS := $(patsubst %/src/format/formats.o,$(PAGE_FORMATS),\
                                  $(filter-out $(PAGE_LEFT_OUT:%=$W/obj/%.o),$(WASM_OBJECTS)))
$W/page_linked.wasm: $(PAGE_MODULE_OBJECTS) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --strip-debug $(PAGE_MODULE_OBJECTS) -o $@

# It is two: the viewer, which starts when a page is opened, and the readers of other tools' files, which are loaded
# into the viewer's memory when a file is dropped (web/worker.js). So the page opens sooner, and the
# second may be packed as small as it gets (src/base/mix/mix.h), since few wait for it. What the viewer needs
# says a link of it alone; statics have names of their own (-funique-internal-linkage-names).
PAGE_VIEWER := $(patsubst %/src/format/formats.o,$W/obj/web/module/viewer_formats.o,$(filter-out \
                   $(PAGE_LEFT_OUT:%=$W/obj/%.o) %/src/wasm/read.o,$(WASM_OBJECTS)))
WASM_FEATURES := simd bulk-memory sign-ext nontrapping-float-to-int mutable-globals
$W/page_viewer.wasm: $(PAGE_VIEWER) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --strip-debug $(PAGE_VIEWER) -o $@
wasm_tool = '$(1) $(WASM_FEATURES:%=--enable-%)'
ifneq ($(and $(WASM_OPT),$(WASM_SPLIT)),)
$(PAGE_MODULE): web/module/split.sh $W/page_linked.wasm $W/page_viewer.wasm
	$(call say,WASM,$@)sh web/module/split.sh $W/page_linked.wasm $W/page_viewer.wasm $@ $W/readers.wasm \
	    $(call wasm_tool,$(WASM_OPT)) $(call wasm_tool,$(WASM_SPLIT))
$(PAGE_READERS): $(PAGE_MODULE) $W/pack
	$(call say,PACK,$@)$W/pack < $W/readers.wasm > $@
else
$(PAGE_MODULE): $(PAGE_MODULE_OBJECTS) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --strip-all $(PAGE_MODULE_OBJECTS) -o $@
$(PAGE_READERS):
	@mkdir -p $(@D) && touch $@
endif

# The packer runs here, whatever flamel is built for.
PACKER := web/module/pack.c src/base/mix/mix.c src/base/text/text.c $(addprefix src/base/core/,array.c bytes.c) src/os/large_block.c
$W/pack: $(PACKER) src/base/mix/mix.h
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -std=c11 -D_GNU_SOURCE -O2 -Isrc -Iinclude $(PACKER) -o $@

# One function, by which a page decodes its parts before there is anything else.
$(PAGE_DECODER): $W/obj/src/base/encode/base91.o
	$(call say,LINK,$@)$(WASM_LD) --no-entry --export=flm_base91_decode_in_place --gc-sections --strip-all \
	    -z stack-size=0 $< -o $@

# The one of tests/wasm and of bench/view_bench.mjs, which call what they like: it has all of the pure
# folders and of src/wasm/libc, so what is impure in any of them does not link.
WASM_TESTED := $(filter-out $(PAGE_SOURCES:%.c=$W/obj/%.o),$(WASM_OBJECTS))
$(WASM_TESTS_MODULE): $(WASM_TESTED) $W/sources
	$(call say,LINK,$@)$(WASM_LD) $(WASM_LINK) --no-gc-sections --export-all $(WASM_TESTED) -o $@

.PHONY: wasm
wasm: $(MODULE) $(PAGE_MODULE) $(WASM_TESTS_MODULE)
