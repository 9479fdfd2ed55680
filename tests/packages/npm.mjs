// The functions of the package `flamel`, as a program that has installed it uses them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { FlamelError, Profile, gate, merge, run } from 'flamel';

const profile = Profile.read(readFileSync(process.argv[2]), { name: 'app.folded' });
const total = profile.info().metrics[0].total;

test('what is written is read again', () => {
    for (const format of ['flm', 'pprof', 'speedscope', 'folded'])
        assert.equal(Profile.read(profile.write(format)).info().metrics[0].total, total, format);
    assert.match(profile.draw({ title: 'a title' }), /^<\?xml[^]*<svg[^]*a title/);
});

test('operations, tables and trees', () => {
    const [first] = profile.top({ sort: 'total', rows: 1 }).functions;
    assert.equal(profile.top().functions.length > 1, true);
    assert.equal(profile.tables().frames.length > 1, true);
    assert.equal(profile.tree().rows.length > 0, true);
    const focused = profile.apply(`focus:${JSON.stringify(first.function)}`);
    assert.equal(focused.info().metrics[0].total, first.total);
    assert.equal(profile.info().metrics[0].total, total, 'the first one has not changed');
    assert.equal(merge([profile, profile]).info().metrics[0].total, 2 * total);
});

test('boxes of a flame graph', () => {
    const { stacks } = profile.tables(), boxes = profile.layout({ width: 1000 }), at = new Map(boxes.map(box => [box.stack, box]));
    assert.equal(boxes.length, stacks.length);
    const near = (a, b) => Math.abs(a - b) < 1e-6;
    assert.ok(near(boxes.filter(({ depth }) => depth === 0).reduce((sum, { width }) => sum + width, 0), 1000));
    const rows = new Map();
    for (const box of boxes) {
        const parent = at.get(stacks[box.stack].parent);
        if (parent) assert.ok(box.depth === parent.depth + 1 && box.x > parent.x - 1e-6 && box.x + box.width < parent.x + parent.width + 1e-6);
        assert.ok(box.x > (rows.get(box.depth) ?? 0) - 1e-6, 'boxes of a row do not overlap');
        rows.set(box.depth, box.x + box.width);
    }
    const wide = profile.layout({ width: 1000, least: 1 });
    assert.deepEqual(wide, boxes.filter(({ width }) => width >= 1));
    // As the picture has them.
    const svg = profile.draw({ width: 1000 });
    for (const { function: name } of wide.filter(({ width }) => width > 200)) assert.ok(svg.includes(name.replace(/[<>&].*/, '')), name);
});

test('comparisons and verdicts', () => {
    const twice = merge([profile, profile]), five = (p) => Array(5).fill(p);
    assert.equal(twice.compare(profile).after.total, 2 * total);
    assert.equal(gate(five(profile), five(profile)).verdict, 'PASS');
    assert.equal(gate(five(profile), five(twice)).verdict, 'FAIL');
});

test('what is refused has a sentence', () => {
    assert.throws(() => Profile.read('\x7fELF\x02\x01\x01'), (error) => error instanceof FlamelError && error.status === 2 && /ELF/.test(error.message));
    assert.throws(() => profile.apply('focus:no_such_function'), /no_such_function/);
    assert.throws(() => profile.write('nonsense'), /nonsense/);
});

test('a command sees the files that it was given, and no others', () => {
    const answer = run(['convert', 'in/a.folded', '-o', 'out.folded'], { files: { 'in/a.folded': 'a;b 1\na;c 2\n' } });
    assert.equal(answer.status, 0, answer.messages);
    assert.deepEqual(Object.keys(answer.files).sort(), ['in/a.folded', 'out.folded']);
    assert.equal(new TextDecoder().decode(answer.files['out.folded']), 'a;b 1\na;c 2\n');
    assert.equal(run(['info', process.argv[2]]).status, 2);
    assert.equal(new TextDecoder().decode(run(['convert', '-t', 'folded', '-'], { input: 'x;y 3\n' }).output), 'x;y 3\n');
});
