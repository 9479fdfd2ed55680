# make npm: the package flamel for npm, build/npm/flamel-VERSION.tgz: the command in WebAssembly, the same functions
# for programs, and the element <flamel-graph>.

# The command is compiled from the sources that it has on Linux, for WASI: libc is Debian's wasi-libc, zlib and
# libzstd are the sources of Debian's packages, so it writes the bytes that the command here writes. What needs a
# kernel stays out; src/wasi stands for what is left of it.
N := $(BUILD)/npm
NPM_LEFT_OUT := src/os/library.c src/os/library_static.c src/os/regular_file.c src/os/child.c src/os/durable_file.c \
                src/os/thread/condition.c src/cli/gate/ab.c src/cli/gate/gate_ab.c src/cli/common/browser.c src/cli/common/preload.c src/cli/common/standard_files.c \
                $(addprefix src/cli/command/,view.c record.c record_threads.c probe.c top.c mcp.c) \
                src/load/probe/attached.c src/load/probe/probe_names.c src/load/probe/live_facts.c
NPM_SOURCES := $(filter-out $(NPM_LEFT_OUT), \
    $(PURE_SOURCES) \
    $(call sources_in,os os/thread stats gate/runs gate/rename gate/policy gate/verdict report/gate source code/find load load/probe) \
    src/net/download.c src/net/url.c \
    $(call sources_in,cli/common cli/save cli/report cli/command cli/note cli/gate wasi wasi/libc))
NPM_LIBRARIES := $N/sources/libzstd/lib $N/sources/zlib
NPM_FOREIGN := $(addprefix zlib/,adler32 crc32 deflate inffast inflate inftrees trees zutil) \
               $(addprefix libzstd/lib/common/,debug entropy_common error_private fse_decompress pool threading zstd_common xxhash) \
               $(addprefix libzstd/lib/compress/,fse_compress hist huf_compress zstd_compress zstd_compress_literals \
                   zstd_compress_sequences zstd_compress_superblock zstd_double_fast zstd_fast zstd_lazy zstd_ldm zstd_opt) \
               $(addprefix libzstd/lib/decompress/,huf_decompress zstd_ddict zstd_decompress zstd_decompress_block)
NPM_OBJECTS := $(NPM_SOURCES:%.c=$N/obj/%.o) $(NPM_FOREIGN:%=$N/obj/sources/%.o)

WASI ?= /usr
WASI_FLAGS := --target=wasm32-wasi -nostdlibinc -isystem src/wasi/libc/include -isystem $(WASI)/include/wasm32-wasi \
              -ftls-model=local-exec -mbulk-memory -msimd128 -mnontrapping-fptoint -msign-ext -ffunction-sections \
              -fdata-sections -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID

$N/sources/.unpacked: mk/unpack_sources.sh
	$(call say,UNPACK,$@)mk/unpack_sources.sh $(@D) zlib libzstd && touch $@

# Macros of wasi-libc are statement expressions. Not -I: the headers of this machine's packages are of another machine.
$N/obj/src/%.o: src/%.c $N/sources/.unpacked
	@mkdir -p $(@D)
	$(call say,WASI,src/$*.c)$(CLANG) -std=c11 -D_GNU_SOURCE= -ffp-contract=off -Isrc -Iinclude -I$(BUILD)/generated \
	    -DFLAMEL_VERSION='"$(VERSION)"' $(NPM_LIBRARIES:%=-isystem %) $(WASI_FLAGS) $(WARNINGS) $(FATAL) \
	    -Wno-gnu-statement-expression $(NPM_OPTIMIZE) $(depend) -c $< -o $@
$N/obj/sources/%.o: $N/sources/.unpacked
	@mkdir -p $(@D)
	$(call say,WASI,$*.c)$(CLANG) $(WASI_FLAGS) -O2 -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -w -c $N/sources/$*.c -o $@
# As in the page: small, but for the inner loops. $N/obj/src/load/page_assets.o has the page.
NPM_OPTIMIZE = $(if $(filter src/base/% src/profile/% src/format/% src/os/% src/layout/%,$<),-O2,-Os)
$N/obj/src/load/page_assets.o: $(PAGE_ASSETS)

# crt1-command.o calls main with the words of the command.
WASI_LIBC := $(WASI)/lib/wasm32-wasi
NPM_BUILTINS := $(firstword $(wildcard $(shell $(CLANG) -print-resource-dir 2>/dev/null)/lib/wasi/libclang_rt.builtins-wasm32.a))
$N/sources.list: force
	$(call remember,$(NPM_SOURCES))
$N/flamel.wasm: $(NPM_OBJECTS) $N/sources.list
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(WASM_LD) --gc-sections --stack-first -z stack-size=8388608 --max-memory=4294967296 \
	    --strip-all --fatal-warnings $(WASI_LIBC)/crt1-command.o $(NPM_OBJECTS) -L$(WASI_LIBC) -lwasi-emulated-mman \
	    -lwasi-emulated-process-clocks -lwasi-emulated-getpid -lc -lc-printscan-long-double $(NPM_BUILTINS) -o $@.linked
	$(if $(WASM_OPT),@$(WASM_OPT) $(WASM_FEATURES:%=--enable-%) -O2 $@.linked -o $@,@cp $@.linked $@)
# As the page's module, it is packed by the one that packs best, and any browser and node inflate it.
$N/package/flamel.wasm.gz: $N/flamel.wasm
	@mkdir -p $(@D)
	$(call say,PACK,$@)if command -v libdeflate-gzip > /dev/null; then libdeflate-gzip -12 -c < $<; else gzip -9 -n -c $<; fi > $@.new
	@mv $@.new $@

# The element stands in a folder of its own, with the viewer's module.
NPM_FILES := $(addprefix $N/package/,flamel.wasm.gz package.json LICENSE NOTICE graph/flamel-graph.js graph/flamel.wasm graph/index.d.ts) \
             $(patsubst web/npm/%,$N/package/%,$(wildcard web/npm/*.js web/npm/*.d.ts web/npm/README.md))
$N/package/graph/%: $C/%
	@mkdir -p $(@D) && cp $< $@
$N/package/%: web/npm/%
	@mkdir -p $(@D) && cp $< $@
$N/package/LICENSE: LICENSE
	@mkdir -p $(@D) && cp $< $@
# What is inside beside flamel itself.
$N/package/NOTICE: $N/sources/.unpacked
	@mkdir -p $(@D)
	$(call say,NOTICE,$@)for from in $N/sources/zlib/LICENSE $N/sources/libzstd/LICENSE \
	    $(WASI)/share/doc/wasi-libc/copyright; do printf '==== %s ====\n\n' "$${from##*/sources/}"; cat "$$from"; echo; done > $@
$N/package/package.json: web/npm/package.json Makefile
	@mkdir -p $(@D) && sed 's/"version": "[^"]*"/"version": "$(VERSION)"/' $< > $@

NPM_PACKAGE := $N/flamel-$(VERSION).tgz
.PHONY: npm
npm: $(NPM_PACKAGE)
$(NPM_PACKAGE): $(NPM_FILES)
	$(call say,PACK,$@)cd $N && npm pack --silent ./package > /dev/null
