// libc_test.mjs - tests web/libc from outside, through the module's exports: MODULE on the command line.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const PAGE = 65536;

/** A fresh instance, with pointers as unsigned numbers. */
function instantiate() {
    const c = new WebAssembly.Instance(module, {}).exports;
    return {
        ...c,
        malloc: (size) => c.malloc(size) >>> 0,
        calloc: (count, size) => c.calloc(count, size) >>> 0,
        realloc: (at, size) => c.realloc(at, size) >>> 0,
        bytes: () => new Uint8Array(c.memory.buffer),
        pages: () => c.memory.buffer.byteLength / PAGE,
    };
}

/** Numbers from 0 to below 1, the same in every run (mulberry32). */
function randomNumbers(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

const tests = {
    the_module_imports_nothing() {
        assert.deepEqual(WebAssembly.Module.imports(module), []);
    },

    blocks_are_aligned_and_keep_their_bytes_whatever_happens_to_others() {
        for (const seed of [1, 2, 3]) {
            const c = instantiate();
            const random = randomNumbers(seed);
            const live = [];
            const check = ({ at, size, fill }, kept = size) => {
                const bytes = c.bytes().subarray(at, at + Math.min(size, kept));
                assert.ok(bytes.every((byte) => byte === fill), `block ${at} of ${size} was written to`);
            };
            const add = (at, size) => {
                assert.ok(at !== 0 && at % 16 === 0 && at + size <= c.bytes().length);
                const block = { at, size, fill: 1 + Math.floor(random() * 255) };
                c.bytes().fill(block.fill, at, at + size);
                live.push(block);
            };
            const take = () => {
                const i = Math.floor(random() * live.length);
                const block = live[i];
                live[i] = live[live.length - 1];
                live.pop();
                return block;
            };
            for (let step = 0; step < 40000; step++) {
                // Small ones mostly, some large, and times of growth and of decline.
                const size = Math.floor(Math.exp(random() * (random() < 0.02 ? 13 : 7)) - 1);
                const action = random();
                const declining = step % 10000 > 6000;
                if (live.length === 0 || action < (declining ? 0.2 : 0.45)) {
                    add(c.malloc(size), size);
                } else if (action < 0.5) {
                    const at = c.calloc(size, 3);
                    assert.ok(c.bytes().subarray(at, at + 3 * size).every((byte) => byte === 0));
                    add(at, 3 * size);
                } else if (action < 0.7) {
                    const block = take();
                    check(block);
                    const at = c.realloc(block.at, size);
                    check({ ...block, at }, size);
                    add(at, size);
                } else {
                    const block = take();
                    check(block);
                    c.free(block.at);
                }
                if (step % 500 === 0) assert.equal(c.heap_check(), 0);
            }
            live.forEach((block) => check(block));
            live.forEach((block) => c.free(block.at));
            assert.equal(c.heap_check(), 0);
            assert.equal(c.heap_used(), 0);
        }
    },

    what_was_freed_is_joined_and_used_again() {
        const c = instantiate();
        const fill = (size) => Array.from({ length: (8 << 20) / size }, () => c.malloc(size - 4));
        fill(128).forEach(c.free);
        const pages = c.pages();
        for (const size of [1024, 64, 4096, 1 << 20, 16, 8 << 20]) {
            const blocks = fill(size);
            // Every other one first, then the holes between.
            blocks.forEach((at, i) => i % 2 && c.free(at));
            assert.equal(c.heap_check(), 0);
            blocks.forEach((at, i) => i % 2 || c.free(at));
            assert.equal(c.heap_used(), 0);
        }
        assert.ok(c.pages() <= pages + 1, `${pages} pages became ${c.pages()}`);
    },

    an_array_at_the_end_of_the_heap_grows_in_place() {
        const c = instantiate();
        const at = c.malloc(100);
        for (let size = 1000; size < 100e6; size *= 1.5) assert.equal(c.realloc(at, size), at);
        assert.ok(c.bytes().length < 200e6);
        assert.equal(c.realloc(at, 10), at);
        assert.equal(c.heap_used(), 16);
        assert.equal(c.heap_check(), 0);
    },

    an_array_grows_into_a_hole_behind_it() {
        const c = instantiate();
        const [at, hole, fence] = [c.malloc(100), c.malloc(1000), c.malloc(100)];
        c.free(hole);
        assert.equal(c.realloc(at, 900), at);
        assert.notEqual(c.realloc(at, 2000), at);
        c.free(fence);
        assert.equal(c.heap_check(), 0);
    },

    what_cannot_be_had_is_null_and_changes_nothing() {
        const c = instantiate();
        const at = c.malloc(1000);
        c.bytes().fill(7, at, at + 1000);
        for (const size of [0x7fffff01, 0x80000000, 0xfffffff0, 0xffffffff]) {
            assert.equal(c.malloc(size), 0);
            assert.equal(c.realloc(at, size), 0);
        }
        assert.equal(c.calloc(0x10000, 0x10000), 0);
        assert.equal(c.calloc(0xffffffff, 0xffffffff), 0);
        assert.ok(c.bytes().subarray(at, at + 1000).every((byte) => byte === 7));
        assert.equal(c.heap_check(), 0);
    },

    nothing_is_still_a_block_and_null_may_be_freed() {
        const c = instantiate();
        c.free(0);
        const [a, b] = [c.malloc(0), c.realloc(0, 0)];
        assert.ok(a !== 0 && b !== 0 && a !== b);
        c.free(a);
        assert.throws(() => c.free(a), WebAssembly.RuntimeError);
    },

    memory_functions_agree_with_a_plain_loop() {
        const c = instantiate();
        const random = randomNumbers(4);
        const base = c.malloc(400);
        for (let step = 0; step < 20000; step++) {
            const [a, b, size] = [100, 100, 60].map((limit) => base + Math.floor(random() * limit));
            const count = size - base;
            const bytes = c.bytes();
            // Two letters, so that long runs are equal; the highest bit, so that signs matter.
            for (let i = 0; i < 400; i++) bytes[base + i] = random() < 0.1 ? 0x80 : 0x7f;
            const before = bytes.slice();

            const order = Buffer.compare(before.subarray(a, a + count), before.subarray(b, b + count));
            assert.equal(Math.sign(c.memcmp(a, b, count)), order);
            const hit = before.subarray(a, a + count).indexOf(0x80);
            assert.equal(c.memchr(a, 0x80, count) >>> 0, hit < 0 ? 0 : a + hit);

            before.copyWithin(b, a, a + count);
            assert.equal(c.memmove(b, a, count), b);
            assert.deepEqual(bytes.subarray(base, base + 400), before.subarray(base, base + 400));

            c.memset(a, 0x1ff, count);
            before.fill(0xff, a, a + count);
            c.memcpy(base + 200, a, count);
            before.copyWithin(base + 200, a, a + count);
            assert.deepEqual(bytes.subarray(base, base + 400), before.subarray(base, base + 400));
        }
    },

    memchr_is_not_misled_by_bytes_that_differ_by_one() {
        const c = instantiate();
        const at = c.malloc(16);
        for (let wanted = 0; wanted < 256; wanted++) {
            for (let place = 0; place < 8; place++) {
                c.bytes().fill(wanted ^ 1, at, at + 16);
                c.bytes()[at + place] = wanted;
                assert.equal(c.memchr(at, wanted, 16), at + place);
            }
        }
    },

    strings_end_at_their_nul() {
        const c = instantiate();
        const text = (value) => {
            const at = c.malloc(value.length + 1);
            c.bytes().set(Buffer.from(value + "\0", "latin1"), at);
            return at;
        };
        for (const value of ["", "a", "main", "\xff".repeat(100)])
            assert.equal(c.strlen(text(value)), value.length);
        for (const a of ["", "a", "ab", "b", "\xff"])
            for (const b of ["", "a", "ab", "b", "\xff"])
                assert.equal(Math.sign(c.strcmp(text(a), text(b))), (a > b) - (a < b));
    },

    arithmetic_of_128_bits_agrees_with_bigint() {
        const c = instantiate();
        const random = randomNumbers(5);
        const out = c.malloc(16);
        const word = () => {
            const bits = [0, 1, 31, 32, 33, 63, 64][Math.floor(random() * 7)];
            const any = BigInt(Math.floor(random() * 2 ** 32)) << 32n | BigInt(Math.floor(random() * 2 ** 32));
            return random() < 0.5 ? any : (1n << BigInt(bits)) - 1n;
        };
        const result = () => {
            const view = new BigUint64Array(c.memory.buffer, out, 2);
            return view[1] << 64n | view[0];
        };
        for (let step = 0; step < 5000; step++) {
            const [a, b, d, e] = [word(), word(), word(), word()].map((x) => BigInt.asUintN(64, x));
            const [x, y] = [b << 64n | a, e << 64n | d];
            c.__multi3(out, a, b, d, e);
            assert.equal(result(), BigInt.asUintN(128, x * y), `${x} * ${y}`);
            const shift = step % 128;
            c.__ashlti3(out, a, b, shift);
            assert.equal(result(), BigInt.asUintN(128, x << BigInt(shift)), `${x} << ${shift}`);
            c.__lshrti3(out, a, b, shift);
            assert.equal(result(), x >> BigInt(shift), `${x} >> ${shift}`);
        }
    },

    rounding_is_exact() {
        const c = instantiate();
        const values = [0, 0.5, 0.49999999999999994, 1.5, 2.5, 4503599627370495.5, 2 ** 53, 1e300];
        for (const x of [...values, ...values.map((value) => -value), Infinity, -Infinity, NaN]) {
            for (const name of ["floor", "ceil", "trunc", "sqrt"])
                assert.ok(Object.is(c[name](x), Math[name](x)), `${name}(${x})`);
            assert.ok(Object.is(c.fabs(x), Math.abs(x)));
            // JavaScript rounds halves up, C away from zero.
            const size = Math.floor(Math.abs(x)) + (Math.abs(x) % 1 >= 0.5 ? 1 : 0);
            const negative = x < 0 || Object.is(x, -0);
            assert.ok(Object.is(c.round(x), negative ? -size : size), `round(${x}) is ${c.round(x)}`);
            assert.ok(Object.is(c.fmin(x, 1), Number.isNaN(x) ? 1 : Math.min(x, 1)));
            assert.ok(Object.is(c.fmax(1, x), Number.isNaN(x) ? 1 : Math.max(x, 1)));
        }
        assert.equal(c.rint(2.5), 2);
        assert.equal(c.rint(3.5), 4);
        assert.equal(c.copysign(3, -0), -3);
    },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    try {
        test();
        console.log(`ok ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAIL ${name}\n${error.stack}`);
    }
}
process.exit(failed ? 1 : 0);
