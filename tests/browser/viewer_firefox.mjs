// viewer_firefox.mjs - the viewer in Firefox, as a person uses it.

import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import path from 'node:path';
import {after, test} from 'node:test';
import {close, open} from './firefox.mjs';
import {IDLE, MAIN, PARSE, SMALL, WRITE, file, folder, pageOf, removeFolder} from './made.mjs';

after(async () => {
    await close();
    removeFolder();
});
const small = 'file://' + pageOf(SMALL);

// Where a frame is in the whole view: below the minimap, in rows of 19 px.
async function spot(page, {level, at}) {
    const {x, y, width} = await page.evaluate(() => document.querySelector('.stage').getBoundingClientRect().toJSON());
    return {x: x + 8 + at * (width - 16), y: y + 48 + level * 19 + 9};
}

async function finish(page) {
    assert.deepEqual(page.failures, []);
    assert.deepEqual(page.requests, []);
    await page.close();
}

test('a page opens, and says what is under the pointer', async () => {
    const page = await open(small);
    await page.sees('.status', /5 stacks.*100 samples/);
    for (const [frame, name] of [[MAIN, 'main'], [IDLE, 'idle'], [WRITE, 'write']]) {
        await page.move(await spot(page, frame));
        await page.sees('.tooltip b', new RegExp(`^${name}$`));
    }
    const inked = await page.evaluate(() => {
        const {width, height} = document.querySelector('.stage canvas');
        const {data} = document.querySelector('.stage canvas').getContext('2d').getImageData(0, 0, width, height);
        return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(inked > 50, 'boxes and letters');
    await finish(page);
});

test('a click selects, a double click zooms, and the button goes back', async () => {
    const page = await open(small);
    await page.click(await spot(page, PARSE));
    await page.sees('.panel h2', /^parse$/);
    await page.sees('.panel .figures', /40 %/);
    await page.click(await spot(page, PARSE), {times: 2});
    await page.until(() => /zoom/.test(location.hash));
    await page.move({x: 3, y: 3});
    await page.move(await spot(page, {level: 2, at: 0.98}));
    await page.sees('.tooltip b', /^parse$/);
    await page.clickOn('.steps button');
    await page.until(() => !/zoom/.test(location.hash));
    await page.move(await spot(page, WRITE));
    await page.sees('.tooltip b', /^write$/);
    await finish(page);
});

test('the wheel zooms where the pointer is', async () => {
    const page = await open(small), at = await spot(page, WRITE);
    for (let i = 0; i < 12; i++) await page.wheel(at, -120);
    await page.move({x: 3, y: 3});
    await page.move(await spot(page, {level: 2, at: 0.05}));
    await page.sees('.tooltip b', /^write$/);
    await finish(page);
});

test('a search marks and counts, Escape leaves its field, and its chip removes it', async () => {
    const page = await open(small);
    await page.press('/');
    await page.type('read');
    await page.sees('.search .matches', /40 %/);
    await page.press('Escape');
    await page.until(() => document.activeElement.matches('.surface'));
    await page.sees('.chips', /read[^]*40 %/);
    await page.clickOn('.chip button', '×');
    await page.until(() => document.querySelector('.search input').value === '');
    await finish(page);
});

test('the views show the same profile', async () => {
    const page = await open(small);
    await page.clickOn('.views button', 'Top table');
    await page.sees('.table-top', /40.*read/);
    assert.equal(await page.evaluate(() => document.querySelectorAll('.table-top .row').length), 6);
    await page.clickOn('.table-top .table-head .can-sort', 'Function');
    await page.until(() => /idle/.test(document.querySelector('.table-top .row').innerText));
    await page.clickOn('.views button', 'Call tree');
    await page.sees('.table-tree', /main/);
    await page.clickOn('.views button', 'Sandwich');
    await page.until(() => /sandwich/.test(location.hash));
    await page.clickOn('.views button', 'Flame graph');
    await page.until(() => !document.querySelector('.table-tree').getClientRects().length);
    await finish(page);
});

test('a transform is a chip, which is removed, and undo brings it back', async () => {
    const page = await open(small + '#apply=hide:lex');
    const chip = '.chip [aria-label^=Remove]';
    await page.clickOn(chip);
    await page.until(chip => !document.querySelector(chip) && !/lex/.test(location.hash), chip);
    await page.press('Control+z');
    await page.until(chip => document.querySelector(chip) && /hide:lex/.test(location.hash), chip);
    await finish(page);
});

test('a file that is chosen is read in a worker', async () => {
    const page = await open(small);
    await page.choose('input[type=file]', file('chosen.folded', 'one;two 3\none 1\n'));
    await page.sees('.status', /2 stacks.*4 samples/);
    await finish(page);
});

test('a file that is dropped is read, also under zstd', async () => {
    const page = await open(small);
    const bytes = Array.from(execFileSync('cat', ['tests/data/unzstd/level_19.zst']));
    await page.evaluate(bytes => {
        const dropped = new DataTransfer();
        dropped.items.add(new File([new Uint8Array(bytes)], 'dropped.zst'));
        for (const type of ['dragenter', 'dragover', 'drop'])
            document.querySelector('.stage').dispatchEvent(new DragEvent(type,
                {dataTransfer: dropped, bubbles: true, cancelable: true}));
    }, bytes);
    await page.until(() => /^dropped\.zst/.test(document.title));
    await finish(page);
});

test('a print is one page with labels', {skip: spawnSync('pdftotext', ['-v']).error ? 'no pdftotext' : false}, async () => {
    const page = await open(small);
    const where = file('print.pdf', await page.print());
    assert.match(execFileSync('pdfinfo', [where], {encoding: 'utf8'}), /Pages: +1\n/);
    const text = execFileSync('pdftotext', [where, '-'], {encoding: 'utf8'});
    for (const word of ['main', 'parse', 'write', '5 stacks']) assert.ok(text.includes(word), `${word} in ${text}`);
    assert.doesNotMatch(text, /Search/);
    await finish(page);
});
