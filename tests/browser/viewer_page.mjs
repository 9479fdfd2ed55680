// viewer_page.mjs - the page around the picture: files that come into it, addresses, frames of others'
// pages, people with other eyes and hands, and the viewer as an element.

import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {after, test} from 'node:test';
import {axeSource, browser} from './browser.mjs';
import {IDLE, MAIN, PARSE, SMALL, WRITE, boxOf, click, close, colors, converted, doubleClick, file, finish, hashOf,
    heard, nameAt, open, pageOf, press, selected, resolved, spot, words} from './page.mjs';

const server = createServer((request, response) => {
    const where = served.get(new URL(request.url, 'http://x').pathname);
    response.writeHead(where ? 200 : 404, where ? where.headers : {});
    response.end(where ? where.body : '');
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const served = new Map();
function serve(name, type, body, headers = {}) {
    served.set('/' + name, {body, headers: {'content-type': type, ...headers}});
}
after(async () => {
    await close();
    server.close();
});

const small = pageOf(SMALL);

// ---- Addresses ----------------------------------------------------------------------------------

test('a reload shows what was seen', async () => {
    const page = await open(small);
    await doubleClick(page, PARSE);
    await press(page, '/');
    await page.keyboard.type('lex');
    await page.waitForTimeout(400);
    const hash = await hashOf(page);
    assert.match(hash, /zoom=.*search=|search=.*zoom=/);
    await page.reload();
    await resolved(page);
    assert.equal(await nameAt(page, {level: 2, at: 0.98}), 'parse');
    assert.equal(await page.getByLabel('Search', {exact: true}).inputValue(), 'lex');
    assert.equal(await hashOf(page), hash);
    await finish(page, assert);
});

test('an address that makes no sense shows what it can', async () => {
    const page = await open(small, {hash: '#view=nonsense&zoom=zz&search=%ff%00&x=1,2,3&apply=nothing:'});
    assert.equal(await nameAt(page, IDLE), 'idle');
    await finish(page, assert);
});

// ---- Pages that cannot start --------------------------------------------------------------------

// The message that a page shows in place of the viewer.
async function sentenceOf(html, before = () => {}) {
    const context = await browser.newContext(), page = await context.newPage();
    await page.addInitScript(before);
    await page.goto('file://' + html);
    await page.waitForSelector('.dead:not(noscript)');
    const sentence = await page.locator('.dead').innerText();
    await context.close();
    return sentence;
}

test('a browser that cannot inflate gets a sentence', async () => {
    assert.match(await sentenceOf(small, () => { delete window.DecompressionStream; }),
        /^This page unpacks itself with DecompressionStream, which this browser lacks/);
    assert.match(await sentenceOf(small, () => { delete window.WebAssembly; }),
        /^This page draws with WebAssembly, which this browser lacks or has switched off/);
});

test('a damaged page reports that it cannot start', async () => {
    for (const id of ['script', 'module']) {
        const html = readFileSync(small, 'utf8').replace(
            new RegExp(`(id="flamel-${id}"[^>]*>.{1000}).{400}`), '$1' + 'A'.repeat(400));
        assert.match(await sentenceOf(file(`damaged-${id}.html`, html)),
            /^The viewer cannot start: /);
    }
});

// ---- Files --------------------------------------------------------------------------------------

async function drop(page, name, text, {shift = false} = {}) {
    const data = await page.evaluateHandle(([name, bytes]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(bytes)], name));
        return transfer;
    }, [name, Array.from(Buffer.from(text))]);
    for (const type of ['dragenter', 'dragover', 'drop'])
        await page.locator('.flamel').evaluate((element, [type, dataTransfer, shiftKey]) =>
            element.dispatchEvent(new DragEvent(type, {dataTransfer, shiftKey, bubbles: true,
                cancelable: true})), [type, data, shift]);
    await page.waitForTimeout(600);
    await resolved(page);
}

