// load.js - how profiles get into the page: dropped, fetched, or embedded in it.
//
// The result is always bytes that flamel_open takes: a .flm file or a packed profile. A source that is
// already one of these is passed through; any other format is read by the module in a worker
// (worker.js), so that the page stays responsive. gzip is decompressed by the browser first, zstd by the
// module: not every browser knows it.
//
//     const module = await loadModule();
//     const bytes = await loadProfile(file, file.name, {module, onProgress, signal});
//     const {bytes, name} = await loadEmbedded('after', {module, onProgress});
//
// Embedded profiles are elements, which the command writes (src/load/page.c):
//
//     <script type="text/plain" id="flamel-after" data-size="N" data-name="app.perf">...</script>
//     <script type="text/plain" id="flamel-before" ...      the baseline of a comparison; optional
//
// start.js decompresses them and the module. In a served page (flamel view) the elements of the module
// and of the profiles are empty, and `data-from` is their URL, relative to the page.
//
// Every function here fails with an Error whose message is the sentence that the command would print.

import {flamelBytes, flamelKeepReaders, flamelModule, flamelProfiles, flamelReaders} from './start.js';
import {decompressZstd, importLater, readProfile, sanitizeProfile, startReader, work} from './worker.js';

const MAGIC = {
    flm: 'FLAMEL\x1a\n',
    packed: 'FLAMPK\x1a\n',
    gzip: '\x1f\x8b',
    zstd: '\x28\xb5\x2f\xfd',
    page: '<!DOCTYPE html>',
    perf: 'PERFILE2',
    otherPerf: '2ELIFREP', // of a machine of the other byte order
};

// The first frame waits at most this long for embedded profiles.
const EMBEDDED_MS = 100;

// ---- Embedded in the page -----------------------------------------------------------------------

function element(id) {
    return document.getElementById('flamel-' + id);
}

// Whether the page has a profile of this side, embedded or served: 'after' or 'before'.
export function isEmbedded(id) {
    return element(id) !== null;
}

// The compiled module; `from` is its URL where the page has no element for it. Embedded profiles are
// decompressed at the same time, and small ones are waited for, so that the first frame already shows
// them: that saves the layout and painting of an empty viewer.
export async function loadModule(from = 'flamel.wasm') {
    if (flamelModule) {
        const all = Promise.allSettled(flamelProfiles.values());
        await Promise.race([all, new Promise(resolve => setTimeout(resolve, EMBEDDED_MS))]);
        return flamelModule;
    }
    const found = element('module');
    return WebAssembly.compileStreaming(fetch(found ? found.dataset.from : from));
}

// An embedded or served profile: its bytes and its name.
export async function loadEmbedded(id, options = {}) {
    const {name, from} = element(id).dataset;
    if (!from) {
        const bytes = await flamelProfiles.get(id);
        flamelProfiles.delete(id);
        return {name, bytes};
    }
    return {name, bytes: await loadURL(from, name, options)};
}

