// page.mjs - what the tests of the viewer share: its page of one file, its parts as a person finds them,
// and where in the picture a frame is.

import {browser, close as closeBrowser} from './browser.mjs';
import {removeFolder} from './made.mjs';

export * from './made.mjs';

export async function close() {
    await closeBrowser();
    removeFolder();
}

// The readers of a page of one file are loaded in a worker: whatever a person does, the viewer has what it needs without
// them.
function watchModules() {
    WebAssembly.Module = new Proxy(WebAssembly.Module, {construct(made, [bytes]) {
        if (bytes.byteLength > 10000) setTimeout(() => { throw new Error('the viewer needs a function of the readers'); });
        return Reflect.construct(made, [bytes]);
    }});
}

// A page that fails the test when a script does, and knows what it asked the network for.
export async function open(html, {hash = '', url = 'file://' + html, width = 1200, height = 700,
    motion = 'reduce', before = () => {}, ...options} = {}) {
    const context = await browser.newContext({viewport: {width, height}, reducedMotion: motion,
        ...options});
    const page = await context.newPage();
    page.failures = [];
    page.requests = [];
    page.on('pageerror', error => page.failures.push(String(error.stack)));
    page.on('console', message => message.type() === 'error' && page.failures.push(message.text()));
    page.on('request', request => /^https?:/.test(request.url()) && page.requests.push(request.url()));
    await page.addInitScript(watchModules);
    await before(page);
    await page.goto(url + hash);
    await page.waitForSelector('.stage[data-settled=true], .state:not([hidden]), .code:not([hidden]) .code-bar');
    await resolved(page);
    return page;
}

// Where something that is seen is: on a busy machine it may not be drawn yet.
export async function boxOf(locator) {
    await locator.waitFor({state: 'visible'});
    return locator.boundingBox();
}

// Two frames, and what comes to rest after them. On a busy machine they take longer than the time that is waited.
export async function resolved(page) {
    await page.waitForTimeout(280);
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.waitForFunction(() => {
        const stage = document.querySelector('.stage');
        if (document.querySelector('.state:not([hidden]) progress')) return false; // a file is being read
        return !stage.dataset.settled || stage.dataset.settled === 'true';
    });
}

const MINIMAP = 48, ROW = 19, MARGIN = 8;

// Where a place of the whole view is on the screen: `at` of its width, in a row.
export async function spot(page, {level, at}) {
    const box = await boxOf(page.locator('.stage'));
    return {x: box.x + MARGIN + at * (box.width - 2 * MARGIN),
        y: box.y + MINIMAP + level * ROW + ROW / 2};
}

export async function hover(page, frame) {
    const {x, y} = await spot(page, frame);
    await page.mouse.move(x, y);
    await resolved(page);
}

// Selects.
export async function click(page, frame) {
    const {x, y} = await spot(page, frame);
    await page.mouse.click(x, y);
    await page.waitForTimeout(450);
    await resolved(page);
}

// Zooms.
export async function doubleClick(page, frame) {
    const {x, y} = await spot(page, frame);
    await page.mouse.dblclick(x, y);
    await page.waitForTimeout(450);
    await resolved(page);
}

// The name of the frame at a position, from the tooltip; null if there is none.
export async function nameAt(page, frame) {
    await page.mouse.move(2, 2);
    await hover(page, frame);
    const tooltip = page.locator('.tooltip');
    return await tooltip.isVisible() ? tooltip.locator('b').first().textContent() : null;
}

export async function press(page, ...keys) {
    for (const key of keys) await page.keyboard.press(key);
    await resolved(page);
}

// The heading of the panel, or null.
export async function selected(page) {
    const heading = page.locator('.panel h2');
    return await heading.isVisible() ? heading.textContent() : null;
}

export function words(page, selector) {
    return page.locator(selector).first().innerText().then(text => text.replace(/\s+/g, ' ').trim());
}

// The last announcement for screen readers, when nothing more happens.
export async function heard(page) {
    await page.waitForTimeout(400);
    return page.locator('[aria-live=polite]').first().textContent();
}

// All colors of the picture: how many pixels have each.
export function colors(page) {
    return page.evaluate(() => {
        const {width, height} = document.querySelector('.stage canvas');
        const {data} = document.querySelector('.stage canvas').getContext('2d')
            .getImageData(0, 0, width, height);
        const counts = {};
        for (let i = 0; i < data.length; i += 4) {
            const color = `${data[i]},${data[i + 1]},${data[i + 2]}`;
            counts[color] = (counts[color] || 0) + 1;
        }
        return counts;
    });
}

// It is written when the picture has come to rest.
export async function hashOf(page) {
    await page.waitForTimeout(400);
    return page.evaluate(() => location.hash.slice(1));
}

export async function finish(page, assert, {network = 0} = {}) {
    assert.deepEqual(page.failures, []);
    assert.equal(page.requests.length, network, page.requests.join(' '));
    await page.context().close();
}
