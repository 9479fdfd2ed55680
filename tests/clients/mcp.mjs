// mcp.mjs - the client of the Model Context Protocol's own SDK asks the server over HTTP.

import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {test} from 'node:test';
import {flamel, folder, get, serve} from './served.mjs';

async function connect(server, headers = {}) {
    const client = new Client({name: 'flamel-tests', version: '1'});
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url + 'mcp'), {requestInit: {headers}}));
    return client;
}
const call = async (client, name, args = {}) => {
    const {content, isError} = await client.callTool({name, arguments: args});
    return {text: content[0].text, isError};
};

test('an assistant lists, asks and compares', async () => {
    const server = await serve();
    for (const [hours, pods, parse] of [[3, 'a', 500], [1, 'b', 700]])
        for (let pod = 0; pod < 8; pod++) {
            const time = Math.round(Date.now() / 1000) - hours * 3600 + 60;
            const target = `api/v1/push?service=api&label=pod=${pods}${pod}&time=${time}`;
            assert.equal((await get(server, target, {method: 'POST', body: `main;parse ${parse + pod}\nmain;write ${300 + pod}\n`})).status, 200);
        }
    const client = await connect(server);
    const {tools} = await client.listTools();
    assert.ok(tools.length >= 10 && tools.every(({description, inputSchema}) => description && inputSchema.type === 'object'));
    assert.equal((await call(client, 'list_services')).text.trim(), '{"services": ["api"]}');
    assert.match((await call(client, 'top_functions', {selector: 'service=api', from: '-2h', rows: 1})).text, /5,628.*parse/);
    assert.match((await call(client, 'stacks', {from: '-2h', nodes: 3})).text, /^main;parse 5628$/m);
    const gate = {selector: 'service=api', from: '-1h', until: '-30m', compare: '-3h..-150m'};
    assert.match((await call(client, 'gate', gate)).text, /^FAIL: parse grew/);
    assert.deepEqual((await call(client, 'stacks', {selector: 'service=none'})).isError, true);
    await assert.rejects(call(client, 'none'), /no such tool/);
    await client.close();
});

test('a token is needed where the server has tokens, and shows its tenant', async () => {
    const file = path.join(folder, 'tokens');
    const token = rights => execFileSync(flamel, ['serve', '--token-file', file, '--new-token', rights]).toString().trim();
    const read = token('read'), write = token('write');
    const server = await serve('--token-file', file);
    await assert.rejects(connect(server), /this needs a token/);
    await assert.rejects(connect(server, {authorization: `Bearer ${write}`}), /no right to do this/);
    const client = await connect(server, {authorization: `Bearer ${read}`});
    assert.equal((await call(client, 'list_services')).text.trim(), '{"services": []}');
    await client.close();
});
