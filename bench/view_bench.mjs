// view_bench.mjs - what a browser waits for: the layout's pictures and the unfolding of callers, in
// the wasm module.
//
//     node bench/view_bench.mjs build/wasm/tests.wasm [FILE.flm]...
//
// Pictures are 1920 px wide, 60 rows high, at least a pixel for a rectangle: at several zooms, each at
// five places, the fastest of several batches in us, so that a busy machine matters little. Trees are those of layout_bench.c, and the files.
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const ERROR = 400; // more than a struct flm_error

/** Fresh memory for every subject, so that none is measured in what another has left. */
function instantiate() {
    const c = new WebAssembly.Instance(module, { env: { flamel_more: () => 0, flamel_clock: () => performance.now() } }).exports;
    const room = (size) => {
        const at = c.malloc(size) >>> 0;
        if (!at) throw new Error("out of memory");
        return at;
    };
    const view = () => new DataView(c.memory.buffer);
    return { ...c, room, view };
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

/** A struct flm_tree and order in the module's memory: struct flm_layout_options. */
function treeOf(c, nodeCount, fill) {
    const frame = c.room(4 * nodeCount), end = c.room(4 * nodeCount), width = c.room(8 * nodeCount);
    const options = c.room(24);
    new Uint32Array(c.memory.buffer, frame, nodeCount).fill(1)[0] = 0;
    fill(new Uint32Array(c.memory.buffer, end, nodeCount),
        new Float64Array(c.memory.buffer, width, nodeCount));
    [nodeCount, frame, end, width, 0, 0].forEach((value, i) =>
        c.view().setUint32(options + 4 * i, value, true));
    return options;
}

function skewed(c, nodeCount) {
    const random = randomNumbers(nodeCount);
    return treeOf(c, nodeCount, (end, width) => {
        const open = [0];
        end[0] = nodeCount;
        width[0] = 0;
        for (let i = 1; i < nodeCount; i++) {
            while (end[open[open.length - 1]] <= i) open.pop();
            const left = end[open[open.length - 1]] - i;
            const size = 1 + Math.floor((left - 1) * Math.sqrt(Math.sqrt(random())));
            end[i] = i + size;
            width[i] = size === 1 ? 1 + Math.floor(random() * 1000)
                : random() < 0.25 ? Math.floor(random() * 100) : 0;
            open.push(i);
        }
    });
}

function fanOut(c, nodeCount) {
    const random = randomNumbers(nodeCount);
    return treeOf(c, nodeCount, (end, width) => {
        end[0] = nodeCount;
        width[0] = 0;
        for (let i = 1; i < nodeCount; i++) {
            end[i] = i + 1;
            width[i] = 1 + Math.floor(random() * 1000);
        }
    });
}

/** The profile of a .flm file. */
function openFile(c, path) {
    const bytes = readFileSync(path), at = c.room(bytes.length), why = c.room(ERROR);
    new Uint8Array(c.memory.buffer).set(bytes, at);
    const profile = c.flm_profile_open(at, bytes.length, 0, 0, why) >>> 0;
    if (!profile) throw new Error(`${path} cannot be opened`);
    return profile;
}

function median(values) {
    return values.sort((a, b) => a - b)[values.length >> 1];
}

function benchView(c, name, options) {
    const why = c.room(ERROR), view = c.room(48), list = c.room(40);
    let best = Infinity, layout = 0;
    for (let i = 0; i < 3; i++) {
        if (layout) c.flm_layout_free(layout);
        const start = performance.now();
        layout = c.flm_layout_new(options, why);
        best = Math.min(best, performance.now() - start);
    }
    const total = c.flm_layout_total(layout, 0), nodes = c.flm_layout_node_count(layout) >>> 0;
    const listOf = () => c.view().getUint32(list + 4, true);
    new Uint8Array(c.memory.buffer).fill(0, list, list + 40);
    console.log(`${name}: ${nodes} nodes, layout ${best.toFixed(1)} ms`);
    for (const zoom of [1, 3, 10, 30, 100, 1000, 1e5]) {
        const first = [];
        let rectangles = 0, took = 0;
        for (let place = 0; place < 5; place++) {
            const left = (total - total / zoom) * (0.1 + 0.2 * place), v = c.view();
            [left, left + total / zoom, 1920, 1].forEach((x, i) => v.setFloat64(view + 8 * i, x, true));
            [0, 60, 0].forEach((x, i) => v.setUint32(view + 32 + 4 * i, x, true));
            let fastest = Infinity;
            for (let batch = 0; batch < 40; batch++) {
                let times = 0, passed = 0;
                const start = performance.now();
                do {
                    c.flm_layout_rectangles(layout, view, list, 0);
                    passed = performance.now() - start;
                    if (times++ === 0 && batch === 0) first.push(passed * 1e3);
                } while (passed < 1);
                fastest = Math.min(fastest, (passed * 1e3) / times);
            }
            took += fastest / 5;
            rectangles += listOf() / 5;
        }
        console.log(`  zoom ${String(zoom).padStart(6)}  ${rectangles.toFixed(0).padStart(6)} rectangles  ` +
            `${took.toFixed(1).padStart(7)} us, the first ${median(first).toFixed(0)} us`);
    }
    c.flm_layout_free(layout);
}

function benchUnfold(c, name, profile) {
    const why = c.room(ERROR), tree = c.room(24), options = c.room(24), took = [];
    for (let run = 0; run < 15; run++) {
        const times = [performance.now()], next = () => times.push(performance.now());
        const lazy = c.flm_lazy_tree_new(profile, 0, 0, 0, why);
        next();
        c.flm_lazy_tree_open(lazy, 0, c.flm_profile_total(profile, 0) / 1900, 0n, 0, why);
        next();
        c.flm_lazy_tree_columns(lazy, tree, why);
        next();
        const v = c.view();
        for (let i = 0; i < 4; i++) v.setUint32(options + 4 * i, v.getUint32(tree + 4 * i, true), true);
        v.setUint32(options + 16, 0, true);
        v.setUint32(options + 20, 0, true);
        const layout = c.flm_layout_new(options, why);
        next();
        took.push(times.map((time, i) => (i ? time - times[i - 1] : 0)).slice(1));
        c.flm_layout_free(layout);
        c.flm_lazy_tree_free(lazy);
    }
    const parts = [0, 1, 2, 3].map((i) => Math.min(...took.map((row) => row[i])));
    console.log(`  unfold: new ${parts[0].toFixed(1)}, open ${parts[1].toFixed(1)}, tree ` +
        `${parts[2].toFixed(1)}, layout ${parts[3].toFixed(1)}, all ` +
        `${parts.reduce((a, b) => a + b).toFixed(1)} ms`);
}

for (const [name, make, count] of [["skewed", skewed, 1e6], ["skewed", skewed, 1e7],
    ["fan-out", fanOut, 1e6], ["fan-out", fanOut, 1e7]]) {
    const c = instantiate();
    benchView(c, name, make(c, count));
}
for (const path of process.argv.slice(3)) {
    const c = instantiate(), profile = openFile(c, path), options = c.room(24);
    c.flm_tree_of(options, profile, 0);
    c.view().setUint32(options + 20, 0, true);
    benchView(c, path, options);
    benchUnfold(c, path, profile);
}
