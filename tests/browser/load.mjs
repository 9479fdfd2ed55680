// load.mjs - how profiles get into a page: web/load.js with the module, in a page of nothing else.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {browser, close} from './browser.mjs';

const flamel = process.argv[2];
const folder = mkdtempSync(path.join(tmpdir(), 'flamel-load-'));
// Beside flamel; or above it, where it is built with sanitizers.
const modules = ['wasm', '../wasm'].map(place => path.join(path.dirname(flamel), place)).find(existsSync);
const module = readFileSync(path.join(modules, 'flamel.wasm'));
const pageModule = readFileSync(path.join(modules, 'page.wasm'));
const decoder = path.join(modules, '../generated/web/base91.js');
const script = execFileSync('awk', ['-f', 'src/draw/svg/minify.awk', decoder, 'web/start.js', 'web/worker.js',
    'web/load.js'], {encoding: 'utf8'});

const folded = 'main;parse;read 42\nmain;parse 3\nmain;draw 7\n';
const many = Array.from({length: 200000}, (_, i) => `main;f${i % 977};g${i} ${i % 9 + 1}\n`).join('');

// A page under a policy, with elements; window.load(text, name, cancel, times) is {bytes, progress} or
// {error, name}; `text` is base64.
async function open(policy = '', elements = '') {
    const page = await (await browser.newContext()).newPage();
    await page.route('https://page.test/', route => route.fulfill({
        contentType: 'text/html',
        headers: policy ? {'Content-Security-Policy': policy} : {},
        body: `${elements}<script type="module">${script}
            const bytesOf = text => {
                const letters = atob(text), bytes = new Uint8Array(letters.length);
                for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
                return bytes;
            };
            const textOf = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
            let module = null;
            window.prepare = async text => { module = await WebAssembly.compile(bytesOf(text)); };
            window.load = async (text, name, cancel, times) => {
                const progress = [], controller = new AbortController();
                const options = {module, signal: controller.signal,
                    onProgress: (read, size) => {
                        progress.push([read, size]);
                        if (cancel === 'later') controller.abort();
                    }};
                if (cancel === 'before') controller.abort();
                try {
                    const bytes = await loadProfile(new Blob(Array(times).fill(bytesOf(text))), name, options);
                    return {bytes: textOf(bytes), progress};
                } catch (error) {
                    return {error: error.message, name: error.name, progress};
                }
            };
        </script>`,
    }));
    await page.goto('https://page.test/');
    await page.evaluate(text => window.prepare(text), module.toString('base64'));
    return page;
}

let page;
before(async () => { page = await open(); });
after(async () => {
    await close();
    rmSync(folder, {recursive: true});
});

async function load(bytes, name = 'app.folded', {from = page, cancel = '', times = 1} = {}) {
    const text = Buffer.from(bytes).toString('base64');
    const result = await from.evaluate(([...all]) => window.load(...all), [text, name, cancel, times]);
    if (result.bytes !== undefined) result.bytes = Buffer.from(result.bytes, 'base64');
    return result;
}

// Folders of tests/data with files of other tools.
const OTHER_TOOLS = ['austin', 'callgrind', 'dhat', 'gecko', 'heaptrack', 'java', 'jfr', 'json_profile', 'massif', 'memray',
    'otlp', 'perfetto', 'pprof', 'pprof_legacy', 'probe', 'pstats', 'speedscope', 'text_stacks', 'trace', 'v8'];
// What a page of one file refuses: `flamel view` opens it.
const NOT_IN_PAGES = {android: /'simpleperf report-sample'|a method trace of Android/, nsight: /an SQLite database/, rocpd: /an SQLite database/, rocprof_csv: /is from rocprof/, rocprof_json: /is from rocprof/};

// A zstd frame of one block that is not compressed.
function stored(bytes) {
    const head = Buffer.alloc(12);
    head.writeUInt32LE(0xFD2FB528);
    head[4] = 0xA0;
    head.writeUInt32LE(bytes.length, 5);
    head.writeUIntLE(bytes.length << 3 | 1, 9, 3);
    return Buffer.concat([head, bytes]);
}

// The output of the command, or its error.
function command(bytes, name, format = 'flm') {
    const file = path.join(folder, name);
    writeFileSync(file, bytes);
    try {
        return execFileSync(flamel, ['convert', '-q', file, '-t', format, '-o', '-'],
            {stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28});
    } catch (error) {
        return String(error.stderr).replace('flamel: ', '').replace(folder + path.sep, '').trim();
    }
}

