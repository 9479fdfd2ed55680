// served.mjs - a server for the tests of clients, and what is in its store.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after} from 'node:test';

export const flamel = process.argv[2];
export const folder = mkdtempSync(path.join(os.tmpdir(), 'flamel-clients-'));
const started = [];
after(() => {
    started.forEach(one => one.kill('SIGKILL'));
    rmSync(folder, {recursive: true, force: true});
});

let stores = 0;
export async function serve(...options) {
    const child = spawn(flamel, ['serve', '--data', path.join(folder, `store${++stores}`), '--listen', '127.0.0.1:0', ...options],
        {stdio: ['ignore', 'pipe', 'inherit']});
    started.push(child);
    const url = await new Promise(done => child.stdout.once('data', data => done(String(data).trim())));
    return {child, url, address: new URL(url).host};
}

export async function get(server, target, options) {
    const response = await fetch(server.url + target, options);
    return {status: response.status, text: await response.text()};
}

// The sums of stacks: {'main;work': 30}.
export async function sums(server, selector, type) {
    const {status, text} = await get(server, `api/v1/merge?format=folded&selector=${encodeURIComponent(selector)}&type=${type}`);
    if (status === 404) return {};
    assert.equal(status, 200, text);
    return Object.fromEntries(text.trim().split('\n').map(line => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
    }));
}
export const total = values => Object.values(values).reduce((a, b) => a + b, 0);

// Until it is so: clients push when they like.
export async function until(what, look) {
    for (const end = Date.now() + 120000; Date.now() < end;) {
        const found = await look();
        if (found) return found;
        await new Promise(done => setTimeout(done, 100));
    }
    assert.fail(`after two minutes: ${what}`);
}
