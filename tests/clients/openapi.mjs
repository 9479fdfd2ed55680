// openapi.mjs - the OpenAPI document of the server: valid by a validator of others, and true of what the server answers.

import {Validator} from '@seriousme/openapi-schema-validator';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {get, serve} from './served.mjs';

test('the document is OpenAPI, and each path that it has answers as it says', async () => {
    const server = await serve();
    const {status, text} = await get(server, 'api/v1/openapi.json');
    assert.equal(status, 200);
    const document = JSON.parse(text);
    const result = await new Validator().validate(document);
    assert.ok(result.valid, JSON.stringify(result.errors, null, 1));
    for (const service of ['a', 'b'])
        assert.equal((await get(server, `api/v1/push?service=${service}`, {method: 'POST', body: 'main;work 7\nmain;idle 3\n'})).status, 200);
    const given = {label: 'service_name', name: 'one', before: '-30d', from: '-1h', compare: '-2h..-1h', step: '60', format: 'json'};
    for (const [path, operations] of Object.entries(document.paths))
        for (const [method, operation] of Object.entries(operations)) {
            const wanted = operation.parameters.filter(({name, required}) => required || (path.endsWith('timeline') && name === 'from'));
            const query = new URLSearchParams(wanted.map(({name}) => [name, given[name]]));
            const bodies = {'/api/v1/views': '?q=a', '/api/v1/symbols': readFileSync('/bin/sh')};
            const body = operation.requestBody ? bodies[path] ?? 'main 1\n' : undefined;
            const answer = await get(server, `${path.slice(1)}?${query}`, {method: method.toUpperCase(), body});
            // A gate and changes need more than one moment.
            const expected = /\/(gate|changes)$/.test(path) ? 400 : 200;
            assert.equal(answer.status, expected, `${method} ${path}: ${answer.text}`);
            const [type, {schema}] = Object.entries(operation.responses[200].content)[0];
            if (type !== 'application/json') continue;
            const value = JSON.parse(answer.text);
            for (const name of expected === 200 ? schema.required ?? [] : ['error']) assert.ok(name in value, `${path}: ${name}`);
            // Whatever else it takes is known to the server.
            for (const {name, schema: {enum: [first] = [], type: kind}} of operation.parameters) {
                const one = new URLSearchParams([...query, [name, given[name] ?? first ?? (kind === 'string' ? 'cpu' : '1')]]);
                if (method !== 'get') continue;
                assert.doesNotMatch((await get(server, `${path.slice(1)}?${one}`)).text, /there is no parameter/, `${path} ${name}`);
            }
        }
});
