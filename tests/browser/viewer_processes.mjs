// viewer_processes.mjs - processes of the flame chart, collapsed to a row each and opened again.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {boxOf, close, finish, open, pageOf, press, resolved, words} from './page.mjs';

after(close);

// Process 7 has two threads, process 20 one.
function samples() {
    let text = '';
    for (let ms = 0; ms < 500; ms += 10)
        for (const [name, process, thread] of [['app', 7, 7], ['app', 7, 9], ['other', 20, 20]])
            text += `${name} ${process}/${thread} ${(100 + (ms + process) / 1000).toFixed(6)}: 10000000 cpu-clock:\n` +
                `\t1000 work${thread} (/bin/app)\n\t2000 main (/bin/app)\n\n`;
    return text;
}
const page_of_processes = pageOf(samples());
const state = page => page.evaluate(() => decodeURIComponent(location.hash));

// The first row below the ruler is the heading of the first process.
const HEADING = 69;

async function clickHeading(page) {
    const box = await boxOf(page.locator('.surface'));
    await page.mouse.click(box.x + 60, box.y + HEADING);
    await resolved(page);
}

test('a click on the heading of a process collapses it, and the address has it', async () => {
    const page = await open(page_of_processes);
    await press(page, '2');
    await resolved(page);
    const drawn = async () => (await words(page, '.status .facts')).match(/drawn ([\d,]+)/)[1];
    const before = await drawn();
    await clickHeading(page);
    assert.match(await state(page), /collapsed=7(&|$)/);
    assert.notEqual(await drawn(), before);
    const again = await open(page_of_processes, {hash: await page.evaluate(() => location.hash)});
    await resolved(again);
    await clickHeading(again);
    assert.doesNotMatch(await state(again), /collapsed/);
    await finish(again, assert);
    await page.goBack();
    await resolved(page);
    assert.doesNotMatch(await state(page), /collapsed/);
    await finish(page, assert);
});

test('keys, the palette and the menu of threads do the same', async () => {
    const page = await open(page_of_processes);
    await press(page, '2', 'P');
    await resolved(page);
    assert.match(await state(page), /collapsed=7(&|$)/);
    await press(page, 'P');
    await resolved(page);
    assert.doesNotMatch(await state(page), /collapsed/);
    await page.getByRole('button', {name: 'Threads'}).click();
    const all = page.getByRole('button', {name: 'Collapse processes'});
    assert.equal(await all.getAttribute('aria-pressed'), 'false');
    await all.click();
    await resolved(page);
    assert.equal(await all.getAttribute('aria-pressed'), 'true');
    assert.match(await state(page), /collapsed=7(&|$)/);
    await press(page, 'Escape', '1');
    await resolved(page);
    await page.getByRole('button', {name: 'Threads'}).click();
    assert.equal(await all.count(), 0, 'only a flame chart has processes');
    await finish(page, assert);
});
