// worker.js - reads or decompresses a profile in a worker, so that the page stays responsive.
//
// In a worker, FileReaderSync reads part of a file synchronously, while C code waits for it. So the
// module reads a file of any size through a window, as the command does, and needs memory for the
// profile only, not for the text.
//
// No function uses anything from outside of it: load.js makes the worker from their source text, which
// works on file:// and in a page of one file.

// What a module imports in place of the functions of its second half, the readers of a page of one file: the first
// call of one loads that half, whose functions then take their places in the table of the first. `readers()` is
// the half, compiled or as flm_mix_pack wrote it; never called by a module that is whole. `first()` has the exports of the
// instance; `keep` gets what was compiled.
export function importLater(module, readers, first, keep) {
    // By another instance: this one is in the middle of a call, and has a response.
    const unpack = bytes => {
        const env = {flamel_clock: () => 0, flamel_more: () => -1};
        const placeholder = new Proxy({}, {get: () => () => 0});
        const core = new WebAssembly.Instance(module, {env, placeholder}).exports;
        const packed = core.flamel_allocate(bytes.length) >>> 0;
        if (!packed) throw new RangeError();
        new Uint8Array(core.memory.buffer, packed, bytes.length).set(bytes);
        if (!core.flamel_unpack(packed, bytes.length)) throw new RangeError();
        return new Uint8Array(core.memory.buffer, core.flamel_response() >>> 0, core.flamel_response_size() >>> 0);
    };
    let second = null;
    const load = () => {
        const half = readers();
        second = half instanceof WebAssembly.Module ? half : new WebAssembly.Module(unpack(half));
        new WebAssembly.Instance(second, {primary: first()});
        keep(second);
    };
    return new Proxy({}, {get: (none, slot) => (...values) => {
        if (!second) load();
        return first()['%table'].get(Number(slot))(...values);
    }});
}

// An instance of the module that is discarded afterward, as a function that calls one of its exports and returns
// the response, or throws an Error whose message is a sentence for the user. `more(view)` fills the view with
// the next bytes of the file and returns their number; 0 at the end.
export function startReader({module, readers, importLater, keep}, more) {
    let failure = null;
    const env = {
        flamel_clock: () => 0,
        flamel_more(at, room) {
            try {
                return more(new Uint8Array(core.memory.buffer, at >>> 0, room >>> 0));
            } catch (error) {
                failure = error;
                return -1;
            }
        },
    };
    const core = new WebAssembly.Instance(module, {env,
        placeholder: importLater(module, () => readers, () => core, keep)}).exports;
    return name => {
        const good = core[name]();
        if (failure) throw failure;
        const at = core.flamel_response() >>> 0;
        const response = new Uint8Array(core.memory.buffer, at, core.flamel_response_size() >>> 0);
        if (!good) throw new Error(new TextDecoder().decode(response));
        return response.slice();
    };
}

// The jobs: each takes what startReader returns.

// A profile in any format, as a .flm file.
export function readProfile(call) {
    return call('flamel_read');
}

// A sanitized profile: what is left to see in it, as text, and its .flm file.
export function sanitizeProfile(call) {
    const list = new TextDecoder().decode(call('flamel_sanitize'));
    return {list, bytes: call('flamel_sanitized')};
}

// What is compressed with zstd, as a Blob: the browser keeps a large one on disk.
export function decompressZstd(call) {
    const MOST_BYTES = 16 << 20;
    let parts = [], size = 0, bytes;
    while ((bytes = call('flamel_unzstd')).length > 0) {
        parts.push(bytes);
        size += bytes.length;
        if (size < MOST_BYTES) continue;
        parts = [new Blob(parts)];
        size = 0;
    }
    return new Blob(parts);
}

// The body of the worker: posts {started}, receives {module, readers, blob}, posts {read}, the number of bytes
// read so far, about every 40 ms, {compiled} for the next worker's `readers`, and at the end {result} of the job or
// {sentence}.
export function work(startReader, importLater, job) {
    // Each read is a request to another process: 335 MB take 1.0 s in chunks of 1 MiB, 0.55 s of 4 MiB,
    // 0.38 s of 16 MiB, and larger chunks are no faster.
    const CHUNK = 16 << 20, REPORT_MS = 40;
    const reader = new FileReaderSync();
    onmessage = ({data: {module, readers, blob}}) => {
        let chunk = new Uint8Array(0), passed = 0, at = 0, reportedAt = 0;
        const more = view => {
            if (passed === chunk.length) {
                chunk = new Uint8Array(reader.readAsArrayBuffer(blob.slice(at, at + CHUNK)));
                passed = 0;
                at += chunk.length;
            }
            const bytes = chunk.subarray(passed, passed + view.length);
            view.set(bytes);
            passed += bytes.length;
            if (performance.now() - reportedAt > REPORT_MS) {
                reportedAt = performance.now();
                postMessage({read: at - chunk.length + passed});
            }
            return bytes.length;
        };
        try {
            const result = job(startReader({module, readers, importLater,
                keep: compiled => postMessage({compiled})}, more));
            postMessage({result}, result.buffer ? [result.buffer] : []);
        } catch (error) {
            postMessage({sentence: error instanceof DOMException ? 'cannot be read: ' + error.message
                : error instanceof RangeError ? 'out of memory' : error.message});
        }
    };
    postMessage({started: true});
}
