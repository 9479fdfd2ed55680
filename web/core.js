// core.js - JavaScript for the functions of the viewer's core, the C code behind src/wasm/exports.h, which
// documents each. Memory may grow in any call, which detaches its buffer: it is read after the last call only.

import {flamelKeepReaders, flamelReaders} from './start.js';
import {importLater} from './worker.js';

const toBytes = new TextEncoder(), toText = new TextDecoder();
const NO_MEMORY = 'there is not enough memory for this profile';

// Aspects of the viewer that have a version, as bits, in the order of enum flm_viewer_group (viewer.h).
export const CHANGED = {};
const GROUPS = ['picture', 'hover', 'detail', 'tools', 'chips', 'tables', 'status', 'state', 'speech', 'overlay',
    'tracks', 'history', 'copy', 'prompt', 'notice', 'code'];
GROUPS.forEach((name, i) => { CHANGED[name] = 1 << i; });
export const POINTER = {move: 0, down: 1, up: 2, leave: 3, menu: 4};
export const AFTER = 0, BEFORE = 1;
// Added to a side: the page, or who serves it, has the profile's source and machine code.
export const HAS_CODE = 2;

export class Core {
    constructor(exports) {
        this.c = exports;
        this.frame = {at: 0, width: 0, height: 0, buffer: null, image: null};
        this.seen = new Uint32Array(GROUPS.length);
    }

    // Copies bytes into the core's memory. Returns their address.
    put(bytes) {
        const at = this.c.flamel_allocate(Math.max(bytes.length, 1)) >>> 0;
        if (!at) throw new Error(NO_MEMORY);
        new Uint8Array(this.c.memory.buffer, at, bytes.length).set(bytes);
        return at;
    }

    // Calls call(address, size) with a text that is freed afterward.
    give(text, call) {
        const bytes = toBytes.encode(text), at = this.put(bytes);
        try {
            return call(at, bytes.length);
        } finally {
            this.c.flamel_free(at);
        }
    }

    response() {
        const at = this.c.flamel_response() >>> 0, size = this.c.flamel_response_size() >>> 0;
        return new Uint8Array(this.c.memory.buffer, at, size);
    }

    sentence() {
        return toText.decode(this.response());
    }

    // 1: all is well. `unread` of an error: the name of the file, of `names`, whose bytes are no profile.
    check(result, names) {
        if (result !== 1) throw Object.assign(new Error(this.sentence()), {unread: names[-1 - result]});
    }

    open(side, bytes, name) {
        const profile = this.put(bytes);
        const ok = this.give(name, (at, size) =>
            this.c.flamel_open(side, profile, bytes.length, at, size));
        this.check(ok, [name]);
    }

    // Two are compared, whatever is open: each {bytes, name}.
    openBoth(after, before) {
        const at = this.put(after.bytes);
        let other = 0;
        try {
            other = this.put(before.bytes);
        } catch (error) {
            this.c.flamel_free(at);
            throw error;
        }
        const ok = this.give(`${after.name}\0${before.name}`, (names, size) =>
            this.c.flamel_open_both(at, after.bytes.length, other, before.bytes.length, names, size));
        this.check(ok, [after.name, before.name]);
    }

    // Source and machine code, as bytes of a store.
    takeCode(bytes) {
        const at = this.put(bytes);
        try {
            if (!this.c.flamel_take_code(at, bytes.length)) throw new Error(this.sentence());
        } finally {
            this.c.flamel_free(at);
        }
    }

    // The formats that this module reads: [{title, extensions}].
    formats() {
        if (!this.c.flamel_formats()) throw new Error(this.sentence());
        return JSON.parse(this.sentence());
    }

    // Returns null, or the sentence that says why the action is refused.
    act(action) {
        return this.give(action, (at, size) => this.c.flamel_do(at, size)) ? null : this.sentence();
    }

