// Profiles of any format, for programs: read, changed, compared, judged, drawn, written. What the command flamel
// does, on bytes in memory: no file of the machine is read or written, and nothing is started.
import { MemoryFiles, standardMemory } from './memory_files.js';
import { runCommand } from './wasi.js';

// Node reads the command from this folder; a browser fetches it, and compiles it while it arrives.
async function compile() {
    if (globalThis.process?.versions?.node) {
        const { compiledCommand } = await import('./compiled.js');
        return compiledCommand();
    }
    const response = await fetch(new URL('./flamel.wasm.gz', import.meta.url));
    if (!response.ok)
        throw new Error(`flamel.wasm.gz: ${response.status} ${response.statusText}`);
    const bytes = response.body.pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compileStreaming(new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } }));
}
const command = await compile();
const encoder = new TextEncoder(), decoder = new TextDecoder();

function bytesOf(content) {
    return typeof content === 'string' ? encoder.encode(content)
        : content instanceof Uint8Array ? content
            : ArrayBuffer.isView(content) ? new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
                : new Uint8Array(content);
}

// `flamel WORDS` with these files (bytes or text by path): its exit status, what it printed, and the files there are
// afterward.
export function run(words, { files = {}, input = '' } = {}) {
    const memory = new MemoryFiles(Object.fromEntries(
        Object.entries(files).map(([path, content]) => [path, bytesOf(content)])));
    const standard = standardMemory(bytesOf(input));
    const status = runCommand(command, { words: ['flamel', ...words.map(String)], variables: {}, files: memory, standard });
    return {
        status,
        output: standard[1].content.bytes.slice(),
        messages: decoder.decode(standard[2].content.bytes),
        files: memory.all(),
    };
}

// What the command refuses: its sentence, and its exit status.
export class FlamelError extends Error {
    constructor(messages, status) {
        super(messages.trim().replace(/^flamel: /, ''));
        this.name = 'FlamelError';
        this.status = status;
    }
}

function answer(words, files, good = [0]) {
    const result = run(words, { files });
    if (!good.includes(result.status))
        throw new FlamelError(result.messages, result.status);
    return result;
}

function json(words, files, good) {
    return JSON.parse(decoder.decode(answer(words, files, good).output));
}

// `--min 2 --no-times` of { min: 2, 'no-times': true }; a list is given several times.
function optionsOf(options) {
    return Object.entries(options).flatMap(([name, value]) =>
        value === true ? [`--${name}`]
            : value === false || value === undefined || value === null ? []
                : [value].flat().flatMap((one) => [`--${name}`, String(one)]));
}

// A profile, which does not change. It is the bytes of a .flm file.
export class Profile {
    #bytes;

    constructor(bytes, name) {
        this.#bytes = bytes;
        this.name = name;
    }

    // Any format that flamel reads, told by its content; options are those of `flamel convert`.
    static read(content, { name = 'profile', ...options } = {}) {
        const files = { [name]: bytesOf(content) }, out = 'flamel-profile.flm';
        const result = answer(['convert', '--quiet', ...optionsOf(options), name, '-o', out], files);
        const profile = new Profile(result.files[out], name);
        profile.messages = result.messages;
        return profile;
    }

    get bytes() {
        return this.#bytes.slice();
    }

    get files() {
        return { 'profile.flm': this.#bytes };
    }

    // The operations of flamel-expressions(7): 'focus:parse | hide:module=libc.so.6'.
    apply(expression) {
        const { files } = answer(['filter', '--quiet', '--apply', expression, 'profile.flm', '-o', 'out.flm'], this.files);
        return new Profile(files['out.flm'], this.name);
    }

    // What the profile has: metrics, sizes, notes.
    info() {
        return json(['info', '--json', 'profile.flm'], this.files);
    }

    // The functions with the highest values; options are those of `flamel report`.
    top(options = {}) {
        return json(['report', '--json', ...optionsOf(options), 'profile.flm'], this.files);
    }

    // Callers or callees as a tree: { function: 'malloc' }.
    tree(options = {}) {
        return json(['report', '--json', '--view', options.function ? 'callers' : 'tree', ...optionsOf(options),
            'profile.flm'], this.files);
    }

    // Everything, as tables: docs/json.md.
    tables() {
        return json(['convert', '--quiet', '-t', 'json', 'profile.flm', '-o', '-'], this.files);
    }

    // The boxes of a flame graph of this width: depth, and x and width in the unit of `width`. Boxes narrower than `least` are
    // left out, with their callees.
    layout({ width = 1200, least = 0, metric = 0 } = {}) {
        const { frames, stacks, empty_stack: empty } = this.tables();
        const totals = stacks.map(({ self }) => self[metric]), boxes = [];
        // Stacks are listed after their parents, and siblings in the order in which pictures draw them.
        for (let i = stacks.length - 1; i >= 0; i--)
            if (stacks[i].parent !== null) totals[stacks[i].parent] += totals[i];
        const whole = stacks.reduce((sum, { parent }, i) => parent === null ? sum + totals[i] : sum, empty?.[metric] ?? 0);
        // The offset of each stack, and of its next callee, in the unit of the metric.
        const depths = [], offsets = [], nexts = [];
        let next = 0;
        stacks.forEach(({ parent, frame }, i) => {
            depths[i] = parent === null ? 0 : depths[parent] + 1;
            offsets[i] = nexts[i] = parent === null ? next : nexts[parent];
            if (parent === null) next += totals[i];
            else nexts[parent] += totals[i];
            const box = {
                stack: i, depth: depths[i], x: width * offsets[i] / whole, width: width * totals[i] / whole, total: totals[i], ...frames[frame],
            };
            if (whole > 0 && box.width >= least) boxes.push(box);
        });
        return boxes;
    }

    // What changed since `base`; options are those of `flamel diff`.
    compare(base, options = {}) {
        return json(['diff', '--json', ...optionsOf(options), 'before.flm', 'after.flm'],
            { 'before.flm': base.bytes, 'after.flm': this.#bytes });
    }

    // The bytes of a format that flamel writes: 'pprof', 'speedscope', 'folded', 'html'.
    write(format, options = {}) {
        const { files } = answer(['convert', '--quiet', '-t', format, ...optionsOf(options), 'profile.flm', '-o', 'out'],
            this.files);
        return files.out;
    }

    // A picture as text: SVG. Options are those of `flamel convert`: { width: 1200, title: 'app' }.
    draw(options = {}) {
        return decoder.decode(this.write('svg', options));
    }
}

// One profile of all.
export function merge(profiles) {
    const files = Object.fromEntries(profiles.map((profile, i) => [`${i}.flm`, profile.bytes]));
    const result = answer(['merge', '--quiet', ...Object.keys(files), '-o', 'out.flm'], files);
    return new Profile(result.files['out.flm'], profiles[0].name);
}

// Is it a regression? Two lists of runs; options are those of `flamel gate`.
export function gate(base, runs, options = {}) {
    const files = {}, words = ['gate', '--format', 'json', ...optionsOf(options)];
    for (const [side, profiles] of [['base', base], ['new', runs]]) {
        words.push(`--${side}`);
        profiles.forEach((profile, i) => {
            files[`${side}-${i}.flm`] = profile.bytes;
            words.push(`${side}-${i}.flm`);
        });
    }
    return json(words, files, [0, 1, 3]);
}
