// arrow.mjs - Parca's WriteArrow with batches that apache-arrow writes: what is then in the store, and what is refused.

import grpc from '@grpc/grpc-js';
import {Bool, Dictionary, Field, Int64, List, Struct, Table, TimestampNanosecond, Uint32, Uint64, Utf8, Utf8View, Vector, makeData,
    tableToIPC, vectorFromArray} from 'apache-arrow';
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {agentBatch} from './agent_batch.mjs';
import {get, serve, sums} from './served.mjs';

const PATH = '/parca.profilestore.v1alpha1.ProfileStoreService/WriteArrow';
const field = (name, type) => new Field(name, type, true);
const dictionary = type => new Dictionary(type, new Uint32());

function location(text) {
    const func = new Struct([field('system_name', text()), field('filename', text()), field('start_line', new Int64())]);
    const line = new Struct([field('line', new Int64()), field('function', func)]);
    return new Struct([field('address', new Uint64()), field('frame_type', text()), field('mapping_file', text()),
        field('mapping_build_id', text()), field('lines', new List(field('item', line)))]);
}
// The locations of stacks in place, or each once, in a dictionary.
const inPlace = (stacks, text) => vectorFromArray(stacks, new List(field('item', location(text))));
function inDictionary(stacks, text) {
    const values = [...new Map(stacks.flat().map(one => [one.lines.map(({function: {system_name}}) => system_name).join(), one])).values()];
    const find = one => values.findIndex(({lines}) => lines.length === one.lines.length
        && lines.every((line, i) => line.function.system_name === one.lines[i].function.system_name));
    const type = dictionary(location(text)), indices = Uint32Array.from(stacks.flat().map(find));
    const offsets = Int32Array.from(stacks.reduce((all, stack) => [...all, all.at(-1) + stack.length], [0]));
    const child = makeData({type, length: indices.length, data: indices, dictionary: vectorFromArray(values, type.dictionary)});
    return new Vector([makeData({type: new List(field('item', type)), length: stacks.length, valueOffsets: offsets, child})]);
}
const named = (name, ...inlined) => ({address: 16n, frame_type: 'native', mapping_file: '/bin/app', mapping_build_id: 'c0ffee',
    lines: [...inlined, name].map(system_name => ({line: 3n, function: {system_name, filename: 'a.c', start_line: 1n}}))});
const address = {address: 0x55d0n, frame_type: 'native', mapping_file: '/lib/libc.so.6', mapping_build_id: null, lines: []};

function table(rows, {text = () => new Utf8(), label = text, stacks = inPlace, columns = {}} = {}) {
    const at = Date.now(), of = (get, type) => vectorFromArray(rows.map(get), type);
    const all = {
        'labels.comm': of(row => row.comm, label()),
        'labels.node': of(row => row.node ?? null, label()),
        stacktrace: stacks(rows.map(row => row.stack), text),
        value: of(row => BigInt(row.value), new Int64()),
        producer: of(() => 'parca_agent', text()),
        sample_type: of(row => row.type ?? 'samples', label()),
        sample_unit: of(row => row.unit ?? 'count', label()),
        period_type: of(() => 'cpu', text()),
        period_unit: of(() => 'nanoseconds', text()),
        temporality: of(() => 'delta', text()),
        period: of(() => 50000000n, new Int64()),
        duration: of(() => 5000000000n, new Int64()),
        timestamp: of(() => at, new TimestampNanosecond()),
        ...columns,
    };
    for (const [name, column] of Object.entries(all)) if (!column) delete all[name];
    return new Table(all);
}
const message = (rows, options) => request(tableToIPC(table(rows, options), 'stream'));
function varint(n) {
    const out = [];
    for (; n > 127; n = Math.floor(n / 128)) out.push(n % 128 | 128);
    return [...out, n];
}
const request = stream => Buffer.concat([Buffer.from([0x0a, ...varint(stream.length)]), Buffer.from(stream)]);
function call(server, bytes) {
    const client = new grpc.Client(server.address, grpc.credentials.createInsecure());
    return new Promise(done => client.makeUnaryRequest(PATH, one => one, one => one, bytes, (error, answer) => {
        client.close();
        done({code: error?.code ?? 0, details: error?.details ?? '', answer});
    }));
}

