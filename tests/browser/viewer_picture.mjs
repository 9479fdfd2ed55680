// viewer_picture.mjs - the picture: looking, moving, and going from frame to frame.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {browser} from './browser.mjs';
import {ALL, IDLE, LEX, MAIN, PARSE, READ, SMALL, WRITE, click, close, colors, doubleClick, file, finish,
    hashOf, hover, nameAt, open, pageOf, press, selected, resolved, spot, words} from './page.mjs';

after(close);
const small = pageOf(SMALL);

test('the picture is there without any click, and nothing is fetched', async () => {
    const page = await open(small);
    const tones = Object.values(await colors(page)).filter(count => count > 2000);
    assert.ok(tones.length >= 5, `${tones.length} tones`);
    for (const [name, frame] of Object.entries({main: MAIN, idle: IDLE, parse: PARSE, lex: LEX,
        read: READ, write: WRITE}))
        assert.equal(await nameAt(page, frame), name);
    assert.equal(await page.locator('.panel').isVisible(), false);
    await finish(page, assert);
});

test('the tooltip has total and self, and names what the percentages are of', async () => {
    const page = await open(small);
    await hover(page, PARSE);
    const tooltip = await words(page, '.tooltip');
    assert.match(tooltip, /^parse/);
    assert.match(tooltip, /total.*40.*40(\.0)? %.*of total/);
    assert.match(tooltip, /self.*0/);
    await finish(page, assert);
});

test('a click selects and opens the panel, a second one zooms and keeps the ancestors', async () => {
    const page = await open(small);
    await click(page, PARSE);
    assert.equal(await selected(page), 'parse');
    assert.equal(await nameAt(page, IDLE), 'idle');
    await doubleClick(page, PARSE);
    assert.equal(await nameAt(page, {level: 1, at: 0.02}), 'main');
    assert.equal(await nameAt(page, {level: 2, at: 0.98}), 'parse');
    assert.match(await hashOf(page), /zoom=/);
    await finish(page, assert);
});

test('a double click zooms where it was, although a panel opens next to the picture', async () => {
    const page = await open(small);
    await doubleClick(page, READ);
    assert.equal(await selected(page), 'read');
    assert.equal(await nameAt(page, {level: 3, at: 0.02}), 'read');
    assert.equal(await nameAt(page, {level: 3, at: 0.98}), 'read');
    await finish(page, assert);
});

test('escape closes the panel, and leaves the zoom: back takes that back', async () => {
    const page = await open(small);
    await doubleClick(page, PARSE);
    await press(page, 'Escape');
    assert.equal(await selected(page), null);
    for (let i = 0; i < 4; i++) await press(page, 'Escape');
    assert.equal(await nameAt(page, {level: 2, at: 0.02}), 'parse');
    await press(page, 'Backspace');
    assert.equal(await nameAt(page, IDLE), 'idle');
    await finish(page, assert);
});

test('the wheel zooms at the pointer: what is under it stays', async () => {
    const page = await open(small);
    await hover(page, LEX);
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -100);
    await resolved(page);
    assert.equal(await words(page, '.tooltip b'), 'lex');
    assert.equal(await nameAt(page, {level: 1, at: 0.02}), 'main');
    for (let i = 0; i < 20; i++) await page.mouse.wheel(0, 100);
    assert.equal(await nameAt(page, IDLE), 'idle');
    await finish(page, assert);
});

test('a drag moves the view', async () => {
    const page = await open(small);
    await hover(page, {level: 2, at: 0.5});
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -100);
    await resolved(page);
    const was = await nameAt(page, {level: 2, at: 0.95});
    assert.equal(was, 'write');
    const from = await spot(page, {level: 6, at: 0.2}), to = await spot(page, {level: 6, at: 0.9});
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, {steps: 5});
    await page.mouse.up();
    assert.equal(await nameAt(page, {level: 2, at: 0.95}), 'parse');
    assert.equal(await selected(page), null);
    await finish(page, assert);
});

