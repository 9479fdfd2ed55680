// unpack_test.mjs - the module that unpacks the others (web/unpack.c), which stands beside the one that
// is named on the command line, against xz.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const folder = path.dirname(process.argv[2]);
const module = new WebAssembly.Module(readFileSync(path.join(folder, "unpack.wasm")));

/** What src/load/page_assets.sh makes of bytes. */
function packed(bytes) {
    const options = ["--format=lzma", "--lzma1=preset=9e,lc=2,lp=0,pb=0", "-c"];
    return execFileSync("xz", options, { input: bytes, maxBuffer: 1 << 28 });
}

/** The bytes, or null when it says that they are damaged. */
function unpacked(input, size) {
    const { memory, unpack } = new WebAssembly.Instance(module).exports;
    const from = memory.grow(Math.ceil((input.length + size + 1) / 65536)) * 65536;
    new Uint8Array(memory.buffer).set(input, from);
    const to = from + input.length;
    new Uint8Array(memory.buffer)[to + size] = 77;
    const good = unpack(from, input.length, to, size);
    assert.equal(new Uint8Array(memory.buffer)[to + size], 77, "it wrote behind the end");
    return good ? Buffer.from(memory.buffer, to, size) : null;
}

/** What web/split.c makes of a module. */
function split(bytes) {
    return execFileSync(path.join(folder, "split"), { input: bytes, maxBuffer: 1 << 28 });
}

/** The module, or null when its parts are said to be damaged. */
function joined(parts, size) {
    const { memory, join } = new WebAssembly.Instance(module).exports;
    const from = memory.grow(Math.ceil((size * 2 + 1) / 65536)) * 65536;
    new Uint8Array(memory.buffer).set(parts, from);
    new Uint8Array(memory.buffer)[from + size * 2] = 77;
    const good = join(from, from + size, size);
    assert.equal(new Uint8Array(memory.buffer)[from + size * 2], 77, "it wrote behind the end");
    return good ? Buffer.from(memory.buffer, from + size, size) : null;
}

/** Bytes by chance, some of them far repetitions, the same in every run. */
function someBytes(size, letters) {
    const bytes = Buffer.alloc(size);
    for (let i = 0, seed = 1; i < size; i++) {
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
        const back = i % 4096 > 3000 ? bytes[i - 3000 + (seed >>> 30)] : null;
        bytes[i] = back ?? (seed >>> 16) % letters;
    }
    return bytes;
}

const tests = {
    the_module_imports_nothing() {
        assert.deepEqual(WebAssembly.Module.imports(module), []);
    },

    what_xz_packed_comes_back() {
        const inputs = [Buffer.from("a"), Buffer.alloc(100000), Buffer.from("abc".repeat(5000))];
        for (const letters of [2, 20, 256]) inputs.push(someBytes(50000, letters), someBytes(700000, letters));
        inputs.push(readFileSync(path.join(folder, "flamel.wasm")), readFileSync("web/load.js"));
        for (const bytes of inputs) assert.ok(bytes.equals(unpacked(packed(bytes), bytes.length)));
    },

    a_module_that_was_taken_apart_comes_back() {
        for (const name of ["page.wasm", "flamel.wasm"]) {
            const bytes = readFileSync(path.join(folder, name));
            assert.ok(bytes.equals(joined(split(bytes), bytes.length)), name);
        }
    },

    damaged_parts_are_said_or_give_another_module_and_never_more() {
        const bytes = readFileSync(path.join(folder, "page.wasm"));
        const good = split(bytes);
        for (let i = 0; i < good.length; i += i < 200 ? 1 : 997) {
            const bad = Buffer.from(good);
            bad[i] ^= 1 << (i % 8);
            joined(bad, bytes.length);
        }
        for (let size = 0; size < 100; size++) assert.equal(joined(good.subarray(0, size), size), null);
    },

    damage_is_said_or_gives_other_bytes_and_never_more() {
        const bytes = readFileSync("web/start.js");
        const good = packed(bytes);
        for (let i = 13; i < good.length; i++) {
            const bad = Buffer.from(good);
            bad[i] ^= 1 << (i % 8);
            unpacked(bad, bytes.length);
            unpacked(good.subarray(0, i), bytes.length);
        }
        for (let size = 0; size < 20; size++) unpacked(good.subarray(0, size), 1000);
    },
};

for (const [name, test] of Object.entries(tests)) {
    test();
    console.log(`ok ${name}`);
}