    queryBytes(text) {
        if (!this.give(text, (at, size) => this.c.flamel_query(at, size)))
            throw new Error(this.sentence());
        return this.response();
    }

    queryText(text) {
        return toText.decode(this.queryBytes(text));
    }

    query(text) {
        return JSON.parse(this.queryText(text));
    }

    // Bits of CHANGED of everything whose version differs from the last call. The picture is not among them
    // if it has been painted since.
    changes() {
        const at = this.c.flamel_versions() >>> 0;
        const now = new Uint32Array(this.c.memory.buffer, at, GROUPS.length + 1);
        let bits = 0;
        for (let i = 0; i < GROUPS.length; i++)
            if (now[i] !== this.seen[i] && (i || now[i] !== now[GROUPS.length])) bits |= 1 << i;
        this.seen.set(now.subarray(0, GROUPS.length));
        return bits;
    }

    // Whether the picture is the last that was painted: nothing that it depends on has changed since.
    isPainted() {
        const at = this.c.flamel_versions() >>> 0, now = new Uint32Array(this.c.memory.buffer, at, GROUPS.length + 1);
        return now[0] === now[GROUPS.length];
    }

    key(key, held, now) {
        this.give(key, (at, size) => this.c.flamel_key(at, size, held, now));
        return this.changes();
    }

    pointer(event, x, y, held, touch, now) {
        this.c.flamel_pointer(event, x, y, held, touch ? 1 : 0, now);
        return this.changes();
    }

    wheel(x, y, dx, dy, held, now) {
        this.c.flamel_wheel(x, y, dx, dy, held, now);
        return this.changes();
    }

    pinch(x, y, factor, dx, dy, now) {
        this.c.flamel_pinch(x, y, factor, dx, dy, now);
        return this.changes();
    }

    theme({dark, still, forced, text, page, accent, mark}) {
        this.c.flamel_theme(dark ? 1 : 0, still ? 1 : 0, forced ? 1 : 0, text, page, accent, mark);
    }

    resize(width, height, scale) {
        const at = this.c.flamel_resize(width, height, scale) >>> 0;
        if (!at) throw new Error(NO_MEMORY);
        this.frame = {at, width, height, buffer: null, image: null};
    }

    paint(now) {
        return this.c.flamel_paint(now);
    }

    // The pixels of the picture, not copied.
    image() {
        const frame = this.frame, {buffer} = this.c.memory;
        if (frame.buffer !== buffer) {
            frame.buffer = buffer;
            frame.image = new ImageData(new Uint8ClampedArray(buffer, frame.at,
                frame.width * frame.height * 4), frame.width, frame.height);
        }
        return frame.image;
    }

    expect() {
        this.c.flamel_expect();
    }

    prepare() {
        return this.c.flamel_prepare();
    }

    missing(weight) {
        return this.c.flamel_missing(weight) >>> 0;
    }

    fontPx() {
        return this.c.flamel_font_px();
    }

    glyph(codePoint, weight, {advance, left, top, width, height, coverage, columns}) {
        const at = this.put(coverage);
        this.c.flamel_glyph(codePoint, weight, advance, left, top, width, height, at,
            columns);
        this.c.flamel_free(at);
    }
}

// An instance of the core, which is one viewer. `module` is a WebAssembly.Module or the bytes of one. `more`
// fills memory for flamel_read, in a worker.
export async function startCore(module, more = () => 0) {
    let memory = null;
    const env = {
        flamel_more: (at, size) => more(new Uint8Array(memory.buffer, at >>> 0, size >>> 0)),
        flamel_clock: () => performance.now(),
    };
    let exports = null;
    const placeholder = importLater(module, flamelReaders, () => exports, flamelKeepReaders);
    const made = await WebAssembly.instantiate(module, {env, placeholder});
    ({exports} = made.instance || made);
    memory = exports.memory;
    if (exports._initialize) exports._initialize();
    return new Core(exports);
}