test('a range drawn in the minimap is zoomed to', async () => {
    const page = await open(small);
    const from = await spot(page, {level: 0, at: 0.02}), to = await spot(page, {level: 0, at: 0.12});
    await page.mouse.move(from.x, from.y - 30);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y - 30, {steps: 5});
    await page.mouse.up();
    await resolved(page);
    assert.equal(await nameAt(page, {level: 1, at: 0.02}), 'idle');
    assert.equal(await nameAt(page, {level: 1, at: 0.98}), 'idle');
    await press(page, '0');
    assert.equal(await nameAt(page, WRITE), 'write');
    await finish(page, assert);
});

test('arrows walk from frame to frame, enter zooms, backspace goes back', async () => {
    const page = await open(small);
    await page.locator('.surface').focus();
    await press(page, 'ArrowDown', 'ArrowDown');
    const first = await selected(page);
    assert.ok(['parse', 'write'].includes(first), first);
    await press(page, 'ArrowUp');
    assert.equal(await selected(page), 'main');
    await press(page, 'ArrowLeft');
    assert.equal(await selected(page), 'idle');
    await press(page, 'Enter');
    assert.equal(await nameAt(page, {level: 1, at: 0.98}), 'idle');
    await press(page, 'Backspace');
    assert.equal(await nameAt(page, WRITE), 'write');
    await finish(page, assert);
});

test('back and forward are buttons, and the browser\'s are the same', async () => {
    const page = await open(small);
    await doubleClick(page, PARSE);
    await page.goBack();
    await resolved(page);
    assert.equal(await nameAt(page, IDLE), 'idle');
    await page.goForward();
    await resolved(page);
    assert.notEqual(await nameAt(page, IDLE), 'idle');
    await page.getByRole('button', {name: 'Back', exact: true}).click();
    await resolved(page);
    assert.equal(await nameAt(page, IDLE), 'idle');
    await finish(page, assert);
});

test('a zoom moves, unless the reader wants no motion', async () => {
    for (const [motion, moves] of [['no-preference', true], ['reduce', false]]) {
        const page = await open(small, {motion});
        const seen = await page.evaluate(async () => {
            const surface = document.querySelector('.surface'), box = surface.getBoundingClientRect();
            const canvas = document.querySelector('.stage canvas');
            const pictures = new Set(), context = canvas.getContext('2d');
            const look = () => {
                const {data} = context.getImageData(0, 48 + 60, canvas.width, 2);
                let sum = 0;
                for (let i = 0; i < data.length; i += 4) sum = (sum * 31 + data[i]) | 0;
                pictures.add(sum);
            };
            const at = {clientX: box.left + 200, clientY: box.top + 48 + 2 * 19 + 9, pointerId: 1,
                bubbles: true, isPrimary: true};
            surface.setPointerCapture = () => {};
            /* A clock that advances 16 ms a frame: on a busy machine the animation would be over
             * before its second picture. */
            let clock = performance.now();
            performance.now = () => clock;
            for (let i = 0; i < 2; i++) {
                surface.dispatchEvent(new PointerEvent('pointerdown', at));
                surface.dispatchEvent(new PointerEvent('pointerup', at));
            }
            for (let i = 0; i < 20; i++) {
                await new Promise(resolve => requestAnimationFrame(resolve));
                look();
                clock += 16;
            }
            return pictures.size;
        });
        assert.equal(seen > 3, moves, `${seen} pictures, motion: ${motion}`);
        await finish(page, assert);
    }
});

test('the root is at the top or at the bottom, and the leaves may be first', async () => {
    const page = await open(small);
    await press(page, 'i');
    assert.notEqual(await nameAt(page, ALL), 'all');
    await press(page, 'i', 'Shift+I');
    await resolved(page);
    const inverted = await nameAt(page, {level: 1, at: 0.3});
    assert.ok(['read', 'write', 'idle'].includes(inverted), inverted);
    await finish(page, assert);
});

