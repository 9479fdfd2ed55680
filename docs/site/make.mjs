// The site of flamel: README.md, docs/, the manual pages and the examples as pages that need no server and no network.
//
//     node docs/site/make.mjs FLAMEL COMPONENT OUT
//
// Markdown is converted by cmark-gfm, manual pages by mandoc. A comment in a document is a live flame graph:
//
//     <!-- graph: tests/data/folded/perf-node.folded -->
//     <!-- graph: tests/data/folded/perf-node.folded view sandwich -->        with an action of the viewer
//
// A page that is opened as a file may load scripts, but no modules, no data and no WebAssembly. So these are scripts in
// assets/ that hold them as text, and are loaded when a graph comes into view.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const [flamel, component, out] = process.argv.slice(2);
const text = path => readFileSync(path, 'utf8');
const escape = string => string.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const listed = (folder, pattern) => readdirSync(folder).filter(name => pattern.test(name)).sort().map(name => `${folder}/${name}`);

// ---- Which pages there are -----------------------------------------------------------------------

const GUIDES = ['docs/probe.md', 'docs/ci.md', 'docs/serve.md', 'docs/operations.md', 'docs/python.md', 'web/npm/README.md',
    'docs/component.md', 'web/vscode/README.md'];
const INSIDE = ['docs/ARCHITECTURE.md', 'docs/releasing.md', 'CHANGELOG.md'];
const PAGES = [
    ['', ['README.md']],
    ['Guides', GUIDES],
    ['Reference', listed('docs', /\.md$/).filter(path => !GUIDES.includes(path) && !INSIDE.includes(path))],
    ['Manual pages', listed('docs/man', /\.[1-9]$/)],
    ['Examples', [...listed('examples', /\.c$/), ...listed('examples/probe', /\.c$/), 'examples/regression-gate/README.md',
        'examples/kubernetes/flamel.yaml']],
    ['Inside', INSIDE],
];
const sources = PAGES.flatMap(([, paths]) => paths);

// docs/man/flamel-gate.1 becomes flamel-gate.1.html, and web/npm/README.md npm.html.
function addressOf(path) {
    if (path === 'README.md') return 'index.html';
    const name = /README\.md$/.test(path) ? basename(dirname(path)) : basename(path).replace(/\.md$/, '');
    return `${name}.html`;
}
const addresses = new Map(sources.map(path => [path, addressOf(path)]));
if (new Set(addresses.values()).size !== sources.length) throw new Error('two pages have one address');

