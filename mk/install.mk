# make demo, install, uninstall, clean.

.PHONY: demo
demo: $B/flamel
	@sh docs/demo.sh $(abspath $B/flamel) $(abspath $(BUILD)) '$(CC)'

# Where things go; all of it under DESTDIR, which a packager sets. STRIP= leaves the debug information in.
LIBDIR ?= $(PREFIX)/lib
SHARE  ?= $(PREFIX)/share
STRIP  ?= strip

BIN     := $(DESTDIR)$(PREFIX)/bin
LIB     := $(DESTDIR)$(LIBDIR)
INCLUDE := $(DESTDIR)$(PREFIX)/include/flamel
MAN     := $(DESTDIR)$(SHARE)/man
BASH_COMPLETIONS := $(DESTDIR)$(SHARE)/bash-completion/completions
ZSH_COMPLETIONS  := $(DESTDIR)$(SHARE)/zsh/site-functions
FISH_COMPLETIONS := $(DESTDIR)$(SHARE)/fish/vendor_completions.d
SUPPRESSIONS     := $(DESTDIR)$(SHARE)/flamel

MANUAL1 := $(wildcard docs/man/*.1)
MANUAL7 := $(wildcard docs/man/*.7)

# The dynamic linker finds a new library after ldconfig; a package's own scripts run it for a package.
refresh_libraries = $(if $(DESTDIR),,if [ "$$(id -u)" -eq 0 ] && command -v ldconfig > /dev/null; then ldconfig; fi)

.PHONY: install
install: all
	install -d $(BIN) $(LIB)/pkgconfig $(INCLUDE) $(MAN)/man1 $(MAN)/man7 \
	    $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) $(SUPPRESSIONS)
	install -m 755 $B/flamel $(BIN)
	install -m 644 $B/libflamel.a $(LIB)
	install -m 755 $B/$(SHARED) $B/$(PROBE_SHARED) $(LIB)
	install -m 755 $(JAVA_LIBRARY) $(LIB)
	install -m 644 $(PROBE_LIBRARIES) $B/libflamel-probe-static.a $B/libflamel-probe-wrapped.a $(PROBE_LINK) $(PROBE_INTERFACE) $(LIB)
	$(if $(STRIP),$(STRIP) $(BIN)/flamel)
	$(if $(STRIP),$(STRIP) --strip-unneeded $(LIB)/$(SHARED) $(LIB)/$(PROBE_SHARED))
	$(if $(STRIP),$(STRIP) --strip-unneeded $(LIB)/libflamel-java.so)
	$(if $(STRIP),$(STRIP) --strip-debug $(LIB)/libflamel.a $(LIB)/libflamel-probe-static.a $(LIB)/libflamel-probe-wrapped.a)
	ln -sf $(SHARED) $(LIB)/libflamel.so.$(ABI)
	ln -sf libflamel.so.$(ABI) $(LIB)/libflamel.so
	ln -sf $(PROBE_SHARED) $(LIB)/libflamel-probe.so.$(ABI)
	install -m 644 include/flamel/*.h include/flamel/probe.hpp $(INCLUDE)
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@PACKAGES@|$(PACKAGES)|' \
	    flamel.pc.in > $(LIB)/pkgconfig/flamel.pc
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|' $B/flamel-probe.pc > $(LIB)/pkgconfig/flamel-probe.pc
	install -m 644 probe/valgrind/probe.supp $(SUPPRESSIONS)
	install -m 644 $(MANUAL1) $(MAN)/man1
	install -m 644 $(MANUAL7) $(MAN)/man7
	$B/flamel completion bash > $(BASH_COMPLETIONS)/flamel
	$B/flamel completion zsh > $(ZSH_COMPLETIONS)/_flamel
	$B/flamel completion fish > $(FISH_COMPLETIONS)/flamel.fish
	$(refresh_libraries)

.PHONY: uninstall
uninstall:
	rm -f $(BIN)/flamel $(LIB)/libflamel.a $(LIB)/libflamel.so* $(LIB)/libflamel-probe* $(LIB)/libflamel-java.so $(LIB)/flamel-probe-link.o $(LIB)/pkgconfig/flamel.pc $(LIB)/pkgconfig/flamel-probe.pc
	rm -f $(addprefix $(MAN)/man1/,$(notdir $(MANUAL1))) $(addprefix $(MAN)/man7/,$(notdir $(MANUAL7)))
	rm -f $(BASH_COMPLETIONS)/flamel $(ZSH_COMPLETIONS)/_flamel $(FISH_COMPLETIONS)/flamel.fish
	rm -rf $(INCLUDE) $(SUPPRESSIONS)
	$(refresh_libraries)

.PHONY: clean
clean:
	rm -rf $(BUILD)
