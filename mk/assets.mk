# Files that flamel carries inside: the script and style of SVGs and of pages, made into bytes; and
# the component that npm gets.

# The script and the style that every SVG carries are files of src/draw/svg, here made into bytes.
ASSETS := $(BUILD)/generated/draw/svg/assets_generated.h
SVG_SCRIPT := $(patsubst %,src/draw/svg/%.js,data text view page control)
asset = printf 'static const unsigned char $(1)[] = {\n'; \
        $(2) | od -An -v -tu1 | sed 's/[0-9]\{1,\}/&,/g'; printf '};\n'
bare = awk -f src/draw/svg/minify.awk $(1)
$(ASSETS): src/draw/svg/minify.awk src/draw/svg/light.css src/draw/svg/dark.css $(SVG_SCRIPT)
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ $(call asset,style,$(call bare,src/draw/svg/light.css)); \
	    $(call asset,dark_style,$(call bare,src/draw/svg/dark.css)); \
	    $(call asset,script,{ echo '(()=>{"use strict";'; $(call bare,$(SVG_SCRIPT)); \
	        echo '})();'; }); } > $@.new
	@mv $@.new $@
$B/obj/src/draw/svg/assets.o $B/other/src/draw/svg/assets.ok: $(ASSETS)
$(BUILD)/fuzz/obj/src/draw/svg/assets.o $(BUILD)/wasm/obj/src/draw/svg/assets.o: $(ASSETS)

# What every page consists of. The script's modules are concatenated, each behind those that it uses; a page
# carries them as one script under gzip, which the first script, start.js, unpacks and starts.
PAGE_BODY   := web/page.html
PAGE_STYLE  := web/start.css
DECODER     := $(if $(HAVE_WASM),$(BUILD)/generated/web/base91.js)
PAGE_START  := $(DECODER) web/start.js
VIEWER_STYLE := $(BUILD)/generated/web/style.js
VIEWER      := $(VIEWER_STYLE) $(patsubst %,web/%.js,worker load dom core glyphs canvas theme tooltip panel tables code \
               share/html tools search chips palette menu status share/notes splitter aria hash export share/sanitize print dropped files viewer)
PAGE_SCRIPT := $(VIEWER) web/page.js
PAGE_LIVE   := web/live/live.js
SERVE_STYLE := $(BUILD)/generated/web/serve_style.js
PAGE_SERVE  := $(SERVE_STYLE) $(patsubst %,web/serve/%.js,query timeline reports verdict serve)

# The style is a string in the script: so it is under gzip too, and goes into a shadow root as well.
$(VIEWER_STYLE): src/draw/svg/minify.awk web/page.css
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ printf 'export const viewerStyle = `'; $(call bare,web/page.css); \
	    printf '`;\n'; } > $@.new
	@mv $@.new $@

$(SERVE_STYLE): src/draw/svg/minify.awk web/serve/serve.css
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ printf 'const serveStyle = `'; $(call bare,web/serve/serve.css); \
	    printf '`;\n'; } > $@.new
	@mv $@.new $@

# So is the module that decodes what is in base 91.
$(BUILD)/generated/web/base91.js: $(PAGE_DECODER)
	@mkdir -p $(@D)
	$(call say,ASSETS,$@)printf "const FLAMEL_DECODER = '%s';\n" "$$(base64 < $< | tr -d '\n')" > $@.new
	@mv $@.new $@

# The viewer as an element of other pages: what npm gets.
C := $(BUILD)/component
COMPONENT := $C/flamel-graph.js $C/flamel.wasm $C/index.d.ts $C/package.json $C/README.md $C/LICENSE
.PHONY: component
component: $(COMPONENT)
$C/flamel-graph.js: src/draw/svg/minify.awk $(PAGE_START) $(VIEWER) web/component/component.js
	@mkdir -p $(@D)
	$(call say,ASSETS,$@){ $(call bare,$(PAGE_START) $(VIEWER) web/component/component.js); \
	    echo 'export {FlamelGraph};'; } > $@.new
	@mv $@.new $@
$C/flamel.wasm: $(MODULE)
	@mkdir -p $(@D) && cp $< $@
$C/index.d.ts $C/README.md: $C/%: web/component/%
	@mkdir -p $(@D) && cp $< $@
$C/LICENSE: LICENSE
	@mkdir -p $(@D) && cp $< $@
$C/package.json: web/component/package.json Makefile
	@mkdir -p $(@D) && sed 's/"version": "[^"]*"/"version": "$(VERSION)"/' $< > $@

PAGE_ASSETS := $(BUILD)/generated/load/page_assets_generated.h
$(PAGE_ASSETS): src/draw/svg/minify.awk src/load/page_assets.sh $(PAGE_BODY) $(PAGE_STYLE) $(PAGE_START) \
    $(PAGE_SCRIPT) $(PAGE_LIVE) $(PAGE_SERVE) $(if $(HAVE_WASM),$(MODULE) $(PAGE_MODULE) $(PAGE_READERS))
	@mkdir -p $(@D)
	$(call say,ASSETS,$@)src/load/page_assets.sh '$(PAGE_BODY)' '$(PAGE_STYLE)' \
	    '$(PAGE_START)' '$(PAGE_SCRIPT)' '$(PAGE_LIVE)' '$(PAGE_SERVE)' \
	    $(if $(HAVE_WASM),$(MODULE) $(PAGE_MODULE) $(PAGE_READERS)) > $@.new
	@mv $@.new $@
$B/obj/src/load/page_assets.o $B/other/src/load/page_assets.ok: $(PAGE_ASSETS)
$(BUILD)/fuzz/obj/src/load/page_assets.o: $(PAGE_ASSETS)