test('a file that is dropped on the page is shown', async () => {
    const page = await open(small);
    await drop(page, 'other.folded', 'one;two 3\none;three 1\n');
    assert.equal(await nameAt(page, MAIN), 'one');
    assert.equal(await nameAt(page, {level: 2, at: 0.9}), 'two');
    assert.match(await words(page, '.tools'), /other\.folded/);
    await finish(page, assert);
});

test('every format that a page of one file reads can be dropped', async () => {
    const page = await open(small);
    const flm = readFileSync(converted('one;two 3\none;three 1\n', 'flm'));
    const html = readFileSync(pageOf('one;two 3\none;three 1\n'));
    for (const [name, bytes] of [['a.flm', flm], ['a.html', html], ['a.folded', 'one;two 3\n']]) {
        await drop(page, 'empty.folded', 'nothing 1\n');
        await drop(page, name, bytes);
        assert.equal(await nameAt(page, {level: 1, at: 0.4}), 'one', name);
    }
    await finish(page, assert);
});

test('samples over time are a chart with a strip for each thread, and threads are chosen', async () => {
    const sample = (thread, at, name) => `app 7/${thread} [000] ${at}: 1000000 cpu-clock:\n` +
        `\t1234 ${name}+0x1 (/bin/app)\n\t1235 main+0x1 (/bin/app)\n\n`;
    const page = await open(small);
    const perf = Array.from({length: 20}, (_, i) => sample(7, `1.${100 + i}`, 'first') +
        sample(8, `1.${100 + i}`, 'second')).join('');
    await drop(page, 'times.flm', readFileSync(converted(perf, 'flm')));
    await press(page, '2');
    assert.match(await hashOf(page), /view=chart/);
    await page.getByRole('button', {name: 'Threads', exact: true}).click();
    const threads = page.getByRole('dialog', {name: 'Time and threads'}).getByRole('listitem');
    assert.equal(await threads.count(), 2);
    await threads.filter({hasText: '8'}).getByRole('button', {name: /^Only/}).click();
    await resolved(page);
    await page.keyboard.press('Escape');
    await press(page, '5');
    const names = await page.locator('.table-top .row .name').allInnerTexts();
    assert.ok(names.includes('second') && !names.includes('first'), names.join(' '));
    await finish(page, assert);
});

// Threads of a recording: perf's own, as text.
function recording() {
    return pageOf(readFileSync('tests/data/perf_script/processes.txt', 'utf8'));
}

test('the threads of a recording are a list with their totals, which switches them on and off', async () => {
    const page = await open(recording(), {width: 390, height: 780});
    await page.getByRole('button', {name: 'Threads', exact: true}).click();
    const dialog = page.getByRole('dialog', {name: 'Time and threads'});
    assert.match(await dialog.locator('h3').first().textContent(), /^Time: all of \d/);
    const first = dialog.getByRole('listitem').first().getByRole('button').first();
    assert.match(await first.textContent(), /\d.* · \d.* %$/);
    const timeline = dialog.getByRole('button', {name: 'In the timeline'});
    await timeline.click();
    await resolved(page);
    assert.equal(await timeline.getAttribute('aria-pressed'), 'true');
    await first.click();
    await resolved(page);
    assert.equal(await first.getAttribute('aria-pressed'), 'true');
    assert.ok(await first.evaluate(one => one === document.activeElement), 'the focus stays');
    const chip = page.locator('[aria-label=Transforms] .chip');
    assert.doesNotMatch(await chip.innerText(), /label|:|=/);
    await dialog.getByRole('button', {name: 'All', exact: true}).click();
    await resolved(page);
    assert.equal(await chip.count(), 0);
    assert.match(await hashOf(page), /tracks=1/);
    await finish(page, assert);
});

