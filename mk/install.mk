# make demo, install, uninstall, clean.

.PHONY: demo
demo: $B/flamel
	@sh docs/demo.sh $(abspath $B/flamel) $(abspath $(BUILD)) '$(CC)'

MANUAL1 := $(wildcard docs/man/*.1)
MANUAL7 := $(wildcard docs/man/*.7)
BIN := $(DESTDIR)$(PREFIX)/bin
LIB := $(DESTDIR)$(PREFIX)/lib
INCLUDE := $(DESTDIR)$(PREFIX)/include/flamel
MAN := $(DESTDIR)$(PREFIX)/share/man

.PHONY: install
install: all
	install -d $(BIN) $(LIB)/pkgconfig $(INCLUDE) $(MAN)/man1 $(MAN)/man7
	install $B/flamel $(BIN)
	install -m 644 $B/libflamel.a $(LIB)
	install -m 755 $B/$(SHARED) $(LIB)
	ln -sf $(SHARED) $(LIB)/libflamel.so.$(ABI)
	ln -sf libflamel.so.$(ABI) $(LIB)/libflamel.so
	install -m 644 include/flamel/*.h $(INCLUDE)
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@PACKAGES@|$(PACKAGES)|' \
	    flamel.pc.in > $(LIB)/pkgconfig/flamel.pc
	install -m 644 $(MANUAL1) $(MAN)/man1
	install -m 644 $(MANUAL7) $(MAN)/man7

.PHONY: uninstall
uninstall:
	rm -f $(BIN)/flamel $(LIB)/libflamel.a $(LIB)/libflamel.so* $(LIB)/pkgconfig/flamel.pc
	rm -f $(addprefix $(MAN)/man1/,$(notdir $(MANUAL1))) $(addprefix $(MAN)/man7/,$(notdir $(MANUAL7)))
	rm -rf $(INCLUDE)

.PHONY: clean
clean:
	rm -rf $(BUILD)

# Which headers each object needs: written by the compiler, read back here.
-include $(shell test -d $(BUILD) && find $(BUILD) -name '*.d')