describe('loading', () => {
    test('text becomes the .flm file that the command writes', async () => {
        for (const text of [folded, many])
            assert.deepEqual((await load(text)).bytes, command(text, 'app.folded'));
    });

    test('gzip is decompressed', async () => {
        assert.deepEqual((await load(gzipSync(folded), 'app.gz')).bytes, command(folded, 'a'));
    });

    test('zstd is decompressed, and what is cut off or damaged has the sentence of the command', async () => {
        const packed = name => readFileSync(`tests/data/unzstd/${name}.zst`);
        for (const name of ['level_1', 'level_9', 'level_19', 'fast'])
            assert.deepEqual((await load(packed(name), 'app.zst')).bytes, command(packed(name), 'app.zst'), name);
        for (const format of ['flm', 'packed']) {
            const bytes = command(folded, 'a', format);
            assert.deepEqual((await load(stored(bytes), 'app.flm')).bytes, bytes);
        }
        assert.equal((await load(packed('cut_off'), 'cut.zst')).error, command(packed('cut_off'), 'cut.zst'));
        const damaged = packed('level_9');
        damaged[200] ^= 1;
        assert.equal((await load(damaged, 'damaged.zst')).error, 'damaged.zst: the zstd data is damaged');
        assert.match(command(damaged, 'damaged.zst'), /the zstd data is damaged/);
    });

    test('.flm and packed profiles are handed on as they are', async () => {
        for (const format of ['flm', 'packed']) {
            const bytes = command(folded, 'a', format);
            assert.deepEqual((await load(bytes)).bytes, bytes);
            assert.deepEqual((await load(gzipSync(bytes))).bytes, bytes);
        }
    });

    test('a page that flamel made has a profile in it', async () => {
        const html = command(folded, 'a', 'html');
        assert.deepEqual((await load(html, 'app.html')).bytes, command(folded, 'a', 'packed'));
    });

    // A page of one file has the readers apart: in an element of it.
    const openSmall = async (policy = '') => {
        const [readers] = /<script[^>]* id="flamel-readers"[^]*?<\/script>/.exec(command(folded, 'a', 'html')) ?? [''];
        const small = await open(policy, readers);
        await small.evaluate(text => window.prepare(text), pageModule.toString('base64'));
        return small;
    };

    test('a page of one file reads perf script, and names the command that reads what else perf writes', async () => {
        const small = await openSmall();
        for (const name of readdirSync('tests/data/perf_script')) {
            const text = readFileSync(path.join('tests/data/perf_script', name));
            const {bytes, error} = await load(text, name, {from: small});
            assert.deepEqual(bytes ?? error, command(text, name), name);
        }
        const sentence = 'this is a text of perf report, or JSON of perf data convert, which a page of one file cannot read: ' +
            'open it with: flamel view FILE';
        for (const kind of ['perf_report', 'perf_json'])
            for (const name of readdirSync(`tests/data/${kind}`)) {
                if (name === 'quiet.txt') continue; // has none of perf's marks
                const text = readFileSync(path.join('tests/data', kind, name));
                assert.equal((await load(text, name, {from: small})).error, `${name}: ${sentence}`);
            }
        assert.deepEqual((await load(folded, 'a', {from: small})).bytes, command(folded, 'a'));
        await small.context().close();
    });

    test('profiles of other tools become the .flm files that the command writes, or have its sentence', async () => {
        const small = await openSmall();
        for (const kind of [...OTHER_TOOLS, ...Object.keys(NOT_IN_PAGES)])
            for (const name of readdirSync(path.join('tests/data', kind))) {
                const bytes = readFileSync(path.join('tests/data', kind, name)), expected = command(bytes, name);
                for (const from of [page, small]) {
                    const {bytes: made, error} = await load(bytes, name, {from});
                    if (from === small && kind in NOT_IN_PAGES && typeof expected !== 'string') {
                        assert.match(error, NOT_IN_PAGES[kind], `${kind}/${name}`);
                        assert.match(error, /flamel view FILE$/, `${kind}/${name}`);
                    } else if (from === page || !(kind in NOT_IN_PAGES)) assert.deepEqual(made ?? error, expected, `${kind}/${name}`);
                }
            }
        await small.context().close();
    });

    test('a refusal has the sentence of the command', async () => {
        const bad = {
            'empty.folded': '',
            'blank.folded': '\n\n  \n',
            'a.png': '\x89PNG\r\n\x1a\n0000',
            'a.json': '{"a": 1}',
            'words.folded': 'these are no stacks\n',
            'late.folded': 'a;b 1\n'.repeat(10) + 'a;b -1\n',
            'twice.gz': gzipSync(gzipSync(folded)),
        };
        for (const [name, text] of Object.entries(bad)) {
            const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
            assert.equal((await load(bytes, name)).error, command(bytes, name));
        }
    });

    test('what the browser finds is a sentence too', async () => {
        const cut = gzipSync(many).subarray(0, 1000);
        assert.equal((await load(cut, 'cut.gz')).error, 'cut.gz: the gzip data is damaged or cut off, or has several members: decompress it first (gzip -d)');
        const web = '<!DOCTYPE html><p>hello';
        assert.equal((await load(web, 'a.html')).error, 'a.html: this is a web page, not a profile');
    });

    test('progress goes from nothing to all', async () => {
        const {progress} = await load(many, 'many', {times: 10});
        assert.ok(progress.length > 0);
        let last = 0;
        for (const [read, size] of progress) {
            assert.ok(read >= last && read <= size && size === many.length * 10);
            last = read;
        }
    });

    test('it can be stopped', async () => {
        for (const cancel of ['before', 'later']) {
            const {name, bytes} = await load(many, 'a', {cancel, times: 10});
            assert.equal(bytes, undefined);
            assert.equal(name, 'AbortError');
        }
        assert.deepEqual((await load(folded)).bytes, command(folded, 'a'));
    });

    test('where there may be no worker it is read without one', async () => {
        const policy = "script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'none'";
        for (const strict of [await open(policy), await openSmall(policy)]) {
            assert.deepEqual((await load(folded, 'a', {from: strict})).bytes, command(folded, 'a'));
            assert.match((await load('', 'a', {from: strict})).error, /^a: the file is empty/);
        }
    });
});
