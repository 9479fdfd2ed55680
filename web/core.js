// core.js - the viewer's core, which is C: src/wasm/exports.h is the other side, and says what each call
// does. Memory may grow in any call, so places in it are looked at only after the last one.

const toBytes = new TextEncoder(), toText = new TextDecoder();
const NO_MEMORY = 'there is not enough memory for this profile';

// What has a version, in the order of src/viewer/viewer.h, as bits.
export const CHANGED = {};
const GROUPS = ['picture', 'hover', 'detail', 'tools', 'chips', 'tables', 'status', 'state', 'speech', 'overlay',
    'tracks', 'history', 'copy', 'prompt', 'notice'];
GROUPS.forEach((name, i) => { CHANGED[name] = 1 << i; });
export const POINTER = {move: 0, down: 1, up: 2, leave: 3};
export const AFTER = 0, BEFORE = 1;

export class Core {
    constructor(exports) {
        this.c = exports;
        this.frame = {at: 0, width: 0, height: 0, buffer: null, image: null};
        this.seen = new Uint32Array(GROUPS.length);
    }

    put(bytes) {
        const at = this.c.flamel_allocate(Math.max(bytes.length, 1)) >>> 0;
        if (!at) throw new Error(NO_MEMORY);
        new Uint8Array(this.c.memory.buffer, at, bytes.length).set(bytes);
        return at;
    }

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

    // The core's room for `size` bytes, which the caller fills and gives to openRoom.
    room(size) {
        const at = this.c.flamel_allocate(Math.max(size, 1)) >>> 0;
        if (!at) throw new Error(NO_MEMORY);
        return at;
    }

    openRoom(side, at, size, name) {
        const ok = this.give(name, (text, length) =>
            this.c.flamel_open(side, at, size, text, length));
        if (!ok) throw new Error(this.sentence());
    }

    open(side, bytes, name) {
        this.openRoom(side, this.put(bytes), bytes.length, name);
    }

    // Null, or the sentence that says why not.
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

    // Whose version is another one than at the last call: bits of CHANGED. A picture that was painted
    // since is no change.
    changes() {
        const at = this.c.flamel_versions() >>> 0;
        const now = new Uint32Array(this.c.memory.buffer, at, GROUPS.length + 1);
        let bits = 0;
        for (let i = 0; i < GROUPS.length; i++)
            if (now[i] !== this.seen[i] && (i || now[i] !== now[GROUPS.length])) bits |= 1 << i;
        this.seen.set(now.subarray(0, GROUPS.length));
        return bits;
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

    // The pixels that were painted, without a copy.
    image() {
        const frame = this.frame, {buffer} = this.c.memory;
        if (frame.buffer !== buffer) {
            frame.buffer = buffer;
            frame.image = new ImageData(new Uint8ClampedArray(buffer, frame.at,
                frame.width * frame.height * 4), frame.width, frame.height);
        }
        return frame.image;
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

// A viewer of its own: `module` is a WebAssembly.Module, or the bytes of one. `more` fills a piece of
// memory for flamel_read, in a worker.
export async function startCore(module, more = () => 0) {
    let memory = null;
    const env = {
        flamel_more: (at, size) => more(new Uint8Array(memory.buffer, at >>> 0, size >>> 0)),
        flamel_clock: () => performance.now(),
    };
    const made = await WebAssembly.instantiate(module, {env});
    const {exports} = made.instance || made;
    memory = exports.memory;
    if (exports._initialize) exports._initialize();
    return new Core(exports);
}
