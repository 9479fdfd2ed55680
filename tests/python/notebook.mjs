// notebook.mjs - the notebook that notebook.sh executed, as a page: PAGE.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {browser, close} from '../browser/browser.mjs';

let page;
const errors = [], requests = [];
before(async () => {
    page = await (await browser.newContext({viewport: {width: 1366, height: 2600}})).newPage();
    page.on('pageerror', error => errors.push(error.message));
    page.on('request', request => requests.push(request.url()));
    await page.goto(pathToFileURL(process.env.PAGE).href);
});
after(close);

// The text that a viewer shows, once it shows a profile.
async function shown(frame) {
    await frame.locator('canvas').first().waitFor();
    await page.waitForTimeout(500);
    return frame.locator('body').innerText();
}

test('each profile shows itself in a frame', async () => {
    assert.equal(await page.locator('iframe').count(), 3);
    const own = await shown(page.frameLocator('iframe[title="app.folded"]'));
    assert.match(own, /52/);
    const compared = await shown(page.frameLocator('iframe[title="app.folded and new.folded"]'));
    assert.match(compared, /new\.folded/);
    if (process.env.SCREENSHOT)
        await page.screenshot({path: process.env.SCREENSHOT, fullPage: true});
});

test('a cell was recorded', async () => {
    const frame = page.frameLocator('iframe[title="recording"]');
    assert.match(await shown(frame), /cpu-clock|cycles/);
    await frame.locator('.surface').click({position: {x: 300, y: 60}});
});

test('reports are tables', async () => {
    const cells = await page.locator('table td').allInnerTexts();
    assert.ok(cells.some(text => text.includes('read')), cells.join());
});

test('no frame reports an error or asks for anything but itself', () => {
    assert.deepEqual(errors, []);
    const ours = requests.filter(url => !/^(blob|data|about|file):/.test(url));
    // The template of nbconvert has MathJax and require.js from elsewhere.
    assert.deepEqual(ours.filter(url => !/mathjax|require/i.test(url)), []);
});