test('a time is selected with a finger, said in words, and taken back', async () => {
    const page = await open(recording(), {hasTouch: true});
    const box = await boxOf(page.locator('.stage'));
    await page.locator('.surface').evaluate((surface, {x, y, width}) => {
        for (const [type, at] of [['down', 0.3], ['move', 0.4], ['move', 0.7], ['up', 0.7]])
            surface.dispatchEvent(new PointerEvent(`pointer${type}`, {pointerType: 'touch', pointerId: 1,
                isPrimary: true, clientX: x + width * at, clientY: y + 12, bubbles: true, cancelable: true}));
    }, box);
    await resolved(page);
    const chip = page.locator('[aria-label=Transforms] .chip');
    assert.match(await chip.innerText(), /^time [\d.]+ \w+ to [\d.]+ \w+/);
    assert.match(await heard(page), /^time .* to .*: .* in \d/);
    await page.getByRole('button', {name: 'Threads', exact: true}).click();
    await page.getByRole('button', {name: 'Whole recording'}).click();
    await resolved(page);
    assert.equal(await chip.count(), 0);
    await page.getByRole('button', {name: /Time range/}).click();
    await page.keyboard.type('1ms..2ms');
    await press(page, 'Enter');
    assert.match(await chip.innerText(), /^time 1 ms to 2 ms/);
    await finish(page, assert);
});

test('a file that cannot be read is reported as by the command, and the page stays', async () => {
    const page = await open(small);
    await drop(page, 'broken.folded', 'main;parse\nnot a number\n');
    const state = page.locator('.state');
    assert.ok(await state.isVisible());
    assert.match(await state.innerText(), /broken\.folded: /);
    await page.getByRole('button', {name: 'Back to the open profile'}).click();
    assert.equal(await nameAt(page, IDLE), 'idle');
    await drop(page, 'good.folded', 'one 1\n');
    assert.equal(await nameAt(page, MAIN), 'one');
    await finish(page, assert);
});

test('a second file is compared with, when it is dropped with shift', async () => {
    const page = await open(small);
    await drop(page, 'before.folded', 'main;parse;read 60\nmain;write 20\nidle 20\n', {shift: true});
    await page.locator('.tools > .views').getByRole('button', {name: 'Comparison'}).click();
    await resolved(page);
    assert.match(await hashOf(page), /view=compare/);
    await click(page, PARSE);
    assert.match(await words(page, '.panel .figures'), /before after change/);
    assert.ok(await page.locator('.legend .swatch').count() >= 3);
    await finish(page, assert);
});

test('the legend of a comparison is whole, in narrow windows too', async () => {
    for (const width of [390, 1000, 1400]) {
        const page = await open(small, {width});
        await drop(page, 'before.folded', 'main;parse;read 60\nmain;write 20\nidle 20\n', {shift: true});
        await press(page, '6');
        const texts = await page.locator('.chip-row > .legend').innerText();
        for (const word of ['appeared', 'grown', 'same', 'shrunk', 'disappeared'])
            assert.ok(texts.includes(word), `${word} in ${texts}`);
        const room = await page.locator('.chip-row').boundingBox();
        for (const item of await page.locator('.chip-row > .legend > *').all()) {
            const {x, y, width: wide, height} = await item.boundingBox();
            assert.ok(x >= 0 && x + wide <= room.x + room.width + 1 && y >= room.y && y + height <= room.y + room.height + 1,
                `${await item.innerText()} is cut at ${width} px`);
        }
        // Other colors have their legend where they have it without a comparison.
        await press(page, '1');
        assert.equal(await page.locator('.chip-row > .legend > *').count(), 0);
        assert.ok(await page.locator('.status .legend .swatch').count() > 0);
        const row = await page.locator('.chip-row').boundingBox(), add = await page.locator('.chip-row .add').boundingBox();
        assert.ok(add.x + add.width <= row.x + row.width + 1, `"+ transform" is cut at ${width} px`);
        const {x: from, y: top, height: high} = await page.locator('.status .legend').boundingBox();
        for (const item of await page.locator('.status .legend-item').all()) {
            const {x, y} = await item.boundingBox();
            assert.ok(x >= from - 1 || y >= top + high, `a color of the status line is cut at ${width} px`);
        }
        await finish(page, assert);
    }
});

