# make deb: Debian packages, in build/deb.

# In a copy of the sources, so that packages never depend on what was built here; dpkg-buildpackage puts what it
# makes beside it. Two builds give the same bytes: files have the time of debian/changelog, and no paths of this folder.
DEB := $(BUILD)/deb
.PHONY: deb
deb:
	rm -rf $(DEB) && mkdir -p $(DEB)/flamel
	{ git ls-files 2>/dev/null || find . -path ./build -prune -o -type f -print; } | \
	    tar -cf - -T - | tar -xf - -C $(DEB)/flamel
	cd $(DEB)/flamel && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage -us -uc -b -j2

# Each package, installed and used as a user would. ROOTS=folders of other systems, in which the static file is tried
# too.
PACKAGE_RESULTS := $(addprefix $(BUILD)/results/packages/,static static-aarch64 deb npm vscode site release)
$(BUILD)/results/packages/static: $B/flamel static force
	$(run_test) packages/static $(TEST_SECONDS) tests/packages/static.sh $< $(STATIC)-$(MACHINE)
$(BUILD)/results/packages/static-aarch64: $B/flamel static-aarch64 force
	$(run_test) packages/static-aarch64 $(TEST_SECONDS) env EACH=9 tests/packages/static.sh $< $(STATIC)-aarch64 qemu-aarch64
$(BUILD)/results/packages/deb: deb force
	$(run_test) packages/deb 1200 tests/packages/deb.sh $(DEB)

$(BUILD)/results/packages/npm: $B/flamel npm force
	$(run_test) packages/npm 1200 tests/packages/npm.sh $< $(NPM_PACKAGE)
$(BUILD)/results/packages/vscode: $B/flamel vscode force
	$(run_test) packages/vscode 1200 tests/packages/vscode.sh $< $(VSCODE_EXTENSION)
$(BUILD)/results/packages/release: force
	$(run_test) packages/release $(TEST_SECONDS) tests/packages/release.sh

.PHONY: test-packages
test-packages: $(PACKAGE_RESULTS)
	@tests/house/count_results.sh $(filter-out force,$^)

# What a release consists of, with checksums and a bill of materials, in build/release: docs/releasing.md.
COMPONENT_PACKAGE := $(BUILD)/flamel-graph-$(VERSION).tgz
$(COMPONENT_PACKAGE): $(COMPONENT)
	$(call say,PACK,$@)cd $(BUILD) && npm pack --silent ./component > /dev/null

# Files that say the version for themselves.
.PHONY: release-version
release-version:
	@head -n 1 debian/changelog | grep -qF 'flamel ($(VERSION))' && grep -qxF "VERSION = '$(VERSION)'" python/flamel/errors.py || { \
	    echo 'debian/changelog or python/flamel/errors.py has not the version of Makefile: $(VERSION)' >&2; exit 1; }

.PHONY: release
release: release-version static static-aarch64 deb npm python vscode $(COMPONENT_PACKAGE)
	for machine in x86_64 aarch64; do cp $(STATIC)-$$machine $(STATIC)-$(VERSION)-linux-$$machine; done
	mk/release.sh $(VERSION) $(BUILD)/release $(STATIC)-$(VERSION)-linux-x86_64 \
	    $(STATIC)-$(VERSION)-linux-aarch64 $(COMPONENT_PACKAGE) $(NPM_PACKAGE) $(WHEEL) $(VSCODE_EXTENSION) $(DEB)/*.deb
