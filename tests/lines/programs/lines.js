// lines.js - as lines.c, for node: node --perf-prof lines.js MILLISECONDS.
//
// V8 says which lines optimized code has, also of functions that are inlined there, but not from
// where these are called. What runs before it is optimized is a small part.
'use strict';

const known = new Map();
let last = 0;

function now() {
    const use = process.cpuUsage();
    return (use.user + use.system) * 1000;
}

function lap(kind, line, group) {
    const time = now(), spent = time - last;
    if (kind) {
        const key = `${kind} lines.js ${line} - ${group}`;
        known.set(key, (known.get(key) || 0) + spent);
    }
    last = now();
    return spent;
}

function jitter() {
    return 100000 + Math.floor(Math.random() * 800000);
}

function pair(x, n) {
    for (let round = 0; round < 2; round++) {
        lap();
        for (let i = 0; i < 3 * n; i++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
        lap('self', 32, 'pair');
        for (let i = 0; i < n; i++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
        lap('self', 34, 'pair');
    }
    return x;
}

function inlined(x) {
    let y = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d); for (let i = 0; i < 20; i++) y = Math.imul(y ^ (y >>> 15), 0x2c1b3c6d); return y;
}
const INLINED = 41;

function spin(x, n) {
    for (let i = 0; i < n; i++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    return x;
}
const SPIN = 46;

function calls(x, n) {
    lap();
    x = spin(x, n);
    lap('self', SPIN, '-');
    for (let i = 0; i < n / 20; i++) x = inlined(x);
    lap('self', INLINED, '-');
    return x;
}

let x = 1;
const budget = Number(process.argv[2] || 500) * 1e6;
while (now() < budget) x = calls(pair(x, jitter()), jitter());
for (const [key, ns] of known) console.log(`${key} ${ns}`);
console.log(`all - - - - ${now()}`);