test('however narrow the page is, it shows whether a comparison is normalized', async () => {
    for (const width of [360, 390, 720, 1440]) {
        const page = await open(small, {width});
        await drop(page, 'before.folded', 'main;parse;read 60\nmain;write 20\nidle 20\n', {shift: true});
        await press(page, '6');
        const sentence = page.locator('.chips .summary');
        assert.match(await sentence.textContent(), /not normalized/);
        const place = await sentence.evaluate(one => {
            const range = document.createRange();
            range.selectNodeContents(one);
            const {left, right, bottom} = range.getBoundingClientRect();
            return {left, right, below: bottom - one.closest('.chips').getBoundingClientRect().bottom};
        });
        assert.ok(place.left >= 0 && place.right <= width && place.below <= 0, `${width}: ${place.right}`);
        await finish(page, assert);
    }
});

test('the bar at the top has room for all of its buttons, in one line each', async () => {
    for (const width of [360, 719, 839, 840, 1100, 1101, 1300, 1920]) {
        const page = await open(small, {width});
        const buttons = page.locator('.tools > button, .tools > .views > button, .tools .search');
        let shown = 0;
        for (const one of await buttons.all()) {
            const box = await one.isVisible() && await one.boundingBox();
            if (!box) continue;
            shown++;
            assert.ok(box.x >= 0 && box.x + box.width <= width, `${width}: ${box.x + box.width}`);
            assert.ok(box.height <= 32, `${width}: ${await one.textContent()} is ${box.height} px high`);
        }
        assert.ok(shown >= 2, `${width}: ${shown} buttons`);
        await finish(page, assert);
    }
});

test('a profile without stacks is reported', async () => {
    const page = await open(small);
    await drop(page, 'empty.folded', '');
    assert.ok((await words(page, '.state')).length > 10);
    await finish(page, assert);
});

// ---- Other pages --------------------------------------------------------------------------------

test('the page works inside a frame without permissions and with a strict policy', async () => {
    serve('inner.html', 'text/html', readFileSync(small));
    serve('outer.html', 'text/html', '<!DOCTYPE html><title>outer</title><iframe title="profile" ' +
        'src="inner.html" sandbox="allow-scripts" width="900" height="500"></iframe>',
    {'content-security-policy': "default-src 'none'; frame-src 'self'; style-src 'none'"});
    const page = await open(null, {url: origin + '/outer.html', before: page => {
        page.waitForSelector = () => page.frameLocator('iframe').locator('.stage[data-settled=true]')
            .waitFor();
        page.waitForFunction = async () => {};
    }});
    const frame = page.frameLocator('iframe');
    const box = await boxOf(frame.locator('.surface'));
    await page.mouse.click(box.x + box.width * 0.3, box.y + 48 + 2 * 19 + 9);
    await frame.locator('.panel h2').waitFor();
    assert.equal(await frame.locator('.panel h2').textContent(), 'parse');
    await page.keyboard.press('y');
    await page.waitForTimeout(300);
    assert.match(await frame.locator('.notice').textContent(), /copied|does not allow/);
    await finish(page, assert, {network: 2});
});

test('the page has a policy that lets nothing in, and breaks none of its rules', async () => {
    const page = await open(small, {before: page => page.addInitScript(() => {
        window.broken = [];
        document.addEventListener('securitypolicyviolation', event =>
            window.broken.push(event.violatedDirective + ' ' + event.blockedURI));
    })});
    await click(page, PARSE);
    await press(page, '?', 'Escape', 'Control+k', 'Escape', '5', '4', '1');
    assert.deepEqual(await page.evaluate(() => window.broken), []);
    const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /connect-src https: http:;/); // the address of a profile, if one is given
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/);
    await finish(page, assert);
});

