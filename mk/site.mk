# make site: README.md, docs/, the manual pages and the examples as pages for a browser, with live flame graphs; they need
# no server and no network.
SITE := $(BUILD)/site
.PHONY: site
site: $(SITE)/index.html
$(SITE)/index.html: $(wildcard docs/site/* docs/*.md docs/man/* docs/*.svg docs/*.png examples/*.c examples/*/*.c examples/*/*.md examples/*/*.yaml web/*/README.md) README.md CHANGELOG.md \
    $B/flamel $(COMPONENT)
	$(call say,SITE,$@)node docs/site/make.mjs $B/flamel $C $(SITE)

# Every page in Chromium, at three widths, light and dark.
$(BUILD)/results/packages/site: tests/site/pages.mjs site force
	$(run_test) packages/site 600 tests/browser/run.sh $< $B/flamel $(SITE)