// What the navigation calls a page.
function titleOf(path) {
    if (/\.[1-9]$/.test(path)) return basename(path).replace(/\.([1-9])$/, '($1)');
    if (path === 'README.md') return 'flamel';
    const heading = /\.md$/.test(path) && text(path).match(/^# (.*)$/m);
    return heading ? heading[1].replace(/`/g, '') : basename(path);
}
const titles = new Map(sources.map(path => [path, titleOf(path)]));

// ---- Live graphs ---------------------------------------------------------------------------------

const profiles = new Map();

// Converts a profile to base64 of gzip, for a script in assets/; returns the name of the script.
function profileScript(path) {
    const name = path.replace(/[^A-Za-z0-9]+/g, '-');
    if (!profiles.has(name)) {
        const bytes = execFileSync(flamel, ['convert', '--quiet', '-t', 'flm', '-o', '-', path], { maxBuffer: 2 ** 30 });
        profiles.set(name, gzipSync(bytes, { level: 9 }).toString('base64'));
    }
    return name;
}

function graphOf(words) {
    const [, path, state = ''] = words.match(/^(\S+)(?: (.*))?$/);
    return `<div class="graph" data-profile="${profileScript(path)}" data-name="${escape(basename(path))}"` +
        ` data-act="${escape(state)}"><p>The flame graph of ${escape(path)} is drawn here by a script.</p></div>`;
}

// ---- Documents as HTML ---------------------------------------------------------------------------

// The anchor of a heading, as on GitHub.
const slug = title => title.toLowerCase().replace(/<[^>]*>|&\w+;/g, '').replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-');

// The address of a link: a file of the tree has the address of its page. Null if it has no page; the link becomes text.
function link(path, target) {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) return target;
    const [file, anchor] = target.split('#'), there = normalize(join(dirname(path), file));
    const address = addresses.get(there.replace(/\/$/, '')) ?? addresses.get(there);
    return address ? address + (anchor ? `#${anchor}` : '') : null;
}

function image(path, target) {
    const from = normalize(join(dirname(path), target));
    copyFileSync(from, join(out, 'assets', basename(from)));
    return `assets/${basename(from)}`;
}

function markdown(path) {
    const graphs = [];
    const marked = text(path).replace(/^<!-- graph: (.*?) -->$/gm, (_, words) => `\n<div>graph ${graphs.push(graphOf(words)) - 1}</div>\n`)
        .replace(/^<!--.*?-->$/gms, '');
    return execFileSync('cmark-gfm', ['--unsafe', '-e', 'table', '-e', 'autolink'], { input: marked, encoding: 'utf8' })
        .replace(/<h([1-6])>(.*?)<\/h\1>/g, (_, level, title) => `<h${level} id="${slug(title)}">${title}</h${level}>`)
        .replace(/<img src="(.*?)"/g, (_, target) => `<img src="${image(path, target)}"`)
        .replace(/<a href="(.*?)">(.*?)<\/a>/gs, (_, target, inner) => {
            const to = link(path, target);
            return to === null ? inner : `<a href="${to}">${inner}</a>`;
        })
        .replace(/<table>/g, '<div class="wide"><table>').replace(/<\/table>/g, '</table></div>')
        .replace(/<pre>/g, '<pre tabindex="0">').replace(/<pre lang="(\w+)">/g, '<pre tabindex="0" data-language="$1">')
        .replace(/<div>graph (\d+)<\/div>/g, (_, i) => graphs[i]);
}

function manual(path) {
    const known = new Set(addresses.values());
    const html = execFileSync('mandoc', ['-T', 'html', '-O', 'fragment,man=%N.%S.html', path], { encoding: 'utf8' })
        .replace(/<table class="(head|foot)">.*?<\/table>/gs, '');
    // "SCRAPING in flamel-serve(1)" would link to a section of this page: only the name of the manual page is a link then.
    return `<h1>${titles.get(path)}</h1>` + html
        .replace(/<a class="Sx" href="#(.*?)">(.*?)<\/a>/gs, (whole, id, inner) => html.includes(`id="${id}"`) ? whole : inner)
        .replace(/<(\/?)h2/g, '<$1h3').replace(/<(\/?)h1/g, '<$1h2')
        .replace(/<a class="Xr" href="(.*?)">(.*?)<\/a>/gs, (whole, to, inner) => known.has(to) ? whole : inner)
        .replace(/<pre/g, '<pre tabindex="0"');
}

// The source of an example; the comment at its head describes it.
function program(path) {
    return `<h1>${escape(titles.get(path))}</h1><pre tabindex="0" data-language="${path.split('.').pop()}"><code>${escape(text(path))}</code></pre>`;
}

// ---- Search --------------------------------------------------------------------------------------

const plain = html => html.replace(/<div class="graph".*?<\/div>/gs, '').replace(/<\/(?:code|a|b|i|em|strong|span|mark)>|<(?:code|a|b|i|em|strong|span|mark)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&(nbsp|#160|#x00A0);/g, ' ')
    .replace(/&#(x?)([0-9A-Fa-f]+);/g, (_, hex, digits) => String.fromCodePoint(parseInt(digits, hex ? 16 : 10))).replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ').trim();

// The sections of a page, from one heading with an anchor (or option of a manual page) to the next: [anchor, title, text].
function sectionsOf(path, html) {
    const starts = [...html.matchAll(/<(h[1-6]|dt)\b[^>]*? id="(.*?)"[^>]*>(.*?)<\/\1>/gs)];
    const ends = [...starts.slice(1).map(({ index }) => index), html.length];
    const first = plain(html.slice(0, starts[0]?.index).replace(/<h1>.*?<\/h1>/s, ''));
    return [...first ? [['', titles.get(path), first]] : [],
        ...starts.map(({ 0: { length }, index, 2: id, 3: title }, i) => [id, plain(title), plain(html.slice(index + length, ends[i]))])];
}

// All pages for search.js: [address, title, sections].
const searched = [];

// ---- Pages ---------------------------------------------------------------------------------------

function navigation(current) {
    return PAGES.map(([group, paths]) => (group ? `<h2>${group}</h2>` : '') + '<ul>' + paths.map(path =>
        `<li><a href="${addresses.get(path)}"${path === current ? ' aria-current="page"' : ''}>${escape(titles.get(path))}</a></li>`).join('') +
        '</ul>').join('');
}

function page(path) {
    const content = /\.md$/.test(path) ? markdown(path) : /\.[1-9]$/.test(path) ? manual(path) : program(path);
    const title = titles.get(path);
    searched.push([addresses.get(path), title, sectionsOf(path, content)]);
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title === 'flamel' ? 'flamel: a profiler' : `${title} - flamel`)}</title>
<link rel="stylesheet" href="assets/site.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Pages">
<div role="search" hidden><input type="search" placeholder="Search" aria-label="Search all pages" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">
<p role="status"></p><ol></ol></div>
<details><summary>flamel</summary>${navigation(path)}</details>
</nav>
<main id="content">
${content}
</main>
<script src="assets/site.js"></script>
<script src="assets/search.js"></script>
</body>
</html>
`;
}

// The element as a script that is no module.
function classic(script) {
    return `(() => {\n${script.replace(/^export \{.*\};$/m, '').replace(/import\.meta\.url/g, 'document.baseURI')}\n})();\n`;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'assets'), { recursive: true });
for (const path of sources) writeFileSync(join(out, addresses.get(path)), page(path));
for (const name of ['site.css', 'site.js', 'search.js']) copyFileSync(new URL(name, import.meta.url), join(out, 'assets', name));
writeFileSync(join(out, 'assets/flamel-graph.js'), classic(text(join(component, 'flamel-graph.js'))));
const packed = bytes => gzipSync(bytes, { level: 9 }).toString('base64');
writeFileSync(join(out, 'assets/search-index.js'), `flamelSite.take('search-index', '${packed(JSON.stringify(searched))}');\n`);
writeFileSync(join(out, 'assets/flamel-wasm.js'), `flamelSite.take('module', '${packed(readFileSync(join(component, 'flamel.wasm')))}');\n`);
for (const [name, content] of profiles) writeFileSync(join(out, `assets/${name}.js`), `flamelSite.take('${name}', '${content}');\n`);
