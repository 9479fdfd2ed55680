// viewer_rows.mjs - a flame chart of threads with deep stacks: a thread leaves room for others, and is expanded.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {boxOf, close, finish, open, pageOf, press, resolved, words} from './page.mjs';

after(close);

// Thread 7 is 60 frames deep, its process another one of 2; thread 20 of 40.
function samples() {
    let text = '';
    for (let ms = 0; ms < 200; ms += 10)
        for (const [process, thread, depth] of [[7, 7, 60], [7, 9, 2], [20, 20, 40]]) {
            text += `app ${process}/${thread} ${(100 + (ms + thread) / 1000).toFixed(6)}: 10000000 cpu-clock:\n`;
            for (let i = depth; i > 0; i--)
                text += `\t${1000 + i} f${i} (/bin/app)\n`;
            text += '\n';
        }
    return text;
}
const page_of_deep_threads = pageOf(samples());
const state = page => page.evaluate(() => decodeURIComponent(location.hash));
const drawn = async page => Number((await words(page, '.status .facts')).match(/drawn ([\d,]+)/)[1].replace(',', ''));

// The name of the first thread, below the heading of its process.
async function clickName(page) {
    const box = await boxOf(page.locator('.surface'));
    await page.mouse.click(box.x + 40, box.y + 90);
    await resolved(page);
}

test('a click on the name of a deep thread shows all of its rows, and the address has it', async () => {
    const page = await open(page_of_deep_threads);
    await press(page, '2');
    await resolved(page);
    const before = await drawn(page);
    assert.ok(before < 40, `rows of several threads, not of one: ${before}`);
    await clickName(page);
    assert.match(await state(page), /expanded=7(&|$)/);
    const again = await open(page_of_deep_threads, {hash: await page.evaluate(() => location.hash)});
    await resolved(again);
    assert.equal(await drawn(again), await drawn(page));
    await clickName(again);
    assert.doesNotMatch(await state(again), /expanded/);
    assert.equal(await drawn(again), before);
    await finish(again, assert);
    await page.goBack();
    await resolved(page);
    assert.equal(await drawn(page), before);
    await finish(page, assert);
});

test('keys, the menu of threads and the menu of a frame do the same', async () => {
    const page = await open(page_of_deep_threads);
    await press(page, '2', 'J');
    await resolved(page);
    assert.match(await state(page), /rows=all/);
    await page.getByRole('button', {name: 'Threads'}).click();
    const all = page.getByRole('button', {name: 'All rows'});
    assert.equal(await all.getAttribute('aria-pressed'), 'true');
    await all.click();
    await resolved(page);
    assert.equal(await all.getAttribute('aria-pressed'), 'false');
    assert.doesNotMatch(await state(page), /rows=all/);
    await press(page, 'Escape');
    const box = await boxOf(page.locator('.surface'));
    await page.mouse.click(box.x + 400, box.y + 100, {button: 'right'});
    await page.getByRole('menuitem', {name: /Expand or collapse the thread/}).click();
    await resolved(page);
    assert.match(await state(page), /expanded=7(&|$)/);
    await press(page, '1');
    await page.getByRole('button', {name: 'Threads'}).click();
    assert.equal(await all.count(), 0, 'only a flame chart has rows of threads');
    await finish(page, assert);
});

test('a search that goes into rows that are hidden shows them', async () => {
    const page = await open(page_of_deep_threads);
    await press(page, '2', '/');
    await page.keyboard.type('f55');
    await press(page, 'Enter', 'Escape', 'n');
    await resolved(page);
    assert.match(await state(page), /expanded=7(&|$)/);
    assert.match(await words(page, '.panel'), /f55/);
    await finish(page, assert);
});
