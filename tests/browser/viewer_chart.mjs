// viewer_chart.mjs - the flame chart: time as a person selects it and looks at it.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {axeSource} from './browser.mjs';
import {boxOf, close, finish, open, pageOf, press, resolved, words} from './page.mjs';

after(close);

// 1 s of two threads, a sample every 10 ms: the second one runs in the second half.
function samples() {
    let text = '';
    for (let ms = 0; ms < 1000; ms += 10)
        for (const thread of ms < 500 ? [7] : [7, 9])
            text += `app 7/${thread} ${(100 + ms / 1000).toFixed(6)}: 10000000 cpu-clock:\n` +
                `\t1000 ${ms < 500 ? 'early' : 'late'} (/bin/app)\n\t2000 main (/bin/app)\n\n`;
    return text;
}
const page_of_threads = pageOf(samples());
const state = page => page.evaluate(() => decodeURIComponent(location.hash));

async function drag(page, from, to, y) {
    await page.mouse.move(from, y);
    await page.mouse.down();
    await page.mouse.move((from + to) / 2, y);
    await page.mouse.move(to, y);
    await page.mouse.up();
    await resolved(page);
}

const surface = async page => boxOf(page.locator('.surface'));

test('a range that is dragged in the overview is the axis of the chart', async () => {
    const page = await open(page_of_threads, {width: 1200, height: 700});
    const box = await surface(page);
    await drag(page, box.x + box.width * 0.25, box.x + box.width * 0.75, box.y + 10);
    assert.match(await words(page, '.chip'), /time 2\d\d ms to 7\d\d ms/);
    await press(page, '2');
    await resolved(page);
    assert.doesNotMatch(await state(page), /x=/, 'all of the selected time is seen');
    await page.mouse.move(box.x + box.width / 2, box.y + 120);
    await resolved(page);
    const tooltip = await page.locator('.tooltip').innerText();
    assert.match(tooltip, /time\s+\d+(\.\d+)? ms – \d+(\.\d+)? ms/);
    assert.match(tooltip, /thread\s+app 7/);
    await finish(page, assert);
});

test('only the visible time is selected, once', async () => {
    const page = await open(page_of_threads, {width: 1200, height: 700});
    await press(page, '2', '+', '+', '+');
    await resolved(page);
    assert.match(await state(page), /x=/);
    await press(page, 'z');
    await resolved(page);
    assert.match(await state(page), /apply=time:/);
    assert.doesNotMatch(await state(page), /[#&]x=/, 'what was seen is all');
    const before = await state(page);
    await press(page, 'z');
    await resolved(page);
    assert.equal(await state(page), before, 'it has been selected');
    await press(page, 'Z');
    await resolved(page);
    assert.doesNotMatch(await state(page), /time:|[#&]x=/);
    await finish(page, assert);
});

test('a panel tells when, and whose it is', async () => {
    const page = await open(page_of_threads, {width: 1200, height: 700});
    await press(page, '2');
    const box = await surface(page);
    await page.mouse.click(box.x + 300, box.y + 95);
    await resolved(page);
    const panel = await page.locator('.panel').innerText();
    assert.match(panel, /time\s*0\.\d+ s – 1\.\d+ s/);
    assert.match(panel, /thread\s*app 7/);
    assert.match(panel, /duration\s*\d/);
    await finish(page, assert);
});

for (const colorScheme of ['light', 'dark'])
    test(`nobody is shut out of the chart, ${colorScheme}`, async () => {
        const page = await open(page_of_threads, {width: 1200, height: 700, colorScheme});
        await press(page, '2');
        await resolved(page);
        await page.evaluate(axeSource);
        const {violations} = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
            .map(({id}) => id), []);
        await finish(page, assert);
    });
