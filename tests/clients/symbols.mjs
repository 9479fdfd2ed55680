// symbols.mjs - addresses that Parca's agent sends are symbolized at query time: by a program that is uploaded, and by a debuginfod
// server (elfutils).

import grpc from '@grpc/grpc-js';
import {Field, Int64, List, Struct, Table, TimestampNanosecond, Uint64, Utf8, tableToIPC, vectorFromArray} from 'apache-arrow';
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import path from 'node:path';
import {after, test} from 'node:test';
import {folder, get, serve, sums, until} from './served.mjs';

const SOURCE = `
__attribute__((noinline)) int sampled_here(int x) { return x * 3; }
int main(int count, char **words) { (void)words; return sampled_here(count) == 1; }
`;
const started = [];
after(() => started.forEach(one => one.kill('SIGKILL')));

// A program with symbols and a build id, and the address of its function; null where it cannot be made.
function build(name) {
    const source = path.join(folder, `${name}.c`), program = path.join(folder, name);
    writeFileSync(source, `${SOURCE}const char flamel_name[] = "${name}";\n`);
    const tool = (command, ...words) => spawnSync(command, words, {encoding: 'utf8', env: {...process.env, CCACHE_DISABLE: '1'}});
    if (tool('cc', '-g', '-O1', '-Wl,--build-id', '-o', program, source).status !== 0) return null;
    const address = tool('nm', program).stdout?.match(/^([0-9a-f]+) T sampled_here$/m)?.[1];
    const id = tool('readelf', '-n', program).stdout?.match(/Build ID: ([0-9a-f]+)/)?.[1];
    return address && id ? {program, id, address: BigInt(`0x${address}`)} : null;
}

const field = (name, type) => new Field(name, type, true), text = new Utf8();
const LOCATION = new Struct([field('address', new Uint64()), field('frame_type', text), field('mapping_file', text),
    field('mapping_build_id', text), field('lines', new List(field('item', new Struct([field('line', new Int64()),
        field('function', new Struct([field('system_name', text), field('filename', text), field('start_line', new Int64())]))]))))]);
function varint(n) {
    const out = [];
    for (; n > 127; n = Math.floor(n / 128)) out.push(n % 128 | 128);
    return [...out, n];
}
// Seven samples of an address of a file that is not on this machine any more.
async function write(server, {id, address}) {
    const of = (value, type) => vectorFromArray([value], type);
    const stack = [{address: address + 1n, frame_type: 'native', mapping_file: '/gone/app', mapping_build_id: id, lines: []}];
    const stream = tableToIPC(new Table({
        'labels.comm': of('app', text), stacktrace: vectorFromArray([stack], new List(field('item', LOCATION))),
        value: of(7n, new Int64()), producer: of('parca_agent', text), sample_type: of('samples', text), sample_unit: of('count', text),
        period_type: of('cpu', text), period_unit: of('nanoseconds', text), temporality: of('delta', text),
        period: of(50000000n, new Int64()), duration: of(5000000000n, new Int64()),
        timestamp: of(Date.now(), new TimestampNanosecond()),
    }), 'stream');
    const client = new grpc.Client(server.address, grpc.credentials.createInsecure());
    const request = Buffer.concat([Buffer.from([0x0a, ...varint(stream.length)]), Buffer.from(stream)]);
    await new Promise((done, fail) => client.makeUnaryRequest('/parca.profilestore.v1alpha1.ProfileStoreService/WriteArrow', one => one,
        one => one, request, (error, answer) => {
            client.close();
            if (error) fail(error);
            else done(answer);
        }));
}
const shown = (server, name) => sums(server, 'service=app', 'samples').then(values => values[name] ?? 0);

test('a program that is uploaded symbolizes addresses that were sent before it', async context => {
    const app = build('posted');
    if (!app) return context.skip('there is no compiler');
    const server = await serve();
    await write(server, app);
    assert.equal(await shown(server, 'sampled_here'), 0);
    const answer = await get(server, 'api/v1/symbols', {method: 'POST', body: readFileSync(app.program)});
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await shown(server, 'sampled_here'), 7);
});

test('so does a debuginfod server', async context => {
    const app = build('served');
    if (!app || spawnSync('debuginfod', ['--version']).status !== 0) return context.skip('there is no compiler, or no debuginfod');
    const port = await new Promise(done => {
        const probe = createServer().listen(0, '127.0.0.1', () => {
            const {port: free} = probe.address();
            probe.close(() => done(free));
        });
    });
    const url = `http://127.0.0.1:${port}`, files = path.join(folder, 'served-files');
    mkdirSync(files);
    copyFileSync(app.program, path.join(files, 'app'));
    rmSync(app.program);
    started.push(spawn('debuginfod', ['-d', ':memory:', '-p', String(port), '-t', '0', '-F', files], {stdio: 'ignore'}));
    await until('debuginfod has the file', () => fetch(`${url}/buildid/${app.id}/debuginfo`).then(({ok}) => ok, () => false));
    const environment = {DEBUGINFOD_URLS: url, DEBUGINFOD_CACHE_PATH: path.join(folder, 'downloads'), no_proxy: '127.0.0.1'};
    Object.assign(process.env, environment);
    const without = await serve(), server = await serve('--debuginfod');
    await write(without, app);
    await write(server, app);
    assert.equal(await shown(without, 'sampled_here'), 0);
    assert.equal(await shown(server, 'sampled_here'), 7);
});
