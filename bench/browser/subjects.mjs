// subjects.mjs - flamel and other viewers, each in a page of the same browser: how a profile is opened in it,
// and where its picture is.
//
// A server on loopback serves the other viewers from the packages that npm installed.

import {execFileSync} from 'node:child_process';
import {createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {closePage, drop, newPage, noted} from './browser.mjs';

const modules = path.join(process.env.NODE_MODULES, 'node_modules');
const folder = mkdtempSync(path.join(tmpdir(), 'flamel-bench-'));
const [flamel, data] = process.argv.slice(2);

export const dataFile = name => path.resolve(data, name);

// ---- The server ---------------------------------------------------------------------------------

const TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
    '.wasm': 'application/wasm'};
// What d3-flame-graph needs, in the order in which they need one another.
const D3 = ['array', 'color', 'dispatch', 'ease', 'timer', 'format', 'hierarchy', 'interpolate', 'time',
    'time-format', 'scale', 'selection', 'transition'];

// As its readme shows it, with frames over one pixel, which make it usable at these sizes.
const D3_PAGE = `<!DOCTYPE html><title>d3-flame-graph</title>
<link rel="stylesheet" href="/d3-flame-graph/dist/d3-flamegraph.css">
<input id="search" style="position: fixed; bottom: 0"><div id="chart"></div>
${D3.map(name => `<script src="/d3-${name}/dist/d3-${name}.min.js"></script>`).join('\n')}
<script src="/d3-flame-graph/dist/d3-flamegraph.umd.min.js"></script>
<script type="module">
    const tree = await (await fetch(location.search.slice(1))).json();
    bench.restart();
    const chart = flamegraph.default().width(innerWidth).cellHeight(18).minFrameSize(1)
        .inverted(true);
    d3.select('#chart').datum(tree).call(chart);
    bench.afterFrame(now => { bench.first = now - bench.started; });
    document.getElementById('search').oninput = event => chart.search(event.target.value);
</script>`;

const server = createServer((request, response) => {
    const {pathname} = new URL(request.url, 'http://x');
    if (pathname === '/d3.html') {
        response.writeHead(200, {'content-type': 'text/html'});
        response.end(D3_PAGE);
        return;
    }
    const file = [path.join(modules, pathname), path.join(folder, pathname)].find(existsSync);
    response.writeHead(file ? 200 : 404, {'content-type': TYPES[path.extname(pathname)] ??
        'application/octet-stream'});
    if (file) createReadStream(file).pipe(response);
    else response.end();
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

export function end() {
    server.close();
    rmSync(folder, {recursive: true});
}

// ---- Profiles -----------------------------------------------------------------------------------

// The path of a page of one file with a profile.
export function pageOf(input) {
    const output = path.join(folder, path.basename(input) + '.html');
    if (!existsSync(output)) execFileSync(flamel, ['convert', '-q', input, '-o', output]);
    return output;
}

// The path of a page with one stack: its size is the fixed part of a page.
export function smallestPage() {
    const input = path.join(folder, 'one.folded');
    writeFileSync(input, 'a 1\n');
    return pageOf(input);
}

export function nodeCount(input) {
    const words = execFileSync(flamel, ['info', '-q', input], {encoding: 'utf8'});
    const found = /^\s*(?:stacks|nodes)\D*([\d,]+)/m.exec(words);
    if (!found) throw new Error(`no count of nodes in: ${words}`);
    return Number(found[1].replaceAll(',', ''));
}

// Writes folded stacks as the tree that d3-flame-graph takes. Returns its name on the server.
async function treeOf(input) {
    const name = path.basename(input) + '.json', output = path.join(folder, name);
    if (existsSync(output)) return name;
    const make = name => ({name, value: 0, below: new Map()}), root = make('all');
    for await (const line of createInterface({input: createReadStream(input)})) {
        const end = line.lastIndexOf(' '), count = Number(line.slice(end + 1));
        let at = root;
        at.value += count;
        for (const name of line.slice(0, end).split(';')) {
            if (!at.below.has(name)) at.below.set(name, make(name));
            at = at.below.get(name);
            at.value += count;
        }
    }
    writeFileSync(output, JSON.stringify(root, (key, value) => value instanceof Map
        ? [...value.values()] : value).replaceAll('"below":', '"children":'));
    return name;
}

// ---- Subjects -----------------------------------------------------------------------------------

export const settled = page => page.waitForFunction(() =>
    document.querySelector('.stage')?.dataset.settled === 'true', null, {polling: 20});

// Every `open` resolves when there is a picture: {page, wait}, ms from the navigation, from the drop, or from
// passing the tree to the viewer.
export const oursAt = fragment => ({
    name: 'flamel',
    async open(input) {
        const page = await newPage();
        await page.goto('file://' + pageOf(input) + fragment, {waitUntil: 'commit'});
        return {page, wait: await noted(page)};
    },
    // A page of one stack, which something else can be dropped on.
    async openEmpty() {
        const page = await newPage();
        await page.goto('file://' + smallestPage());
        await noted(page);
        return page;
    },
    dropped: 'changed',
    close: closePage,
});
export const ours = oursAt('');

// The lower bound for any page: a script of one line that fills a canvas.
export const least = {
    name: 'a page of one line, which fills a canvas',
    async open() {
        const file = path.join(folder, 'least.html');
        writeFileSync(file, `<!DOCTYPE html><canvas></canvas><script>requestAnimationFrame(() => {
            const image = new ImageData(1920, 1000);
            new Uint32Array(image.data.buffer).fill(~0, 0, 960000);
            document.querySelector('canvas').getContext('2d').putImageData(image, 0, 0);
        })</script>`);
        const page = await newPage();
        await page.goto('file://' + file, {waitUntil: 'commit'});
        return {page, wait: await noted(page)};
    },
    close: closePage,
};

export const speedscope = {
    name: 'speedscope',
    async openEmpty() {
        const page = await newPage();
        await page.goto(`${origin}/speedscope/dist/release/index.html`);
        await page.waitForSelector('input[type=file]', {state: 'attached'});
        return page;
    },
    async open(input) {
        const page = await this.openEmpty();
        await drop(page, input);
        return {page, wait: await noted(page)};
    },
    dropped: 'first',
    close: closePage,
};

export const d3 = {
    name: 'd3-flame-graph, frames over 1 px',
    async open(input) {
        const name = await treeOf(input), page = await newPage();
        await page.goto(`${origin}/d3.html?/${name}`);
        return {page, wait: await noted(page)};
    },
    close: closePage,
};

export const sizeOf = file => readFileSync(file).length;