test('a finger selects, two fingers zoom, a long press opens the menu', async () => {
    const page = await open(small, {width: 390, height: 780, hasTouch: true, isMobile: true});
    const client = await page.context().newCDPSession(page);
    const touch = (type, ...points) => client.send('Input.dispatchTouchEvent',
        {type, touchPoints: points.map(({x, y}, id) => ({x, y, id}))});
    const at = await spot(page, WRITE);
    await touch('touchStart', at);
    await touch('touchEnd');
    await page.locator('.panel h2').waitFor();
    await resolved(page);
    assert.equal(await selected(page), 'write');
    const left = await spot(page, {level: 2, at: 0.6}), right = await spot(page, {level: 2, at: 0.7});
    await touch('touchStart', left, right);
    for (let i = 1; i <= 10; i++)
        await touch('touchMove', {x: left.x - 12 * i, y: left.y}, {x: right.x + 9 * i, y: right.y});
    await touch('touchEnd');
    await resolved(page);
    const middle = await spot(page, {level: 1, at: 0.03});
    await touch('touchStart', middle);
    await page.waitForTimeout(700);
    assert.equal(await selected(page), 'main');
    const menu = page.getByRole('menu', {name: 'main'});
    assert.ok(await menu.isVisible());
    await touch('touchEnd');
    await resolved(page);
    assert.ok(await menu.isVisible());
    await finish(page, assert);
});

test('a comparison has its changes leaf first and in a sandwich, with their signs', async () => {
    const before = file('before.folded', 'main;less;read 90\nmain;more;read 10\n');
    const html = pageOf('main;less;read 10\nmain;more;read 90\n', '--base', before);
    for (const [hash, level] of [['#view=compare&invert=1', 2], ['#view=sandwich&of=read', 1]]) {
        const page = await open(html, {hash});
        // 40 px of words about the comparison are above the stage; `less` is before `more`.
        await hover(page, {level, at: 0.25});
        const tooltip = await words(page, '.tooltip');
        assert.match(tooltip, /^less total after 10 /);
        assert.match(tooltip, /90 samples before, 10 samples after: -80 samples \(-88.9 %\)/);
        const tones = await colors(page);
        assert.ok(tones['77,172,246'] > 2000 && tones['234,135,81'] > 2000, JSON.stringify(tones));
        await finish(page, assert);
    }
});

test('each half of a sandwich is zoomed by itself', async () => {
    const page = await open(pageOf('m;a;f;x 50\nm;b;f;y 50\n'), {hash: '#view=sandwich&of=f'});
    const a = {level: 1, at: 0.45}, y = {level: 3, at: 0.55};
    assert.equal(await nameAt(page, a), 'a');
    assert.equal(await nameAt(page, y), 'y');
    await doubleClick(page, {level: 1, at: 0.75}); // b
    assert.equal(await nameAt(page, a), 'b');
    assert.equal(await nameAt(page, {level: 3, at: 0.45}), 'x');
    await finish(page, assert);
});

test('letters are drawn before they are needed: what a zoom brings up needs none', async () => {
    const page = await open(pageOf('main;wide 1000\nmain;~QZJXK{0987} 1\n'));
    await page.evaluate(() => new Promise(done => requestIdleCallback(() => setTimeout(done, 100))));
    await page.evaluate(() => {
        const {prototype} = CanvasRenderingContext2D, {fillText} = prototype;
        window.drawn = [];
        prototype.fillText = function (...rest) {
            window.drawn.push(rest[0]);
            fillText.apply(this, rest);
        };
    });
    const {y} = await spot(page, {level: 2, at: 0});
    await page.mouse.move(page.viewportSize().width - 9, y);
    for (let i = 0; i < 60; i++) await page.mouse.wheel(0, -200);
    await resolved(page);
    assert.equal(await nameAt(page, {level: 2, at: 0.9}), '~QZJXK{0987}');
    assert.deepEqual(await page.evaluate(() => window.drawn), []);
    await finish(page, assert);
});

// ---- Before the viewer has started, and where no script runs -------------------------------------

const POINTS = [{level: 0, at: 0.5}, {level: 1, at: 0.1}, {level: 1, at: 0.9}, {level: 2, at: 0.5},
    {level: 2, at: 0.9}, {level: 3, at: 0.22}, {level: 3, at: 0.5}, {level: 4, at: 0.22}, {level: 5, at: 0.5}];

