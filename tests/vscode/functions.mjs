// The parts of the extension that need no editor: functions.mjs FOLDER
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const folder = resolve(process.argv[2]), require = createRequire(`${folder}/`);
const { targetOfLaunch, wordsOf } = require('./launch.js');
const { closest, commonParts } = require('./paths.js');
const { costsOf, share } = require('./costs.js');

test('words are those of a shell', () => {
    assert.deepEqual(wordsOf(`./app "two words" 'a $b' c\\ d --e="f g"h`), ['./app', 'two words', 'a $b', 'c d', '--e=f gh']);
    assert.deepEqual(wordsOf('  "" x  '), ['', 'x']);
    assert.deepEqual(wordsOf(''), []);
});

test('a launch configuration is a command', () => {
    const target = one => targetOfLaunch({ request: 'launch', name: 'it', ...one }, '/work', '/work/src/a.py');
    assert.deepEqual(target({ type: 'cppdbg', program: '${workspaceFolder}/app', args: ['-n', '${file}'], cwd: '${fileDirname}',
        environment: [{ name: 'A', value: '${env:HOME}' }] }),
    { label: 'it', argv: ['/work/app', '-n', '/work/src/a.py'], cwd: '/work/src', env: { A: process.env.HOME ?? '' } });
    assert.equal(target({ type: 'cppdbg', program: 'x' }).cwd, '/work', 'the folder of the configuration');
    assert.deepEqual(target({ type: 'debugpy', program: '${file}' }).argv, ['python3', '/work/src/a.py']);
    assert.deepEqual(target({ type: 'debugpy', module: 'pytest', args: '-k "a b"' }).argv, ['python3', '-m', 'pytest', '-k', 'a b']);
    assert.deepEqual(target({ type: 'node', program: 'x.js', runtimeArgs: ['--no-opt'] }).argv, ['node', '--no-opt', 'x.js']);
    assert.deepEqual(target({ type: 'cppdbg', program: '${command:pick}' }).argv, ['${command:pick}'], 'what has no value here stays');
    assert.equal(target({ type: 'cppdbg', request: 'attach', program: 'x' }), undefined);
    assert.equal(target({ type: 'chrome', url: 'http://localhost' }), undefined);
});

test('a path of another machine is the file that has most of it in common', () => {
    assert.equal(commonParts('/home/a/app/src/x.c', 'C:\\app\\src\\x.c'), 3);
    assert.equal(commonParts('/x.c', '/x.c'), 1);
    assert.equal(closest('/build/src/x.c', ['/w/lib/x.c', '/w/src/x.c']), 1);
    assert.equal(closest('/build/x.c', ['/w/lib/x.c', '/w/src/x.c']), undefined, 'either could be meant');
    assert.equal(closest('/build/x.c', ['/w/y.c']), undefined);
});

test('costs of a line are summed over the functions that it is in', () => {
    const files = costsOf([
        { function: 'f', file: 'a.c', line: 3, self: 2, total: 5 }, { function: 'g', file: 'a.c', line: 3, self: 1, total: 1 },
        { function: 'f', file: '', line: 3, self: 9, total: 9 }, { function: 'f', file: 'a.c', line: null, self: 9, total: 9 },
    ]);
    assert.deepEqual([...files.keys()], ['a.c']);
    assert.deepEqual(files.get('a.c').get(3), { self: 3, total: 5, functions: ['f', 'g'] });
    assert.deepEqual([0.001234, 0.1, 0.99999].map(one => share(one, 1)), ['0.12 %', '10.0 %', '100 %']);
});

test('every format that is read has an ending that opens, or is opened when asked to', () => {
    const { contributes } = JSON.parse(readFileSync(`${folder}/package.json`));
    const [byName, any] = contributes.customEditors;
    const patterns = byName.selector.map(({ filenamePattern }) => filenamePattern);
    for (const one of ['*.flm', '*.pb.gz', '*.cpuprofile', '*.jfr', '*.speedscope.json', '*.folded', '*.folded.gz', 'perf.data', '*.flm.zst'])
        assert.ok(patterns.includes(one), one);
    for (const one of ['*.json', '*.txt', '*.html', '*.db']) assert.ok(!patterns.includes(one), one);
    assert.deepEqual([any.priority, any.selector], ['option', [{ filenamePattern: '*' }]]);
});
