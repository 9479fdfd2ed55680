# `make static`: the command as one static file, which runs where there is nothing but a kernel:
# build/static/flamel-x86_64. `make static-aarch64` makes the one for arm64 on another machine.

# What their libraries bring is more than flamel itself, so it has no PNG, URLs, archives, debuginfod and machine
# code; `flamel --version` says so.
STATIC_MAKE := +$(MAKE) --no-print-directory KIND=static CAIRO=0 DEBUGINFOD=0 CURL=0 ARCHIVE=0 CAPSTONE=0 \
               YAML=0 NGHTTP2=0
STATIC      := $(BUILD)/static/flamel

.PHONY: static static-aarch64
# What both have inside is made once, before the two run side by side.
static static-aarch64: $(ASSETS) $(PAGE_ASSETS)
static:
	@$(STATIC_MAKE) $(STATIC)-$(MACHINE)
static-aarch64: $(BUILD)/static/root/aarch64
	@$(STATIC_MAKE) CC=aarch64-linux-gnu-gcc STRIP=aarch64-linux-gnu-strip PKG_CONFIG=false ROOT=$(abspath $<) \
	    $(STATIC)-aarch64

# The libraries of arm64, unpacked: nothing of them is installed here.
$(BUILD)/static/root/aarch64: mk/unpack_packages.sh
	$(call say,UNPACK,$@)mk/unpack_packages.sh arm64 $@ \
	    libdw-dev libelf-dev libzstd-dev zlib1g-dev libmicrohttpd-dev liblzma-dev libbz2-dev libsqlite3-dev

$(STATIC)-$(MACHINE): $B/flamel
	$(call say,STRIP,$@)$(STRIP) -o $@ $<

# libmicrohttpd can do TLS by GnuTLS, which is larger than flamel. `flamel view` serves the loopback in plain text, so
# what it would call of GnuTLS is answered here: starting succeeds, anything else is not implemented.
ifeq ($(KIND),static)
NO_TLS := $B/obj/no_tls.o
MICROHTTPD := $(or $(wildcard $(ROOT:%=%/usr/lib/$(MACHINE)-linux-gnu/libmicrohttpd.a)),$(shell $(CC) -print-file-name=libmicrohttpd.a))
$B/flamel: $(NO_TLS)
$(NO_TLS): $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$@){ echo 'int gnutls_global_init(void);int gnutls_global_init(void){return 0;}'; \
	    nm -u $(MICROHTTPD) | awk '$$2 ~ /^gnutls_/ && $$2 != "gnutls_global_init" \
	    && !seen[$$2]++ { printf "int %s(void);int %s(void){return -1250;}\n", $$2, $$2 }'; } | \
	    $(CC) -x c -fno-builtin -fPIE -O2 -c - -o $@
endif