// ---- Everyone -----------------------------------------------------------------------------------

async function violations(page) {
    // The page's policy is for what the page does; the checker comes from outside of it.
    await page.evaluate(axeSource);
    const {violations} = await page.evaluate(() => window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
        rules: {'page-has-heading-one': {enabled: false}},
    }));
    return violations.map(({id, nodes}) => `${id}: ${nodes.map(node => node.html.slice(0, 160)).join(' ')}`);
}

test('axe finds nothing wrong, in any state, light or dark, wide or narrow', async () => {
    for (const options of [{}, {colorScheme: 'dark'}, {width: 360, height: 640}]) {
        const page = await open(small, {...options, bypassCSP: true});
        assert.deepEqual(await violations(page), [], 'at first');
        await click(page, PARSE);
        await press(page, '/');
        await page.keyboard.type('re');
        await resolved(page);
        assert.deepEqual(await violations(page), [], 'selected and searched');
        await page.locator('.surface').focus();
        await press(page, '?');
        assert.deepEqual(await violations(page), [], 'keys');
        await press(page, 'Escape', 'Control+k');
        assert.deepEqual(await violations(page), [], 'palette');
        await press(page, 'Escape', '5');
        assert.deepEqual(await violations(page), [], 'functions');
        await press(page, '4');
        assert.deepEqual(await violations(page), [], 'tree');
        await page.getByRole('button', {name: 'More', exact: true}).click();
        assert.deepEqual(await violations(page), [], 'menu');
        await finish(page, assert);
    }
});

test('the picture is a tree for screen readers, which has the selection', async () => {
    const page = await open(small);
    const tree = page.getByRole('tree');
    await tree.focus();
    await press(page, 'ArrowDown', 'ArrowDown');
    const active = await tree.getAttribute('aria-activedescendant');
    const item = page.locator('#' + active);
    assert.match(await item.textContent(), /^(parse|write), 40.*self/);
    assert.equal(await item.getAttribute('aria-selected'), 'true');
    assert.equal(await item.getAttribute('aria-level'), '3');
    assert.equal(await item.getAttribute('aria-setsize'), '2');
    assert.match(await heard(page), /parse|write/);
    await finish(page, assert);
});

test('changes of view, search, transforms and zoom are announced', async () => {
    const page = await open(small);
    const said = () => heard(page);
    assert.match(await said(), /100 samples in 5 stacks/);
    await press(page, '5');
    assert.match(await said(), /^Top/);
    await press(page, '1', '/');
    await page.keyboard.type('re');
    await resolved(page);
    assert.match(await said(), /^re: 40(\.0)? % in 2 frames/);
    await page.keyboard.type('q');
    await resolved(page);
    assert.match(await said(), /^req: no match/);
    await press(page, 'Escape', 'Escape', 'x');
    await page.keyboard.type('drop:idle');
    await press(page, 'Enter');
    assert.match(await said(), /drop idle: 85 samples in 4 stacks/);
    await doubleClick(page, MAIN);
    await press(page, '+');
    assert.match(await said(), /zoomed in/);
    await press(page, '0');
    assert.match(await said(), /zoomed out/);
    const client = await page.context().newCDPSession(page);
    const {nodes} = await client.send('Accessibility.getFullAXTree');
    const log = nodes.find(node => node.role?.value === 'log');
    assert.equal(log.properties.find(({name}) => name === 'live').value.value, 'polite');
    await finish(page, assert);
});

