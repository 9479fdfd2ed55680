// number_test.mjs - numbers in the browser are those of the command, and those of JavaScript, which
// prints the shortest digits as well: MODULE on the command line.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const c = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(process.argv[2])), {}).exports;
const text = c.malloc(1024) >>> 0;
const bytes = c.malloc(8) >>> 0; // struct flm_bytes
const value = c.malloc(8) >>> 0;

/** Random bits, the same in every run (xorshift64). */
function* randomDoubles(count) {
    const view = new DataView(new ArrayBuffer(8));
    for (let bits = 1n; count > 0; count--) {
        bits ^= BigInt.asUintN(64, bits << 13n);
        bits ^= bits >> 7n;
        bits ^= BigInt.asUintN(64, bits << 17n);
        view.setBigUint64(0, bits);
        if (Number.isFinite(view.getFloat64(0))) yield view.getFloat64(0);
    }
}

function print(number) {
    const size = c.flm_number_print(number, text);
    return new TextDecoder().decode(new Uint8Array(c.memory.buffer, text, size));
}

function parse(string) {
    const { written } = new TextEncoder().encodeInto(string, new Uint8Array(c.memory.buffer, text, 1024));
    const view = new DataView(c.memory.buffer);
    view.setUint32(bytes, text, true);
    view.setUint32(bytes + 4, written, true);
    assert.notEqual(c.flm_number_parse(bytes, value), 0, string);
    return view.getFloat64(value, true);
}

/** As JavaScript writes it, but for the + of an exponent, and for 1e-7, which we write out. */
function expected(number) {
    return String(number).replace("e+", "e").replace(/^(-?)(\d)\.?(\d*)e-7$/, "$10.000000$2$3");
}

const tests = {
    numbers_are_printed_as_javascript_prints_them() {
        for (const number of [0, 1, -1.5, 0.1 + 0.2, 2 ** 53, 2 ** 64, 1e21, 1e-7, 1.5e-7, 5e-324, 1e23])
            assert.equal(print(number), expected(number));
        for (let power = -1074; power < 1024; power++) assert.equal(print(2 ** power), expected(2 ** power));
        for (const number of randomDoubles(200000)) assert.equal(print(number), expected(number));
    },

    numbers_are_read_as_javascript_reads_them() {
        for (const number of randomDoubles(200000))
            for (const string of [String(number), number.toExponential(19), number.toPrecision(5)])
                assert.equal(parse(string), Number(string));
        assert.equal(parse("9007199254740993"), 9007199254740992);
        assert.equal(parse(`9007199254740993.${"0".repeat(900)}1`), 9007199254740994);
    },
};

for (const [name, test] of Object.entries(tests)) {
    test();
    console.log(`ok ${name}`);
}
