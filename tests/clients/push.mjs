// push.mjs - clients that profile this program push to the server as they are: @pyroscope/nodejs, dd-trace, @datadog/pprof by
// hand, curl. What each says of its work is in the store.

import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {folder, get, serve, sums, total, until} from './served.mjs';

const require = createRequire(import.meta.url), beside = path.dirname(fileURLToPath(import.meta.url));
// Their machine code is built beforehand, for some versions of node and some systems.
function whyNot(name) {
    try {
        require(name);
    } catch (error) {
        return `${name} does not run here: ${String(error.message).split('\n')[0]}`;
    }
}

// A program that works in a function of this name for some seconds, with a client in front.
function work(name, client, env = {}, seconds = 12) {
    const file = path.join(beside, `${name}.cjs`);
    writeFileSync(file, `${client}
function ${name}(until) { let sum = 0; while (Date.now() < until) for (let i = 0; i < 1e5; i++) sum += Math.sqrt(i); return sum; }
const end = Date.now() + ${seconds * 1000};
(function go() { ${name}(Date.now() + 50); if (Date.now() < end) setTimeout(go, 5); else finish(); })();
`);
    return new Promise(done => {
        const child = spawn(process.execPath, [file], {env: {...process.env, ...env}, stdio: ['ignore', 'inherit', 'pipe']});
        let said = '';
        child.stderr.on('data', data => { said += data; });
        child.on('exit', status => done({status, said}));
    });
}
const of = (values, name) => total(Object.fromEntries(Object.entries(values).filter(([stack]) => stack.includes(name))));

test('@pyroscope/nodejs pushes wall time and heap with labels', async context => {
    const missing = whyNot('@pyroscope/nodejs');
    if (missing) return context.skip(missing);
    const server = await serve(), began = Date.now();
    const {status, said} = await work('pyroscopeWork', `const Pyroscope = require('@pyroscope/nodejs');
Pyroscope.init({serverAddress: process.env.ADDRESS, appName: 'node.demo', tags: {region: 'eu', pod: 'p1'}, flushIntervalMs: 2000,
    wall: {collectCpuTime: true}});
Pyroscope.start();
const finish = () => Pyroscope.stop().then(() => process.exit(0));`, {ADDRESS: server.url.replace(/\/$/, '')});
    assert.equal(status, 0, said);
    const seconds = (Date.now() - began) / 1000;
    const wall = await until('there is wall time', async () => {
        const found = await sums(server, 'service=node.demo region=eu pod=p1', 'wall');
        return of(found, 'pyroscopeWork') > 0 && found;
    });
    const worked = of(wall, 'pyroscopeWork') / 1e9;
    // It works for 12 seconds; the first and the last moments may be in no profile, and nothing is counted twice.
    assert.ok(worked > 3 && worked < seconds, `${worked} s of ${seconds} s`);
    const {text} = await get(server, 'api/v1/types?selector=service%3Dnode.demo');
    assert.match(text, /"wall:ns"/);
    assert.match(text, /"inuse_space:bytes"/);
});

test('dd-trace pushes to it as to its agent', async context => {
    const missing = whyNot('dd-trace');
    if (missing) return context.skip(missing);
    const server = await serve(), began = Date.now();
    const {status, said} = await work('datadogWork', `require('dd-trace').init({profiling: true, startupLogs: false});
const finish = () => setTimeout(() => process.exit(0), 3000);`, {DD_TRACE_AGENT_URL: server.url, DD_PROFILING_ENABLED: 'true',
        DD_SERVICE: 'ddsvc', DD_ENV: 'prod', DD_VERSION: '1.2', DD_PROFILING_UPLOAD_PERIOD: '3',
        DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false', DD_REMOTE_CONFIGURATION_ENABLED: 'false', DD_CRASHTRACKING_ENABLED: 'false'});
    assert.equal(status, 0, said);
    const seconds = (Date.now() - began) / 1000;
    const wall = await until('there is wall time', async () => {
        const found = await sums(server, 'service=ddsvc env=prod version=1.2', 'wall');
        return of(found, 'datadogWork') > 0 && found;
    });
    const worked = of(wall, 'datadogWork') / 1e9;
    assert.ok(worked > 3 && worked < seconds, `${worked} s of ${seconds} s`);
    const {text} = await get(server, 'metrics');
    assert.match(text, /flamel_refused_profiles_total 0\n/);
});

test('what @datadog/pprof encodes and curl posts is what was measured', async context => {
    const missing = whyNot('@datadog/pprof');
    if (missing) return context.skip(missing);
    if (spawnSync('curl', ['--version']).status !== 0) return context.skip('there is no curl');
    const {heap, time, encode} = require('@datadog/pprof');
    heap.start(512 * 1024, 64);
    time.start({intervalMicros: 10000});
    const kept = [];
    (function measuredWork(until) {
        while (Date.now() < until) if (kept.push(new Array(1e4).fill(0)) > 500) kept.length = 0;
    })(Date.now() + 1000);
    const profiles = {wall: time.stop(), heap: heap.profile()}, server = await serve();
    heap.stop();
    for (const [name, profile] of Object.entries(profiles)) {
        const file = path.join(folder, `${name}.pb.gz`), encoded = await encode(profile);
        writeFileSync(file, encoded);
        const url = `${server.url}api/v1/push?service=${name}&label=by=curl`;
        const {stdout, stderr} = spawnSync('curl', ['-sS', '--data-binary', `@${file}`, url], {encoding: 'utf8'});
        assert.equal(stdout, '{}\n', stderr);
    }
    // The sums of all values, by the profiles themselves.
    const names = profile => profile.sampleType.map(({type}) => profile.stringTable.strings[Number(type)]);
    for (const [name, profile] of Object.entries(profiles))
        for (const [i, type] of names(profile).entries()) {
            const wanted = profile.sample.reduce((sum, {value}) => sum + Number(value[i]), 0);
            assert.equal(total(await sums(server, `service=${name} by=curl`, type)), wanted, `${name} ${type}`);
        }
});

test('curl posts folded stacks to /ingest, as Pyroscope documents it', async context => {
    if (spawnSync('curl', ['--version']).status !== 0) return context.skip('there is no curl');
    const server = await serve();
    const {stdout, status} = spawnSync('curl', ['-sS', '--data-binary', '@-', `${server.url}ingest?name=curl-test-app&from=1615709120&until=1615709130`],
        {input: 'foo;bar 100\nfoo;baz 200', encoding: 'utf8'});
    assert.deepEqual([stdout, status], ['', 0]);
    assert.deepEqual(await sums(server, 'service=curl-test-app', 'cpu'), {'foo;bar': 1e9, 'foo;baz': 2e9});
});