test('the focus is always seen, and every control can be reached with the tabulator', async () => {
    const page = await open(small);
    await click(page, PARSE);
    const names = new Set();
    await page.locator('body').press('Tab');
    for (let i = 0; i < 60; i++) {
        const found = await page.evaluate(() => {
            const one = document.activeElement, style = getComputedStyle(one);
            const field = getComputedStyle(one.closest('.search') || one);
            return one === document.body ? null : {
                name: one.getAttribute('aria-label') || one.textContent.trim(),
                outline: parseFloat(style.outlineWidth) * (style.outlineStyle !== 'none') ||
                    parseFloat(field.outlineWidth) * (field.outlineStyle !== 'none'),
            };
        });
        if (found) {
            assert.ok(found.outline > 0, `no outline: ${found.name}`);
            names.add(found.name);
        }
        await page.keyboard.press('Tab');
    }
    for (const name of ['Sandwich', 'Top table', 'Search', 'More', 'Keys and help', 'Flame graph', 'Close the details'])
        assert.ok(names.has(name), `${name} in ${Array.from(names).join(', ')}`);
    await finish(page, assert);
});

test('dark, light and forced colors follow the system, while the page is open', async () => {
    const page = await open(small);
    const most = async () => Object.entries(await colors(page)).sort((a, b) => b[1] - a[1])[0][0];
    const light = await most();
    await page.emulateMedia({colorScheme: 'dark'});
    await resolved(page);
    const dark = await most();
    assert.equal(light, '251,251,250');
    assert.equal(dark, '22,23,26');
    await page.emulateMedia({colorScheme: 'light', forcedColors: 'active'});
    await resolved(page);
    assert.equal(await most(), '255,255,255');
    await finish(page, assert);
});

test('360 px are enough: nothing is wider than the window, and everything is in reach', async () => {
    const page = await open(small, {width: 360, height: 640});
    await click(page, PARSE);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    const outside = await page.locator('button:visible, select:visible, input:visible').evaluateAll(all =>
        all.filter(one => !one.closest('.chips, .table, .panel')).map(one => [one.textContent,
            one.getBoundingClientRect()]).filter(([, box]) => box.left < 0 || box.right > 360.5)
            .map(([text]) => text));
    assert.deepEqual(outside, []);
    await page.getByRole('button', {name: 'More', exact: true}).click();
    await page.locator('.menu').getByRole('button', {name: 'Top table', exact: true}).click();
    await resolved(page);
    assert.ok(await page.locator('.table-top .row').count() >= 5);
    await finish(page, assert);
});

test('the picture is crisp: it has as many pixels as the screen', async () => {
    for (const [options, scale] of [[{}, 1], [{deviceScaleFactor: 2}, 2],
        [{deviceScaleFactor: 1.5, width: 1001}, 1.5], [{width: 3840, height: 2160}, 1]]) {
        const page = await open(small, options);
        const {pixels, box} = await page.evaluate(() => {
            const canvas = document.querySelector('.stage canvas');
            const {width, height} = canvas.getBoundingClientRect();
            return {pixels: [canvas.width, canvas.height], box: [width, height]};
        });
        assert.ok(Math.abs(pixels[0] - box[0] * scale) <= 1 && Math.abs(pixels[1] - box[1] * scale) <= 1,
            `${pixels} for ${box} at ${scale}`);
        assert.equal(await nameAt(page, WRITE), 'write');
        await finish(page, assert);
    }
});

test('names of any letters have their letters, and markup is text', async () => {
    const page = await open(pageOf('漢字<b>x</b>;naïve 🙂 8\n漢字<b>x</b> 2\n'));
    assert.equal(await nameAt(page, MAIN), '漢字<b>x</b>');
    await click(page, MAIN);
    assert.equal(await selected(page), '漢字<b>x</b>');
    assert.equal(await page.locator('.panel h2 b').count(), 0);
    const at = await spot(page, MAIN);
    assert.ok(at.x > 0);
    await finish(page, assert);
});

// ---- The element --------------------------------------------------------------------------------

const component = path.join('build', 'component');

