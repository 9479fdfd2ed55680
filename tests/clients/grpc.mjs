// grpc.mjs - @grpc/grpc-js pushes OpenTelemetry's and Parca's profiles: what is then in the store, and what is refused.

import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import {test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {get, serve, sums} from './served.mjs';

// The fields that are used of OpenTelemetry's profiles 1.10, of Parca's store and of pprof.
const {root} = protobuf.parse(`syntax = "proto3";
message AnyValue { string string_value = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ValueType { int32 type_strindex = 1; int32 unit_strindex = 2; }
message Sample { int32 stack_index = 1; repeated int64 values = 4; }
message OtelProfile { ValueType sample_type = 1; repeated Sample samples = 2; fixed64 time_unix_nano = 3;
    uint64 duration_nano = 4; ValueType period_type = 5; int64 period = 6; bytes profile_id = 7; }
message ScopeProfiles { repeated OtelProfile profiles = 2; }
message ResourceProfiles { Resource resource = 1; repeated ScopeProfiles scope_profiles = 2; }
message Line { int32 function_index = 1; int64 line = 2; }
message Location { int32 mapping_index = 1; uint64 address = 2; repeated Line lines = 3; }
message Function { int32 name_strindex = 1; }
message Stack { repeated int32 location_indices = 1; }
message Empty { }
message Dictionary { repeated Empty mapping_table = 1; repeated Location location_table = 2; repeated Function function_table = 3;
    repeated Empty link_table = 4; repeated string string_table = 5; repeated Empty attribute_table = 6;
    repeated Stack stack_table = 7; }
message Export { repeated ResourceProfiles resource_profiles = 1; Dictionary dictionary = 2; }
message Label { string name = 1; string value = 2; }
message LabelSet { repeated Label labels = 1; }
message RawSample { bytes raw_profile = 1; }
message RawSeries { LabelSet labels = 1; repeated RawSample samples = 2; }
message WriteRaw { string tenant = 1; repeated RawSeries series = 2; bool normalized = 3; }
`, {keepCase: true});
const encode = (name, value) => Buffer.from(root.lookupType(name).encode(root.lookupType(name).fromObject(value)).finish());
const OTLP = version => `/opentelemetry.proto.collector.profiles.${version}.ProfilesService/Export`;
const PARCA = '/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw';

// main;work 7, main;idle 3, times `factor`.
function exported(service, factor = 1) {
    const strings = ['', 'cpu', 'nanoseconds', 'main', 'work', 'idle'];
    const profile = {sample_type: {type_strindex: 1, unit_strindex: 2}, time_unix_nano: String(BigInt(Date.now()) * 1000000n),
        samples: [{stack_index: 1, values: [7 * factor]}, {stack_index: 2, values: [3 * factor]}]};
    return encode('Export', {
        resource_profiles: [{resource: {attributes: [{key: 'service.name', value: {string_value: service}}]},
            scope_profiles: [{profiles: [profile]}]}],
        dictionary: {mapping_table: [{}], link_table: [{}], attribute_table: [{}], string_table: strings,
            function_table: [{}, {name_strindex: 3}, {name_strindex: 4}, {name_strindex: 5}],
            location_table: [{}, ...[1, 2, 3].map(function_index => ({lines: [{function_index}]}))],
            stack_table: [{}, {location_indices: [2, 1]}, {location_indices: [3, 1]}]},
    });
}

function client(server, options = {}) {
    return new grpc.Client(server.address, grpc.credentials.createInsecure(), options);
}
function call(one, path, message, metadata = {}) {
    const all = new grpc.Metadata();
    for (const [name, value] of Object.entries(metadata)) all.set(name, value);
    return new Promise(done => one.makeUnaryRequest(path, bytes => bytes, bytes => bytes, message, all,
        (error, answer) => done({code: error?.code ?? 0, details: error?.details ?? '', answer})));
}

test('OpenTelemetry exports, many at once on one connection, compressed or not', async () => {
    const server = await serve(), plain = client(server);
    const gzip = client(server, {'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip});
    const answers = await Promise.all(Array.from({length: 200}, (_, i) =>
        call(i % 2 ? plain : gzip, OTLP('v1development'), exported(`service${i % 4}`))));
    assert.deepEqual(answers.filter(({code, answer}) => code !== 0 || answer.length !== 0), []);
    for (let i = 0; i < 4; i++)
        assert.deepEqual(await sums(server, `service=service${i}`, 'cpu'), {'main;idle': 150, 'main;work': 350});
    const metrics = (await get(server, 'metrics')).text;
    assert.match(metrics, /flamel_profiles_total 200\n/);
    assert.match(metrics, /flamel_requests_total\{status="2xx"\} 20[0-9]\n/);
    plain.close();
    gzip.close();
});

test('a message of many frames arrives whole', async () => {
    const server = await serve(), one = client(server);
    const message = Buffer.concat([exported('large'), encode('Export', {dictionary: {}}),
        Buffer.concat([Buffer.from([0x7a, 0x80, 0x80, 0x80, 0x08]), Buffer.alloc(1 << 24)])]); // field 15: 16 MiB
    assert.deepEqual((await call(one, OTLP('v1development'), exported('large'))).code, 0);
    const {code, details} = await call(one, OTLP('v1development'), message);
    assert.equal(code, 3, details); // the last dictionary holds, and has no stacks
    assert.deepEqual(await sums(server, 'service=large', 'cpu'), {'main;idle': 3, 'main;work': 7});
    one.close();
});

test('Parca\'s WriteRaw has labels of its series, and a service of them', async () => {
    const server = await serve(), one = client(server);
    const pushed = await get(server, 'api/v1/push?service=source', {method: 'POST', body: 'main;work 5\n'});
    assert.equal(pushed.status, 200, pushed.text);
    const pprof = Buffer.from(await (await fetch(`${server.url}api/v1/merge?format=pprof&selector=service%3Dsource`)).arrayBuffer());
    const series = (labels, ...samples) => ({labels: {labels: Object.entries(labels).map(([name, value]) => ({name, value}))},
        samples: samples.map(raw_profile => ({raw_profile}))});
    const message = encode('WriteRaw', {series: [series({job: 'api', instance: 'a:1'}, pprof, gzipSync(pprof)),
        series({comm: 'cron', node: 'n1'}, pprof)]});
    assert.deepEqual(await call(one, PARCA, message), {code: 0, details: '', answer: Buffer.alloc(0)});
    assert.deepEqual(await sums(server, 'service=api instance=a:1', 'samples'), {'main;work': 10});
    assert.deepEqual(await sums(server, 'service=cron node=n1', 'samples'), {'main;work': 5});
    one.close();
});

test('what is wrong is a status of gRPC, with a sentence', async () => {
    const server = await serve('--max-body', '1'), one = client(server);
    const says = async (path, message, code, text) => {
        const answer = await call(one, path, message);
        assert.equal(answer.code, code, answer.details);
        assert.match(answer.details, text);
    };
    await says(OTLP('v1experimental'), exported('a'), grpc.status.UNIMPLEMENTED, /v1experimental, a draft/);
    await says('/none.Service/None', Buffer.alloc(0), grpc.status.UNIMPLEMENTED, /no such method/);
    await says('/api/v1/push', Buffer.alloc(0), grpc.status.UNIMPLEMENTED, /path does not accept GRPC|no such method/);
    await says(OTLP('v1development'), Buffer.from([0x0a, 0x05, 1]), grpc.status.INVALID_ARGUMENT, /byte \d+: /);
    await says(PARCA, Buffer.from([0x12, 0x04, 0x12, 0x02, 0x0a, 0x00]), grpc.status.INVALID_ARGUMENT, /there is no profile/);
    await says(OTLP('v1development'), Buffer.alloc(2 << 20), grpc.status.RESOURCE_EXHAUSTED, /1 MiB at most/);
    // 100 MiB of zeros in 100 KB.
    const bomb = client(server, {'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip});
    const {code, details} = await call(bomb, OTLP('v1development'), Buffer.alloc(100 << 20));
    assert.equal(code, grpc.status.RESOURCE_EXHAUSTED, details);
    await says(OTLP('v1development'), exported('alive'), 0, /^$/);
    assert.deepEqual(await sums(server, 'service=alive', 'cpu'), {'main;idle': 3, 'main;work': 7});
    bomb.close();
    one.close();
});

test('tenants are told apart by x-scope-orgid', async () => {
    const server = await serve(), one = client(server);
    assert.equal((await call(one, OTLP('v1development'), exported('a'), {'x-scope-orgid': 'web'})).code, 0);
    assert.equal((await call(one, OTLP('v1development'), exported('a'), {'x-scope-orgid': 'a b'})).code, grpc.status.INVALID_ARGUMENT);
    assert.deepEqual(await sums(server, 'service=a', 'cpu'), {});
    const {text} = await get(server, 'api/v1/services', {headers: {'X-Scope-OrgID': 'web'}});
    assert.equal(text, '{"services": ["a"]}\n');
    one.close();
});

test('calls that are given up, and connections that say nonsense, harm nobody', async () => {
    const server = await serve(), one = client(server), {port} = new URL(server.url);
    const given = Array.from({length: 100}, () => new Promise(done => {
        const started = one.makeUnaryRequest(OTLP('v1development'), bytes => bytes, bytes => bytes, exported('given'),
            error => done(error?.code ?? 0));
        setImmediate(() => started.cancel());
    }));
    for (const code of await Promise.all(given)) assert.ok(code === 0 || code === grpc.status.CANCELLED, String(code));
    const say = bytes => new Promise(done => {
        const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(bytes));
        socket.resume().on('error', () => {}).on('close', done);
    });
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    await say(`PRI nonsense${'x'.repeat(100)}`);
    await say(`${preface}${'\0'.repeat(8)}\xff`.repeat(20));
    await say(Buffer.concat([Buffer.from(preface), Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0])]));
    assert.equal((await call(one, OTLP('v1development'), exported('alive'))).code, 0);
    assert.deepEqual(await sums(server, 'service=alive', 'cpu'), {'main;idle': 3, 'main;work': 7});
    one.close();
});

test('what has arrived when the server is told to end is answered', async () => {
    const server = await serve(), one = client(server);
    assert.equal((await call(one, OTLP('v1development'), exported('a'))).code, 0);
    const answers = Array.from({length: 20}, () => call(one, OTLP('v1development'), exported('a')));
    const ended = new Promise(done => server.child.once('exit', done));
    server.child.kill('SIGTERM');
    for (const {code, details} of await Promise.all(answers)) assert.ok(code === 0 || code === grpc.status.UNAVAILABLE, details);
    assert.equal(await ended, 0);
    one.close();
});

// HTTP and gRPC are told apart by what a client offers.
test('gRPC and HTTP over TLS at one port', async () => {
    const file = 'tests/data/tls/certificate.pem', ca = readFileSync(file);
    const server = await serve('--tls-cert', file, '--tls-key', 'tests/data/tls/key.pem');
    assert.match(server.url, /^https:/);
    const one = new grpc.Client(server.address, grpc.credentials.createSsl(ca));
    const answers = await Promise.all(Array.from({length: 100}, () => call(one, OTLP('v1development'), exported('tls'))));
    assert.deepEqual(answers.filter(({code}) => code !== 0), []);
    const text = await new Promise((done, fail) => https.get(`${server.url}api/v1/merge?format=folded`, {ca}, response => {
        let all = '';
        response.on('data', more => all += more).on('end', () => done(all));
    }).on('error', fail));
    assert.equal(text, 'main;idle 300\nmain;work 700\n');
    const stranger = new grpc.Client(server.address, grpc.credentials.createSsl(readFileSync('tests/data/tls/other_certificate.pem')));
    assert.equal((await call(stranger, OTLP('v1development'), exported('tls'))).code, 14);
    const clear = client(server);
    assert.equal((await call(clear, OTLP('v1development'), exported('tls'))).code, 14);
    server.child.kill('SIGTERM');
    await new Promise(done => server.child.once('exit', done));
    for (const each of [one, stranger, clear]) each.close();
});