// A page whose viewer never gets its module, so that what is there before stays.
async function held(html, {hash = '', ...options} = {}) {
    const context = await browser.newContext({viewport: {width: 1200, height: 700}, ...options});
    const page = await context.newPage();
    await page.addInitScript(() => { WebAssembly.compileStreaming = () => new Promise(() => {}); });
    await page.goto(`file://${html}${hash}`);
    return page;
}
const firstNames = page => page.locator('#flamel-first text').allTextContents();

// The colors of a screenshot at some places, which a page that may show images decodes.
async function colorsAt(page, shot, places) {
    return page.evaluate(async ([bytes, places]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${bytes}`;
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height});
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return places.map(({x, y}) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].join());
    }, [shot.toString('base64'), places]);
}

for (const colorScheme of ['light', 'dark'])
    test(`the first picture has the boxes of the viewer, where they will be, ${colorScheme}`, async () => {
        const first = await held(small, {colorScheme}), page = await open(small, {colorScheme});
        await page.mouse.move(2, 2);
        const places = await Promise.all(POINTS.map(point => spot(page, point)));
        const [there, now] = [await first.screenshot(), await page.screenshot()];
        const expected = await colorsAt(page, now, places);
        assert.deepEqual(await colorsAt(page, there, places), expected);
        assert.ok(new Set(expected).size >= 5, expected.join(' '));
        assert.deepEqual(await firstNames(first), ['all, 100 samples', 'idle', 'main', 'parse', 'write', 'lex', 'read', 'read']);
        const label = await first.locator('#flamel-first text', {hasText: 'write'}).boundingBox();
        const left = await spot(page, {level: 2, at: 0.55}); // where its box begins
        assert.ok(Math.abs(label.x - left.x - 4) < 2 && Math.abs(label.y + label.height / 2 - left.y) < 4,
            JSON.stringify([label, left]));
        assert.deepEqual(await firstNames(page), []); // it goes when the viewer has drawn
        await first.context().close();
        await finish(page, assert);
    });

test('the first picture of a comparison stands where the viewer has it', async () => {
    const html = pageOf(SMALL, '--base', file('first_base.folded', 'main;parse;read 60\nmain;write 20\nidle 20\n'));
    for (const width of [390, 1200, 1920]) {
        const viewport = {width, height: 700}, first = await held(html, {viewport}), page = await open(html, viewport);
        const all = await first.locator('#flamel-first svg svg').first().boundingBox(), now = await spot(page, ALL);
        assert.ok(Math.abs(all.y + all.height / 2 - now.y) < 6, `${width}: ${all.y + all.height / 2}, ${now.y}`);
        await first.context().close();
        await finish(page, assert);
    }
});

test('a page with a state in its address waits for its viewer', async () => {
    const page = await held(small, {hash: '#view=sandwich'});
    await page.locator('#flamel-first').waitFor({state: 'detached'});
    await page.context().close();
});

test('the theme that was chosen is that of the first picture', async () => {
    for (const [chosen, colorScheme] of [['dark', 'light'], ['light', 'dark']]) {
        const page = await held(small, {colorScheme});
        await page.evaluate(chosen => localStorage.setItem('flamel-theme', chosen), chosen);
        await page.reload();
        await page.locator(`#flamel-first.${chosen}`).waitFor();
        const ink = await page.locator('#flamel-first path').first().evaluate(path => getComputedStyle(path).fill ===
            (path.ownerDocument.querySelector('#flamel-first.dark') ? getComputedStyle(path).color : 'rgb(238, 237, 234)'));
        assert.ok(ink);
        await page.context().close();
    }
});

test('without scripts the picture stays, below a sentence that says so', async () => {
    const context = await browser.newContext({javaScriptEnabled: false, viewport: {width: 390, height: 844}});
    const page = await context.newPage();
    await page.goto(`file://${small}`);
    const sentence = await page.locator('noscript').boundingBox();
    const all = await page.locator('#flamel-first svg svg', {hasText: 'all, 100'}).boundingBox();
    assert.ok(all.y >= sentence.y + sentence.height && all.y < 300, `${all.y}`);
    assert.match(await page.locator('noscript').innerText(), /flamel report/);
    assert.equal(await page.getByRole('img', {name: /^Flame graph of in1.folded$/}).count(), 1);
    await context.close();
});
