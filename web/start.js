// start.js - the first script of a page of one file: what is packed in the page, and starting the
// other scripts, which are packed too.
//
// It is a script of its own, and what it declares is there for the others. An element with something
// packed has its size in `data-size`, and as its text letters (src/format/letters.h) of gzip, or of
// LZMA where `data-coding` says so, which makes it 14 % smaller: 'lzma', or 'module' for a module that
// was taken apart (web/module_parts.h).

// The bytes that a text of letters stands for: six in seven. Letters are those of ASCII but for 12.
export function flamelLetters(text) {
    const digits = new Uint8Array(128);
    for (let letter = 0, digit = 0; letter < 127; letter++)
        if (![0, 7, 8, 13, 14, 15, 26, 27, 38, 60, 62].includes(letter)) digits[letter] = digit++;
    const groups = Math.ceil(text.length / 7);
    const letters = new Uint8Array(groups * 7), bytes = new Uint8Array(groups * 6);
    new TextEncoder().encodeInto(text, letters);
    let at = 0;
    const digit = () => digits[letters[at++] & 127];
    for (let to = 0; to < bytes.length;) {
        // 116 ** 4 is 707281 << 8; beyond 32 bits it is a product of doubles.
        const low = digit() + 116 * (digit() + 116 * (digit() + 116 * digit()));
        const high = digit() + 116 * (digit() + 116 * digit());
        const middle = (low >>> 8) + Math.imul(high, 707281);
        bytes[to++] = low;
        bytes[to++] = middle;
        bytes[to++] = middle >>> 8;
        bytes[to++] = middle >>> 16;
        bytes[to++] = middle >>> 24;
        bytes[to++] = ((low >>> 8) + high * 707281) / 2 ** 32;
    }
    return bytes.subarray(0, text.length - groups);
}

// What is packed in an element, in memory of the size that it says.
export async function flamelBytes(element) {
    const packed = flamelLetters(element.textContent), size = Number(element.dataset.size);
    const {coding} = element.dataset;
    if (coding) return flamelUnpack(packed, size, coding === 'module');
    const all = new Uint8Array(size), gzip = new Blob([packed]).stream();
    let at = 0;
    for (const reader = gzip.pipeThrough(new DecompressionStream('gzip')).getReader(); ;) {
        const {value, done} = await reader.read();
        if (done) break;
        if (at + value.length > size) throw new Error('there is more in this page than it says');
        all.set(value, at);
        at += value.length;
    }
    if (at !== size) throw new Error('the page is cut off');
    return all;
}

// LZMA, by the small module of the page (web/unpack.c): input and output stand behind its memory.
async function flamelUnpack(packed, size, inParts) {
    const module = await flamelBytes(document.getElementById('flamel-unpack'));
    const {unpack, join, memory} = (await WebAssembly.instantiate(module)).instance.exports;
    const from = memory.grow(Math.ceil((packed.length + size * 2) / 65536)) * 65536;
    let to = from + packed.length;
    new Uint8Array(memory.buffer).set(packed, from);
    if (!unpack(from, packed.length, to, size) || inParts && !join(to, to += size, size))
        throw new Error('the page is damaged');
    return new Uint8Array(memory.buffer).slice(to, to + size);
}

// The other scripts. The policy of the page knows their hash.
async function flamelStart(element) {
    const script = document.createElement('script');
    script.type = 'module';
    script.textContent = new TextDecoder().decode(await flamelBytes(element));
    document.body.append(script);
}

if (typeof document !== 'undefined' && document.getElementById('flamel-script'))
    flamelStart(document.getElementById('flamel-script'));
