// viewer_stop.mjs - `flamel view` ends at once, whatever its server does.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {request} from 'node:http';
import {after, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {SMALL, close, file} from './page.mjs';

const commands = [];
after(() => {
    for (const command of commands) command.kill('SIGKILL');
    return close();
});

// 40 GB of text when it is decompressed: reading it takes longer than this test may.
const large = Buffer.concat(Array(400).fill(gzipSync('main;work 1\n'.repeat(8 << 20), {level: 1})));

function view() {
    const command = spawn(process.argv[2], ['view', '--no-open', '-q', file('stopped.folded', SMALL)],
        {stdio: ['ignore', 'pipe', 'inherit']});
    commands.push(command);
    const ended = new Promise(resolve => command.once('exit', (code, signal) => resolve({code, signal})));
    return new Promise(resolve => command.stdout.once('data',
        line => resolve({url: String(line).trim(), ended, interrupt: () => command.kill('SIGINT')})));
}

// What a page does with a dropped file; resolves to the status, or null where there was no answer.
function post(url, body) {
    let sent;
    const {origin} = new URL(url), isSent = new Promise(resolve => { sent = resolve; });
    const answer = new Promise(resolve => {
        const posted = request(`${url}read`, {method: 'POST', headers: {Origin: origin,
            'Content-Length': body.length}}, response => resolve(response.statusCode));
        posted.on('error', () => resolve(null));
        posted.on('finish', sent);
        posted.end(body);
    });
    return {answer, isSent};
}

test('Ctrl-C ends it while a file that was dropped on its page is read', {timeout: 60000}, async () => {
    const {url, ended, interrupt} = await view();
    const {answer, isSent} = post(url, large);
    await isSent;
    await new Promise(resolve => setTimeout(resolve, 1500));
    interrupt();
    assert.deepEqual(await ended, {code: 0, signal: null});
    assert.notEqual(await answer, 200, 'it was still being read');
});

test('a file that was read before is answered', async () => {
    const {url, ended, interrupt} = await view();
    const {answer} = post(url, gzipSync('main;work 1\n'));
    assert.equal(await answer, 200);
    interrupt();
    assert.deepEqual(await ended, {code: 0, signal: null});
});
