// agent_batch.mjs - a stream of Arrow in the encodings of Parca's agent that apache-arrow does not write: runs, lists as views,
// dictionaries in dictionaries, compressed buffers. Metadata by the classes of the format in apache-arrow; the buffers by hand.
//
//     comm  app app app cron    value  3 4 2 7    stacks  main;work main;work;inner main;work main
//
// As a program it writes such a stream to a file: node agent_batch.mjs [none|lz4|zstd] FILE

import * as flatbuffers from 'flatbuffers';
import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const load = createRequire(import.meta.url), fb = {};
for (const name of ['message', 'message-header', 'metadata-version', 'schema', 'field', 'record-batch', 'dictionary-batch', 'field-node', 'buffer',
    'dictionary-encoding', 'int', 'utf8', 'binary', 'utf8-view', 'list', 'list-view', 'struct-', 'run-end-encoded', 'timestamp', 'type',
    'body-compression', 'time-unit', 'endianness']) Object.assign(fb, load(`apache-arrow/fb/${name}`));

// ---- Types --------------------------------------------------------------------------------------

const int = (bits, isSigned = true) => ({type: 'Int', make: b => fb.Int.createInt(b, bits, isSigned)});
const empty = (type, make) => ({type, make});
const utf8 = empty('Utf8', b => { fb.Utf8.startUtf8(b); return fb.Utf8.endUtf8(b); });
const binary = empty('Binary', b => { fb.Binary.startBinary(b); return fb.Binary.endBinary(b); });
const view = empty('Utf8View', b => { fb.Utf8View.startUtf8View(b); return fb.Utf8View.endUtf8View(b); });
const timestamp = empty('Timestamp', b => {
    fb.Timestamp.startTimestamp(b);
    fb.Timestamp.addUnit(b, fb.TimeUnit.NANOSECOND);
    return fb.Timestamp.endTimestamp(b);
});
const struct = members => ({type: 'Struct_', make: b => { fb.Struct_.startStruct_(b); return fb.Struct_.endStruct_(b); }, children: members});
const list = item => ({type: 'List', make: b => { fb.List.startList(b); return fb.List.endList(b); }, children: {item}});
const listView = item => ({type: 'ListView', make: b => { fb.ListView.startListView(b); return fb.ListView.endListView(b); }, children: {item}});
const runs = values => ({type: 'RunEndEncoded', make: b => { fb.RunEndEncoded.startRunEndEncoded(b); return fb.RunEndEncoded.endRunEndEncoded(b); },
    children: {run_ends: int(32), values}});
const dictionary = (id, type) => ({...type, id});

function writeField(b, name, type) {
    const children = Object.entries(type.children ?? {}).map(([key, child]) => writeField(b, key, child));
    const childVector = fb.Field.createChildrenVector(b, children), text = b.createString(name), made = type.make(b);
    let encoding = 0;
    if (type.id !== undefined) {
        const index = fb.Int.createInt(b, 32, false);
        fb.DictionaryEncoding.startDictionaryEncoding(b);
        fb.DictionaryEncoding.addId(b, BigInt(type.id));
        fb.DictionaryEncoding.addIndexType(b, index);
        encoding = fb.DictionaryEncoding.endDictionaryEncoding(b);
    }
    fb.Field.startField(b);
    fb.Field.addName(b, text);
    fb.Field.addNullable(b, true);
    fb.Field.addTypeType(b, fb.Type[type.type]);
    fb.Field.addType(b, made);
    fb.Field.addChildren(b, childVector);
    if (encoding) fb.Field.addDictionary(b, encoding);
    return fb.Field.endField(b);
}

// ---- Messages -----------------------------------------------------------------------------------

const pad = bytes => Buffer.concat([bytes, Buffer.alloc((8 - bytes.length % 8) % 8)]);
function message(type, header, body, b) {
    fb.Message.startMessage(b);
    fb.Message.addVersion(b, fb.MetadataVersion.V5);
    fb.Message.addHeaderType(b, fb.MessageHeader[type]);
    fb.Message.addHeader(b, header);
    fb.Message.addBodyLength(b, BigInt(body.length));
    b.finish(fb.Message.endMessage(b));
    const metadata = pad(Buffer.from(b.asUint8Array())), head = Buffer.alloc(8);
    head.writeInt32LE(-1, 0);
    head.writeInt32LE(metadata.length, 4);
    return Buffer.concat([head, metadata, body]);
}
function compressed(bytes, codec) {
    if (!codec || bytes.length === 0) return bytes;
    const size = Buffer.alloc(8);
    size.writeBigInt64LE(BigInt(bytes.length));
    const {stdout, status, error} = spawnSync(codec, ['-c', '-q'], {input: bytes});
    if (status !== 0) throw error ?? new Error(`${codec} failed`);
    return Buffer.concat([size, stdout]);
}
// `columns` is a list of arrays: {rows, buffers, views (how many buffers a view has), children}.
function batch(b, columns, rows, codec) {
    const nodes = [], buffers = [], views = [], parts = [];
    let at = 0;
    (function walk(arrays) {
        for (const one of arrays) {
            nodes.push(one.rows);
            for (const bytes of one.buffers) {
                const stored = compressed(bytes, codec);
                buffers.push([at, stored.length]);
                parts.push(pad(stored));
                at += parts.at(-1).length;
            }
            if (one.views !== undefined) views.push(BigInt(one.views));
            walk(one.children ?? []);
        }
    })(columns);
    fb.RecordBatch.startNodesVector(b, nodes.length);
    for (const count of nodes.toReversed?.() ?? [...nodes].reverse()) fb.FieldNode.createFieldNode(b, BigInt(count), 0n);
    const nodeVector = b.endVector();
    fb.RecordBatch.startBuffersVector(b, buffers.length);
    for (const [offset, size] of [...buffers].reverse()) fb.Buffer.createBuffer(b, BigInt(offset), BigInt(size));
    const bufferVector = b.endVector(), viewVector = fb.RecordBatch.createVariadicBufferCountsVector(b, views);
    const compression = codec && fb.BodyCompression.createBodyCompression(b, codec === 'zstd' ? 1 : 0, 0);
    fb.RecordBatch.startRecordBatch(b);
    fb.RecordBatch.addLength(b, BigInt(rows));
    fb.RecordBatch.addNodes(b, nodeVector);
    fb.RecordBatch.addBuffers(b, bufferVector);
    if (compression) fb.RecordBatch.addCompression(b, compression);
    fb.RecordBatch.addVariadicBufferCounts(b, viewVector);
    return {header: fb.RecordBatch.endRecordBatch(b), body: Buffer.concat(parts)};
}