// Source and machine code: what is embedded in the page, of its profile; else from the server of `flamel view`, for what is wanted:
// {function, module, files, assembly, side, other}. null: there is neither.
export async function loadCode(wanted) {
    const embedded = flamelProfiles.get('code'), from = element('module')?.dataset.code;
    // It has the code of after, and of before that of functions which are gone.
    if (embedded) return wanted.side === 'after' || wanted.alone ? embedded : null;
    if (!from) return null;
    const response = await fetch(from, {method: 'POST', body: JSON.stringify(wanted)}).catch(() => {
        throw new Error('there is no answer: is flamel view still running?');
    });
    if (!response.ok) throw new Error(await response.text() || `the server says ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
}

// Whether there may be more of it than the page has shown.
export const mayHaveCode = () => flamelProfiles.has('code') || Boolean(element('module')?.dataset.code);

// Whether the page is that of a store, which asks for its profiles itself (web/serve).
export const isOfStore = () => element('module')?.dataset.store != null;

// Where to ask what a running program has measured by now; undefined: the profile is none of such.
export const liveURL = () => element('module')?.dataset.live;

// ---- Fetched, dropped or chosen -----------------------------------------------------------------

// A profile at a URL.
export async function loadURL(url, name, {module, onProgress, signal} = {}) {
    let response;
    try {
        response = await fetch(url, {signal});
    } catch (error) {
        signal?.throwIfAborted();
        // Browsers tell a page no more.
        throw new Error(`${name}: cannot be fetched: there is no answer, or the server does not allow pages of other ` +
            'sites to read it (Access-Control-Allow-Origin). Download it and drop the file here.');
    }
    if (!response.ok) throw new Error(`${name}: cannot be fetched: ${response.status} ${response.statusText}`);
    return loadProfile(await response.blob(), name, {module, onProgress, signal});
}

// The profile in a file: a Blob, an ArrayBuffer or a view of one. `onProgress(bytes, size)` is called
// about every 40 ms. `signal` cancels: the promise then rejects with the signal's reason.
export async function loadProfile(source, name, {module, onProgress = () => {}, signal} = {}) {
    try {
        signal?.throwIfAborted();
        let blob = source instanceof Blob ? source : new Blob([source]);
        let kind = await kindOf(blob);
        if (kind === 'gzip' || kind === 'zstd') {
            blob = kind === 'gzip' ? await gunzip(blob, signal)
                : await inWorker(decompressZstd, blob, {module, onProgress, signal});
            kind = await kindOf(blob);
        }
        if (kind === 'page') return await openPage(blob);
        const reader = element('module')?.dataset.reader;
        if (/perf/i.test(kind) && reader) return await post(reader, blob, signal);
        if (kind === 'flm' || kind === 'packed') return new Uint8Array(await blob.arrayBuffer());
        await Promise.race([preparing, new Promise(done => signal?.addEventListener('abort', done))]);
        signal?.throwIfAborted();
        return await inWorker(readProfile, blob, {module, onProgress, signal});
    } catch (error) {
        signal?.throwIfAborted();
        // The browser reports a file that it cannot read as a DOMException.
        const reason = error instanceof DOMException ? 'cannot be read: ' + error.message
            : error instanceof RangeError ? 'out of memory' : error.message;
        throw new Error(`${name}: ${reason}`);
    }
}

// perf.data: the names of its functions are in files of the machine, which the server of the page has.
async function post(reader, blob, signal) {
    const response = await fetch(reader, {method: 'POST', body: blob, signal}).catch(() => {
        signal?.throwIfAborted();
        throw new Error('flamel view, which reads it, does not answer any more');
    });
    if (!response.ok) throw new Error(await response.text());
    return new Uint8Array(await response.arrayBuffer());
}

// A key of MAGIC, by the first bytes; null for anything else.
async function kindOf(blob) {
    const head = String.fromCharCode(...new Uint8Array(await blob.slice(0, 16).arrayBuffer()));
    return Object.keys(MAGIC).find(kind => head.startsWith(MAGIC[kind])) ?? null;
}

async function gunzip(blob, signal) {
    try {
        return await new Response(blob.stream().pipeThrough(new DecompressionStream('gzip'), {signal})).blob();
    } catch {
        signal?.throwIfAborted();
        throw new Error('the gzip data is damaged or cut off, or has several members: ' +
            'decompress it first (gzip -d)');
    }
}

// The profile embedded in another page that flamel wrote.
async function openPage(blob) {
    const page = new DOMParser().parseFromString(await blob.text(), 'text/html');
    const found = page.getElementById('flamel-after');
    if (!found) throw new Error('this is a web page, not a profile');
    return flamelBytes(found);
}

// ---- The worker ---------------------------------------------------------------------------------

// Loads the readers of a page of one file, which takes some tenths of a second: where a file is about to come. Reading
// nothing loads them.
let preparing = null;
export function prepareReaders(module) {
    if (flamelReaders() instanceof Uint8Array)
        preparing ??= inWorker(readProfile, new Blob(), {module, onProgress() {}}).catch(() => {});
}

// A profile with the rules and the key of sanitize.h: {list, bytes}.
export function sanitize(profile, rules, key, module) {
    const text = new TextEncoder().encode(rules), sizes = new DataView(new ArrayBuffer(8));
    sizes.setUint32(0, text.length, true);
    sizes.setUint32(4, key.length, true);
    return inWorker(sanitizeProfile, new Blob([sizes, text, key, profile]), {module, onProgress() {}});
}

// Does a job of worker.js in a worker; on the main thread where the browser allows this page no worker.
function inWorker(job, blob, {module, onProgress, signal}) {
    const code = `(${work})(${startReader}, ${importLater}, ${job})`;
    const address = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
    return new Promise((resolve, reject) => {
        let worker = null, started = false;
        const end = (finish, result) => {
            worker?.terminate();
            URL.revokeObjectURL(address);
            signal?.removeEventListener('abort', stop);
            finish(result);
        };
        const stop = () => end(reject, signal.reason);
        const failed = event => {
            event?.preventDefault();
            if (started) end(reject, new Error(`reading failed: ${event.message || 'out of memory'}`));
            else end(resolve, workHere(job, blob, {module, onProgress, signal}));
        };
        signal?.addEventListener('abort', stop);
        try {
            worker = new Worker(address);
        } catch {
            failed();
            return;
        }
        worker.onerror = worker.onmessageerror = failed;
        worker.onmessage = ({data}) => {
            started = true;
            if (data.read) onProgress(data.read, blob.size);
            else if (data.compiled) flamelKeepReaders(data.compiled);
            else if (data.result) end(resolve, data.result);
            else if (data.sentence) end(reject, new Error(data.sentence));
        };
        worker.postMessage({module, readers: flamelReaders(), blob});
    });
}

async function workHere(job, blob, {module, onProgress, signal}) {
    const all = new Uint8Array(await blob.arrayBuffer());
    signal?.throwIfAborted();
    let at = 0;
    const result = job(startReader({module, readers: flamelReaders(), importLater, keep: flamelKeepReaders}, view => {
        const chunk = all.subarray(at, at + view.length);
        view.set(chunk);
        at += chunk.length;
        return chunk.length;
    }));
    onProgress(blob.size, blob.size);
    return result;
}
