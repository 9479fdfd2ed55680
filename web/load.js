// load.js - how profiles get into the page: dropped, fetched, or embedded in it.
//
// Everything ends as bytes that flamel_open takes: a .flm file, or a packed one. What already is
// one of those is handed on as it is; anything else is read by the module in a worker (worker.js),
// so that the page never waits; the browser decompresses gzip and zstd first.
//
//     const module = await loadModule();
//     const bytes = await loadProfile(file, file.name, {module, onProgress, signal});
//     const {bytes, name} = await loadEmbedded('after', {module, onProgress});
//
// A page has its profiles in elements, which the command writes (src/load/page.c):
//
//     <script type="text/plain" id="flamel-after" data-size="N" data-name="app.perf">...</script>
//     <script type="text/plain" id="flamel-before" ...      what it is compared with; may be missing
//
// Their text is unpacked by start.js, which has the module too. In a served page (flamel view) the module
// and the profiles are elements without text: `data-from` is their address, relative to the page.
//
// What fails throws an Error whose message is the sentence that the command would print.

import {flamelBytes, flamelModule} from './start.js';
import {readProfile, work} from './worker.js';

const MAGIC = {
    flm: 'FLAMEL\x1a\n',
    packed: 'FLAMPK\x1a\n',
    gzip: '\x1f\x8b',
    zstd: '\x28\xb5\x2f\xfd',
    page: '<!DOCTYPE html>',
};

// What is unpacked within this time.
const SMALL_MS = 100;

// ---- What the page has --------------------------------------------------------------------------

function element(id) {
    return document.getElementById('flamel-' + id);
}

// Whether the page came with it: 'after' or 'before'.
export function isEmbedded(id) {
    return element(id) !== null;
}

// The bytes of an element of the page: those of a packed profile.
export async function decodeEmbedded(id) {
    return flamelBytes(element(id));
}

// Profiles of the page that are being unpacked.
const unpacking = new Map();
function unpackEarly(id) {
    if (!isEmbedded(id) || element(id).dataset.from) return;
    const bytes = decodeEmbedded(id);
    bytes.catch(() => {}); // reported by loadEmbedded
    unpacking.set(id, bytes);
}

// The module, compiled; `from`: where it is, when the page does not say. Profiles of the page are
// unpacked meanwhile, and those that are small are waited for: so the page's first frame shows them,
// which saves making a frame of an empty page.
export async function loadModule(from = 'flamel.wasm') {
    if (flamelModule) {
        for (const id of ['before', 'after']) unpackEarly(id);
        const all = Promise.allSettled(unpacking.values());
        await Promise.race([all, new Promise(resolve => setTimeout(resolve, SMALL_MS))]);
        return flamelModule;
    }
    const found = element('module');
    return WebAssembly.compileStreaming(fetch(found ? found.dataset.from : from));
}

// A profile that came with the page: its bytes and its name.
export async function loadEmbedded(id, options = {}) {
    const {name, from} = element(id).dataset;
    if (!from) {
        const bytes = unpacking.get(id) ?? decodeEmbedded(id);
        unpacking.delete(id);
        return {name, bytes: await bytes};
    }
    return {name, bytes: await loadURL(from, name, options)};
}

// ---- What a person gives ------------------------------------------------------------------------

// A profile from a server.
export async function loadURL(url, name, {module, onProgress, signal} = {}) {
    let response;
    try {
        response = await fetch(url, {signal});
    } catch (error) {
        signal?.throwIfAborted();
        throw new Error(`${name}: cannot be fetched: ${error.message}`);
    }
    if (!response.ok) throw new Error(`${name}: cannot be fetched: ${response.status} ${response.statusText}`);
    return loadProfile(await response.blob(), name, {module, onProgress, signal});
}

// The profile of a file: a Blob, an ArrayBuffer or a view of one. `onProgress(bytes, size)` is called
// now and then. `signal` stops it: the promise then rejects with the signal's reason.
export async function loadProfile(source, name, {module, onProgress = () => {}, signal} = {}) {
    try {
        signal?.throwIfAborted();
        let blob = source instanceof Blob ? source : new Blob([source]);
        let kind = await kindOf(blob);
        if (kind === 'gzip' || kind === 'zstd') {
            blob = await decompress(blob, kind, signal);
            kind = await kindOf(blob);
        }
        if (kind === 'page') return await openPage(blob);
        if (kind === 'flm' || kind === 'packed') return new Uint8Array(await blob.arrayBuffer());
        return await read(blob, {module, onProgress, signal});
    } catch (error) {
        signal?.throwIfAborted();
        // What the browser says of a file that it cannot read is a DOMException.
        const reason = error instanceof DOMException ? 'cannot be read: ' + error.message
            : error instanceof RangeError ? 'out of memory' : error.message;
        throw new Error(`${name}: ${reason}`);
    }
}

// 'flm', 'packed', 'gzip', 'zstd' or 'page' by how the bytes begin; null for anything else.
async function kindOf(blob) {
    const head = String.fromCharCode(...new Uint8Array(await blob.slice(0, 16).arrayBuffer()));
    return Object.keys(MAGIC).find(kind => head.startsWith(MAGIC[kind])) ?? null;
}

async function decompress(blob, kind, signal) {
    let stream;
    try {
        stream = new DecompressionStream(kind);
    } catch {
        throw new Error(`this is compressed with ${kind}, which this browser cannot read: ` +
            `decompress it first (${kind} -d)`);
    }
    try {
        return await new Response(blob.stream().pipeThrough(stream, {signal})).blob();
    } catch (error) {
        signal?.throwIfAborted();
        throw new Error(`the ${kind} data is damaged, was cut off, or is of several parts`);
    }
}

// The profile in another page that flamel made.
async function openPage(blob) {
    const page = new DOMParser().parseFromString(await blob.text(), 'text/html');
    const found = page.getElementById('flamel-after');
    if (!found) throw new Error('this is a web page, not a profile');
    return flamelBytes(found);
}

// ---- The worker ---------------------------------------------------------------------------------

// Reads in a worker, or, where the page may not have one, here.
function read(blob, {module, onProgress, signal}) {
    const address = URL.createObjectURL(new Blob([`(${work})(${readProfile})`], {type: 'text/javascript'}));
    return new Promise((resolve, reject) => {
        let worker = null, started = false;
        const end = (settle, result) => {
            worker?.terminate();
            URL.revokeObjectURL(address);
            signal?.removeEventListener('abort', stop);
            settle(result);
        };
        const stop = () => end(reject, signal.reason);
        const failed = event => {
            event?.preventDefault();
            if (started) end(reject, new Error(`the reader stopped: ${event.message || 'out of memory'}`));
            else end(resolve, readHere(blob, {module, onProgress, signal}));
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
            else if (data.profile) end(resolve, data.profile);
            else if (data.sentence) end(reject, new Error(data.sentence));
        };
        worker.postMessage({module, blob});
    });
}

async function readHere(blob, {module, onProgress, signal}) {
    const all = new Uint8Array(await blob.arrayBuffer());
    signal?.throwIfAborted();
    let at = 0;
    const profile = readProfile(module, view => {
        const piece = all.subarray(at, at + view.length);
        view.set(piece);
        at += piece.length;
        return piece.length;
    });
    onProgress(blob.size, blob.size);
    return profile;
}