const ROWS = [
    {comm: 'app', node: 'n1', stack: [named('work'), named('main')], value: 3},
    {comm: 'app', node: 'n1', stack: [named('work', 'inner'), named('main')], value: 4},
    {comm: 'app', node: 'n1', stack: [named('work'), named('main')], value: 5},
    {comm: 'app', node: 'n1', stack: [address, named('main')], value: 2},
    {comm: 'cron', stack: [named('main')], value: 7},
    {comm: 'app', node: 'n1', stack: [named('main')], value: 11, type: 'wallclock', unit: 'nanoseconds'},
];
const ENCODINGS = {
    plain: {},
    'dictionaries of texts': {label: () => dictionary(new Utf8())},
    views: {text: () => new Utf8View()},
    'dictionaries of locations': {label: () => dictionary(new Utf8()), stacks: inDictionary},
};
for (const [name, encoding] of Object.entries(ENCODINGS))
    test(`samples of Parca's agent: ${name}`, async () => {
        const server = await serve();
        const {code, details, answer} = await call(server, message(ROWS, encoding));
        assert.equal(code, 0, details);
        assert.equal(answer.length, 0);
        const counted = {'main;0x55d0': 2, 'main;work': 8, 'main;work;inner': 4};
        assert.deepEqual(await sums(server, 'service=app node=n1', 'samples'), counted);
        // 20 a second, each of which stands for 50 ms.
        assert.deepEqual(await sums(server, 'service=app', 'cpu'),
            Object.fromEntries(Object.entries(counted).map(([stack, n]) => [stack, n * 50000000])));
        assert.deepEqual(await sums(server, 'service=app', 'wallclock'), {main: 11});
        assert.deepEqual(await sums(server, 'service=cron', 'samples'), {main: 7});
        const {text} = await get(server, 'api/v1/series?selector=service%3Dcron');
        assert.match(text, /__name__=process_cpu __period__=cpu:nanoseconds comm=cron"/);
    });

for (const codec of ['', 'lz4', 'zstd'])
    test(`runs, lists as views and nested dictionaries, as the agent has them${codec && `, under ${codec}`}`, async context => {
        if (codec && spawnSync(codec, ['--version']).status !== 0) return context.skip(`there is no ${codec}`);
        const server = await serve(), {code, details} = await call(server, request(agentBatch(codec)));
        assert.equal(code, 0, details);
        assert.deepEqual(await sums(server, 'service=app comm=app', 'samples'), {'main;work': 5, 'main;work;inner': 4});
        assert.deepEqual(await sums(server, 'service=cron', 'cpu'), {main: 350000000});
    });

test('a stream of several batches is one request', async () => {
    const server = await serve(), both = table(ROWS.slice(0, 2)).concat(table(ROWS.slice(2, 4)));
    assert.equal(both.batches.length, 2);
    assert.equal((await call(server, request(tableToIPC(both, 'stream')))).code, 0);
    assert.deepEqual(await sums(server, 'service=app', 'samples'), {'main;0x55d0': 2, 'main;work': 8, 'main;work;inner': 4});
});

test('what is wrong is said, and nothing of it is kept', async () => {
    const server = await serve();
    const says = async (bytes, text) => {
        const {code, details} = await call(server, bytes);
        assert.equal(code, grpc.status.INVALID_ARGUMENT, details);
        assert.match(details, text);
    };
    const without = (name, more = {}) => message(ROWS, {columns: {[name]: null, ...more}});
    await says(without('stacktrace'), /there is no column 'stacktrace'/);
    await says(without('stacktrace', {stacktrace_id: vectorFromArray(ROWS.map(() => 'x'), new Utf8())}), /schema v1\): update Parca's agent/);
    await says(without('value'), /a column 'value'/);
    await says(message(ROWS, {columns: {value: vectorFromArray(ROWS.map(() => true), new Bool())}}), /a value is missing/);
    await says(message(ROWS, {columns: {stacktrace: vectorFromArray(ROWS.map(() => ['x']), new List(field('item', new Utf8())))}}),
        /a location of a stack is no struct/);
    await says(request(Buffer.from('nonsense')), /each begins with ff ff ff ff/);
    await says(request(Buffer.alloc(0)), /the stream is empty/);
    const good = message(ROWS);
    for (let size = 10; size < good.length; size += 97) {
        const cut = request(good.subarray(4, size));
        const {code} = await call(server, cut);
        assert.ok(code === grpc.status.INVALID_ARGUMENT || code === 0, `${size} bytes: ${code}`);
    }
    assert.equal((await call(server, good)).code, 0);
});