test('the element shows a profile in another page, and dispatches events', {
    skip: !existsSync(path.join(component, 'flamel.wasm')) && 'make component was not run',
}, async () => {
    serve('flamel-graph.js', 'text/javascript', readFileSync(path.join(component, 'flamel-graph.js')));
    serve('flamel.wasm', 'application/wasm', readFileSync(path.join(component, 'flamel.wasm')));
    serve('a.folded', 'text/plain', readFileSync(file('a.folded', SMALL)));
    serve('b.folded', 'text/plain', 'one;two 1\n');
    serve('host.html', 'text/html', `<!DOCTYPE html><html lang="en"><title>host</title>
        <body><h1>Two</h1><flamel-graph id="a" src="a.folded"></flamel-graph>
        <flamel-graph id="b" src="b.folded"></flamel-graph>
        <script type="module" src="host.js"></script></body></html>`,
    {'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; " +
        "worker-src blob:; connect-src 'self'"});
    serve('host.js', 'text/javascript', `window.events = [];
        for (const name of ['load', 'select', 'change', 'error'])
            addEventListener('flamel-' + name, event => events.push([event.target.id, name, event.detail]));
        import('./flamel-graph.js');`);
    const page = await open(null, {url: origin + '/host.html', height: 1100, before: page => {
        page.waitForSelector = () => page.locator('#b .stage[data-settled=true]').waitFor();
        page.waitForFunction = async () => {};
    }});
    await page.evaluate(() => Promise.all(Array.from(document.querySelectorAll('flamel-graph'),
        one => one.ready)));
    assert.deepEqual(await page.evaluate(() => events.filter(([, name]) => name === 'load')
        .map(([id, , detail]) => [id, detail.name]).sort()), [['a', 'a.folded'], ['b', 'b.folded']]);

    const box = await boxOf(page.locator('#a .surface'));
    await page.mouse.click(box.x + box.width * 0.3, box.y + 48 + 2 * 19 + 9);
    await page.locator('#a .panel h2').waitFor();
    assert.deepEqual(await page.evaluate(() => events.filter(([id, name, detail]) => name === 'select' &&
        detail).map(([id, , detail]) => [id, detail.name])), [['a', 'parse']]);
    assert.equal(await page.evaluate(() => document.getElementById('b').query('detail')), null);

    const state = await page.evaluate(async () => {
        const a = document.getElementById('a');
        const why = a.act('zoom-selected'), wrong = a.act('no-such-thing');
        return [why, wrong, a.state, location.hash];
    });
    assert.equal(state[0], null);
    assert.match(state[1], /no-such-thing/);
    assert.match(state[2], /zoom=/);
    assert.equal(state[3], '');

    const opened = await page.evaluate(() => document.getElementById('b').open(
        new TextEncoder().encode('three;four 1\n'), 'mine.folded'));
    assert.equal(opened, true);
    const perf = 'app 1 [000] 1.000000: 1 cycles:\n\t1234 two+0x1 (/bin/app)\n\t1235 one+0x1 (/bin/app)\n\n';
    assert.deepEqual(await page.evaluate(async text => {
        const b = document.getElementById('b');
        await b.open(new Blob([text]), 'app.perf');
        return b.query('top 0 9').rows.map(row => row.title).sort();
    }, perf), ['app', 'one', 'two']);
    const refused = await page.evaluate(async () => {
        const done = await document.getElementById('b').open(new Blob(['no number\n']), 'bad.folded');
        return [done, events.filter(([, name]) => name === 'error').length > 0];
    });
    assert.deepEqual(refused, [false, true]);

    await page.evaluate(async () => {
        const a = document.getElementById('a');
        document.body.append(a);
        await new Promise(resolve => setTimeout(resolve, 50));
    });
    assert.match(await page.evaluate(() => document.getElementById('a').state), /zoom=/);
    await page.evaluate(async () => {
        document.getElementById('b').remove();
        await new Promise(resolve => setTimeout(resolve, 50));
    });
    assert.equal(page.failures.filter(text => !/no-such-thing/.test(text)).length, 0);
    await page.context().close();
});
