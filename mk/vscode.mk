# make vscode: the extension for VS Code, build/vscode/flamel-VERSION.vsix. It consists of web/vscode, the element
# <flamel-graph>, and the command in WebAssembly from the package for npm.
X := $(BUILD)/vscode
VSCODE_EXTENSION := $X/flamel-$(VERSION).vsix
VSCODE_WASM := $(filter-out index.js,$(patsubst web/npm/%,%,$(wildcard web/npm/*.js))) flamel.wasm.gz package.json NOTICE
VSCODE_FILES := $(patsubst web/vscode/%,$X/extension/%,$(wildcard web/vscode/*.js web/vscode/*.md web/vscode/media/*)) \
                $(addprefix $X/extension/media/,flamel-graph.js flamel.wasm) $(addprefix $X/extension/wasm/,$(VSCODE_WASM)) \
                $X/extension/LICENSE $X/extension/package.json $X/extension/icon.png

$X/extension/media/flamel-graph.js $X/extension/media/flamel.wasm: $X/extension/media/%: $C/%
	@mkdir -p $(@D) && cp $< $@
$X/extension/wasm/%: $N/package/%
	@mkdir -p $(@D) && cp $< $@
$X/extension/LICENSE: LICENSE
	@mkdir -p $(@D) && cp $< $@
$X/extension/package.json: web/vscode/manifest.mjs web/vscode/package.json $B/flamel Makefile
	@mkdir -p $(@D)
	$(call say,MANIFEST,$@)$B/flamel formats --json | node web/vscode/manifest.mjs $(VERSION) > $@.new
	@mv $@.new $@
$X/extension/%: web/vscode/%
	@mkdir -p $(@D) && cp $< $@

# Packages of npm: vsce, which makes the .vsix, the compiler of TypeScript, and types for it.
$X/node_modules/.installed: web/vscode/package.json web/vscode/package-lock.json
	@mkdir -p $X && cp $^ $X/
	$(call say,NPM,$@)cd $X && npm ci --ignore-scripts --no-audit --no-fund > npm.log 2>&1 && touch node_modules/.installed

# Files have the time of the last commit if there is one, so that two builds have the same bytes.
.PHONY: vscode
vscode: $(VSCODE_EXTENSION)
$(VSCODE_EXTENSION): $(VSCODE_FILES) $X/node_modules/.installed
	$(call say,PACK,$@)cd $X/extension && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2> /dev/null || echo 1700000000) \
	    ../node_modules/.bin/vsce package --no-dependencies --allow-missing-repository -o ../$(@F) > ../vsce.log
