// viewer_print.mjs - the page on paper: as a PDF by the browser, read with poppler.

import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import path from 'node:path';
import {after, test} from 'node:test';
import {PARSE, SMALL, close, colors, doubleClick, finish, folder, open, pageOf, press} from './page.mjs';

after(close);
const skip = spawnSync('pdftotext', ['-v']).error ? 'there is no pdftotext' : false;
const small = pageOf(SMALL);
let printed = 0;

// The PDF: its pages and their size in points, and its words with their height.
async function print(page, format = 'A4') {
    const where = path.join(folder, `${++printed}.pdf`);
    await page.pdf({path: where, format, preferCSSPageSize: true});
    const info = execFileSync('pdfinfo', [where], {encoding: 'utf8'});
    const [width, height] = info.match(/Page size: +([\d.]+) x ([\d.]+)/).slice(1).map(Number);
    const boxes = execFileSync('pdftotext', ['-bbox', where, '-'], {encoding: 'utf8'});
    const words = Array.from(boxes.matchAll(/yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">([^<]*)</g),
        ([, top, bottom, text]) => ({text, height: bottom - top}));
    return {where, pages: Number(info.match(/Pages: +(\d+)/)[1]), width, height, words,
        text: words.map(word => word.text).join(' ')};
}

test('a flame graph is one page, of A4 and of Letter, with its title, legend and status', {skip}, async () => {
    const page = await open(small);
    for (const format of ['A4', 'Letter']) {
        const {pages, width, height, text, words} = await print(page, format);
        assert.equal(pages, 1);
        assert.ok(width > height, 'landscape');
        for (const word of ['idle', 'main', 'parse', 'lex', 'write', 'in1.folded', 'Flame graph', '5 stacks', 'read 40 %'])
            assert.ok(text.includes(word), `${word} in ${text}`);
        assert.doesNotMatch(text, /Search|Sandwich/);
        for (const {text, height} of words) assert.ok(height > 9, `${text} is ${height} pt high`);
    }
    await finish(page, assert);
});

test('a deep one is one page too, upright, and its labels can still be read', {skip}, async () => {
    const deep = Array.from({length: 75}, (_, i) => `function_${i}`).join(';');
    const page = await open(pageOf(`${deep} 7\n`), {width: 1800, height: 500});
    const {pages, width, height, words} = await print(page);
    assert.equal(pages, 1);
    assert.ok(width < height);
    const labels = words.filter(({text}) => /^function_\d+$/.test(text));
    assert.equal(new Set(labels.map(label => label.text)).size, 75);
    for (const {text, height} of labels) assert.ok(height > 6, `${text} is ${height} pt high`);
    await finish(page, assert);
});

test('it has the zoom of the window, and light colors where the window is dark', {skip}, async () => {
    const page = await open(small, {colorScheme: 'dark'});
    await doubleClick(page, PARSE);
    const before = await colors(page);
    const {where, text} = await print(page);
    assert.ok(text.includes('lex') && text.includes('40 % of total'), text);
    assert.doesNotMatch(text, /idle (?!15 %)/, 'it is in the legend alone');
    const pixels = execFileSync('pdftoppm', ['-r', '20', where]);
    const dark = pixels.subarray(20).reduce((sum, byte) => sum + (byte < 60), 0);
    assert.ok(dark / pixels.length < 0.02, `${dark} of ${pixels.length} are dark`);
    await page.waitForTimeout(300);
    assert.deepEqual(await colors(page), before);
    await finish(page, assert);
});

test('a table is printed with as many rows as the paper has room for', {skip}, async () => {
    const many = Array.from({length: 90}, (_, i) => `main;f${i} ${1000 - i}`).join('\n');
    const page = await open(pageOf(`${many}\n`), {height: 400});
    await press(page, '5');
    const {pages, text} = await print(page);
    assert.equal(pages, 1);
    for (const word of ['Top table', 'Self', 'Function', 'f0', 'f20', 'f35']) assert.ok(text.includes(word), word);
    assert.doesNotMatch(text, /Search|Sandwich|1,000 samples/);
    await page.waitForTimeout(300);
    assert.equal(await page.locator('.flamel').getAttribute('style'), '');
    assert.ok(await page.locator('.search').isVisible());
    await finish(page, assert);
});
