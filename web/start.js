// start.js - the first script of a page of one file: what is packed in the page, and starting the
// other scripts, which are packed too.
//
// It is a script of its own, and what it declares is there for the others. An element with something
// packed has its size in `data-size`, and as its text letters (src/format/html/letters.h) of gzip. The scripts
// are under LZMA, which makes them 14 % smaller; before them, where `data-module` says how large it is,
// the module, taken apart (web/module_parts.h).

// The bytes that a text of letters stands for: 15 bits in each, the lowest first, 7 in a last one.
export function flamelLetters(text) {
    const bytes = new Uint8Array(text.length / 8 * 15);
    let to = 0, held = 0, bits = 0;
    for (let i = 0; i < text.length; i++) {
        const letter = text.charCodeAt(i) - 0x3400;
        held |= (letter < 0 ? letter + 0xC00 : letter) << bits;
        for (bits += letter < 0 ? 7 : 15; bits >= 8; bits -= 8, held >>= 8) bytes[to++] = held;
    }
    return bytes.subarray(0, to);
}

// What is packed in an element.
export async function flamelBytes(element) {
    const gzip = new Blob([flamelLetters(element.textContent)]).stream();
    const unpacked = new Response(gzip.pipeThrough(new DecompressionStream('gzip')));
    const bytes = new Uint8Array(await unpacked.arrayBuffer());
    if (bytes.length !== Number(element.dataset.size)) throw new Error('the page is cut off');
    return bytes;
}

// The module that is packed in the page, compiled: null where there is none.
export let flamelModule = null;

// Unpacks with the small module of the page (web/unpack.c): input and output stand behind its memory.
// The large one is compiled while the scripts are read. The policy of the page knows their hash.
async function flamelStart(element) {
    const unpacker = await flamelBytes(document.getElementById('flamel-unpack'));
    const {unpack, join, memory} = (await WebAssembly.instantiate(unpacker)).instance.exports;
    const packed = flamelLetters(element.textContent);
    const size = Number(element.dataset.size), moduleSize = Number(element.dataset.module || 0);
    const from = memory.grow(Math.ceil((packed.length + size + moduleSize) / 65536)) * 65536;
    const to = from + packed.length, joined = to + size, bytes = new Uint8Array(memory.buffer);
    bytes.set(packed, from);
    if (!unpack(from, packed.length, to, size) || moduleSize && !join(to, joined, moduleSize))
        throw new Error('the page is damaged');
    if (moduleSize) {
        flamelModule = WebAssembly.compile(bytes.subarray(joined, joined + moduleSize));
        // Whoever loads it is told.
        flamelModule.catch(() => {});
    }
    const script = document.createElement('script');
    script.type = 'module';
    script.textContent = new TextDecoder().decode(bytes.subarray(to + moduleSize, joined));
    document.body.append(script);
}

if (typeof document !== 'undefined' && document.getElementById('flamel-script'))
    flamelStart(document.getElementById('flamel-script'));