// ---- Arrays -------------------------------------------------------------------------------------

const none = Buffer.alloc(0);
const numbers = (width, values) => {
    const out = Buffer.alloc(width * values.length);
    values.forEach((value, i) => width === 8 ? out.writeBigInt64LE(BigInt(value), 8 * i) : out.writeInt32LE(value, 4 * i));
    return out;
};
const ints = (width, values) => ({rows: values.length, buffers: [none, numbers(width, values)]});
const offsets = values => numbers(4, values.reduce((all, size) => [...all, all.at(-1) + size], [0]));
const texts = values => ({rows: values.length, buffers: [none, offsets(values.map(one => one.length)), Buffer.from(values.join(''))]});
function textViews(values) {
    const views = Buffer.alloc(16 * values.length), long = [];
    let at = 0;
    values.forEach((value, i) => {
        views.writeInt32LE(value.length, 16 * i);
        if (value.length <= 12) return views.write(value, 16 * i + 4);
        views.write(value.slice(0, 4), 16 * i + 4);
        views.writeInt32LE(0, 16 * i + 8);
        views.writeInt32LE(at, 16 * i + 12);
        long.push(value);
        at += value.length;
    });
    return {rows: values.length, buffers: [none, views, Buffer.from(long.join(''))], views: 1};
}
const inRuns = (rows, ends, values) => ({rows, buffers: [], children: [ints(4, ends), values]});
const structs = (rows, children) => ({rows, buffers: [none], children});

export function agentBatch(codec, {names = ['work', 'main', 'inner'], at = Date.now()} = {}) {
    const rows = 4;
    const functions = dictionary(2, struct({system_name: view, filename: view, start_line: int(64)}));
    const lines = list(struct({line: int(64), function: functions}));
    const locations = dictionary(1, struct({address: int(64, false), frame_type: view, mapping_file: view, lines}));
    const schema = {
        'labels.comm': runs(dictionary(3, binary)), stacktrace: listView(locations), value: int(64), producer: runs(utf8),
        sample_type: runs(utf8), sample_unit: runs(utf8), period_type: runs(utf8), period_unit: runs(utf8), period: runs(int(64)),
        duration: runs(int(64)), timestamp,
    };
    const out = [];
    let b = new flatbuffers.Builder();
    const fields = fb.Schema.createFieldsVector(b, Object.entries(schema).map(([name, type]) => writeField(b, name, type)));
    fb.Schema.startSchema(b);
    fb.Schema.addFields(b, fields);
    out.push(message('Schema', fb.Schema.endSchema(b), none, b));
    const dictionaries = [
        [3, texts(['app', 'cron'])],
        [2, structs(3, [textViews(names), textViews(['a.c', 'a.c', '/home/of/a/long/path/a.h']), ints(8, [1, 2, 3])])],
        // work, main, and work with inner in it: the innermost first.
        [1, structs(3, [ints(8, [16, 32, 48]), textViews(['native', 'native', 'native']), textViews(['/bin/app', '/bin/app', '/bin/app']),
            {rows: 3, buffers: [none, offsets([1, 1, 2])], children: [structs(4, [ints(8, [5, 6, 7, 8]), ints(4, [0, 1, 2, 0])])]}])],
    ];
    for (const [id, values] of dictionaries) {
        b = new flatbuffers.Builder();
        const {header, body} = batch(b, [values], values.rows, codec);
        fb.DictionaryBatch.startDictionaryBatch(b);
        fb.DictionaryBatch.addId(b, BigInt(id));
        fb.DictionaryBatch.addData(b, header);
        out.push(message('DictionaryBatch', fb.DictionaryBatch.endDictionaryBatch(b), body, b));
    }
    const all = value => inRuns(rows, [rows], texts([value]));
    const columns = [
        inRuns(rows, [3, 4], ints(4, [0, 1])),
        // main;work, main;work;inner, main;work again, main: leaf first, in any order.
        {rows, buffers: [none, numbers(4, [0, 2, 0, 1]), numbers(4, [2, 2, 2, 1])], children: [ints(4, [0, 1, 2, 1])]},
        ints(8, [3, 4, 2, 7]), all('parca_agent'), all('samples'), all('count'), all('cpu'), all('nanoseconds'),
        inRuns(rows, [rows], ints(8, [50000000])), inRuns(rows, [rows], ints(8, [5000000000])),
        {rows, buffers: [none, numbers(8, Array(rows).fill(BigInt(at) * 1000000n))]},
    ];
    b = new flatbuffers.Builder();
    const {header, body} = batch(b, columns, rows, codec);
    out.push(message('RecordBatch', header, body, b), Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]));
    return Buffer.concat(out);
}

if (process.argv[1]?.endsWith('agent_batch.mjs'))
    writeFileSync(process.argv[3], agentBatch(process.argv[2] === 'none' ? '' : process.argv[2], {at: 1795832400000}));
