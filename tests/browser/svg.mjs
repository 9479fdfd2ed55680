// svg.mjs - the SVG in a browser: what the reader sees and does.

import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {after, test} from 'node:test';
import vm from 'node:vm';
import {axeSource, browser, click, close, details, found, hover, label, labels, link, open, picture,
    text} from './browser.mjs';

after(close);

const small = picture('main;parse;read 30\nmain;parse;lex;read 10\nmain;write 40\nmain 5\nidle 15\n');
const node = picture(readFileSync('tests/data/folded/perf-node.folded'), '--title', 'node at work');

async function check(page) {
    assert.deepEqual(page.failures, []);
    assert.equal(page.requests.length, page.reloads ? 1 + page.reloads : 1);
    await page.context().close();
}

// The names of the boxes that are drawn in the tone of ancestors.
async function ancestors(page) {
    return (await labels(page)).filter(one => one.group === 'i1').map(one => one.text).sort();
}

// src/draw/svg/text.js, without a browser.
const words = vm.createContext({});
vm.runInContext(readFileSync('src/draw/svg/text.js', 'utf8'), words);

// The examples of a test in C: FUNCTION(a, "b", "c").
function examples(file, name) {
    const calls = readFileSync(file, 'utf8').matchAll(new RegExp(name + '\\(([^;]*)\\);', 'g'));
    return Array.from(calls, ([, all]) => all).filter(all => /"/.test(all))
        .map(all => vm.runInNewContext('[' + all + ']', {name: 'net::http::Server::Serve(int)'}));
}

test('the page writes numbers as the library does', () => {
    const test = 'tests/draw/text/quantity_test.c';
    const quantities = examples(test, 'assert_quantity'), exacts = examples(test, 'assert_exact');
    const percents = examples(test, 'assert_percent');
    assert.ok(quantities.length > 15 && exacts.length > 3 && percents.length > 5);
    for (const [value, unit, expected] of quantities)
        assert.equal(words.quantity(value, unit), expected);
    for (const [value, unit, expected] of exacts) assert.equal(words.exact(value, unit), expected);
    for (const [value, whole, expected] of percents)
        assert.equal(words.percent(value, whole), expected);
});

test('the page shortens names as the library does', () => {
    const ruler = {letter: () => 10, width: text => 10 * Array.from(text).length};
    const cases = examples('tests/draw/text/label_test.c', 'assert_label');
    assert.ok(cases.length > 8);
    for (const [escaped, room, expected] of cases) {
        const name = Buffer.from(escaped, 'latin1').toString();
        const isQualified = name.startsWith('net::');
        const frames = {name: [name], end: [isQualified ? 24 : name.length],
            qualified: [isQualified ? 11 : 0], bare: [isQualified ? 19 : 0], elided: [], cut: [0]};
        assert.equal(words.label(frames, 0, room, ruler),
            Buffer.from(expected, 'latin1').toString());
    }
});

test('the page keeps a class longer than its template arguments, and no label names another function', () => {
    const ruler = {letter: () => 10, width: text => 10 * Array.from(text).length};
    const list = {name: ['std::list<int>::push_back(int)'], end: [25], qualified: [5], bare: [16],
        elided: [[10, 13]], cut: [0]};
    for (const [room, expected] of [[300, 'std::list<int>::push_back(int)'], [250, 'std::list<int>::push_back'],
        [200, 'list<int>::push_back'], [199, 'list<\u2026>::push_back'], [170, 'push_back'], [60, '']])
        assert.equal(words.label(list, 0, room, ruler), expected);
    const inner = {name: ['a/Tree$Node.run'], end: [15], qualified: [2], bare: [12], elided: [[2, 7]], cut: [0]};
    for (const [room, expected] of [[130, 'Tree$Node.run'], [129, 'Node.run'], [79, 'run']])
        assert.equal(words.label(inner, 0, room, ruler), expected);
    const closure = {name: ['app::run::{{closure}}'], end: [21], qualified: [0], bare: [5], elided: [[11, 20]], cut: [0]};
    for (const [room, expected] of [[209, 'app::run::{\u2026}'], [129, 'run::{\u2026}'], [79, '']])
        assert.equal(words.label(closure, 0, room, ruler), expected);
    const cut = {name: ['std::_Handler<double'], end: [13], qualified: [0], bare: [5], elided: [], cut: [1]};
    assert.equal(words.label(cut, 0, 900, ruler), 'std::_Handler');
    const call = {name: ['operator()'], end: [10], qualified: [0], bare: [0], elided: [], cut: [0]};
    assert.equal(words.label(call, 0, 90, ruler), '');
});

test('labels of a picture do not end inside of a template, with scripts and without', async () => {
    const names = ['std::_Function_handler<double (int), run(int)::{lambda(int)#1}>::_M_invoke(int)',
        'std::_Function_handler<double', 'std::vector<int, std::allocator<int> >::push_back(int&&)'];
    const svg = picture(names.map((name, i) => `main;${name} ${10 + i}`).join('\n') + '\n', '--width', '600');
    const still = readFileSync(svg, 'utf8').match(/<text[^>]*>[^<]*/g).map(text => text.replace(/.*>/, ''));
    const page = await open(svg);
    for (const texts of [still, (await labels(page)).map(one => one.text)]) {
        assert.ok(texts.some(text => /_Function_handler(&lt;|<)\u2026(&gt;|>)::_M_invoke|_M_invoke/.test(text)), texts.join('|'));
        assert.ok(texts.includes('std::_Function_handler') || texts.includes('_Function_handler'));
        for (const text of texts) {
            const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
            assert.equal(plain.split('<').length, plain.split('>').length, plain);
        }
    }
    await check(page);
});

test('a click zooms to a frame, and its callers stay as muted bars', async () => {
    const page = await open(small);
    const before = await label(page, 'parse');
    await click(page, 'parse');
    const parse = await label(page, 'parse'), read = await label(page, 'read');
    assert.ok(parse.x < before.x + 1 && parse.x < 20);
    assert.equal(parse.y, before.y);
    assert.deepEqual(await ancestors(page), ['all', 'main']);
    assert.ok(read.x - parse.x > 0);
    assert.ok(!(await labels(page)).some(one => one.text === 'idle' || one.text === 'write'));
    assert.match(await details(page), /^parse \| 40 samples · 40 % of total · 100 % of this view/);
    await check(page);
});

test('a click on a bar goes back to it, the button resets the zoom', async () => {
    const page = await open(small);
    assert.ok(await page.getByText('Reset zoom').isHidden());
    await click(page, 'lex');
    await click(page, 'main');
    assert.deepEqual(await ancestors(page), ['all']);
    await page.getByText('Reset zoom').click();
    await label(page, 'idle');
    assert.ok(await page.getByText('Reset zoom').isHidden());
    await check(page);
});

test('escape goes back one step at a time', async () => {
    const page = await open(small);
    await click(page, 'parse');
    await click(page, 'lex');
    await page.keyboard.press('Escape');
    assert.deepEqual(await ancestors(page), ['all', 'main']);
    await page.keyboard.press('Escape');
    await label(page, 'idle');
    await check(page);
});

test('a zoom moves unless the reader wants no motion', async () => {
    const page = await open(small, {motion: 'no-preference'});
    const widths = await page.evaluate(async () => {
        const live = document.querySelector('.live'), seen = new Set();
        const {left, top} = document.querySelector('.labels text').getBoundingClientRect();
        const resolved = new Promise(resolve =>
            document.documentElement.addEventListener('flamel-settled', resolve));
        const at = Array.from(document.querySelectorAll('.labels text'))
            .find(one => one.textContent === 'parse').getBoundingClientRect();
        live.dispatchEvent(new MouseEvent('click',
            {clientX: at.left + 2, clientY: at.top + 5, bubbles: true}));
        const timer = setInterval(() => seen.add(document.querySelector('.boxes').innerHTML), 5);
        await resolved;
        clearInterval(timer);
        return seen.size;
    });
    assert.ok(widths > 1);
    assert.deepEqual(await ancestors(page), ['all', 'main']);
    await check(page);
});

test('the details tell the exact value and percentages', async () => {
    const page = await open(small);
    await hover(page, 'write');
    assert.equal(await details(page), 'write | 40 samples · 40 % of total · self 40 %');
    await hover(page, 'main');
    assert.equal(await details(page), 'main | 85 samples · 85 % of total · self 5 %');
    await check(page);
});

test('pointing at a frame marks every other place of its function', async () => {
    const page = await open(small);
    await hover(page, 'write');
    const one = await page.$eval('.same path', path => path.getAttribute('d').split('M').length - 1);
    const read = (await labels(page)).filter(({text}) => text === 'read');
    await page.mouse.move(read[0].x + 3, read[0].y);
    const two = await page.$eval('.same path', path => path.getAttribute('d').split('M').length - 1);
    assert.deepEqual([one, two], [1, 2]);
    await check(page);
});

test('a search tells how much matches, and counts what is inside of a match once', async () => {
    const page = await open(picture('a;b;a;c 30\na;x 20\nb 50\n'));
    await page.keyboard.press('/');
    await page.keyboard.type('^a$');
    assert.equal(await found(page), '50 % · 2 matches');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('b|x');
    assert.equal(await found(page), '100 % · 3 matches');
    await page.keyboard.press('Escape');
    assert.equal(await found(page), '');
    await check(page);
});

test('a search is of the view, without what the view stands on', async () => {
    const page = await open(small);
    await click(page, 'parse');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('main|lex');
    assert.equal(await found(page), '25 % of this view · 1 match');
    await check(page);
});

test('case matters when asked, and what is no expression is said', async () => {
    const page = await open(small);
    await page.keyboard.press('/');
    await page.keyboard.type('READ');
    assert.equal(await found(page), '40 % · 2 matches');
    await page.keyboard.press('Control+i');
    assert.equal(await found(page), '0 % · 0 matches');
    assert.equal(await page.getByRole('button', {name: 'Match case'}).getAttribute('aria-pressed'),
        'true');
    await page.keyboard.type('(');
    assert.equal(await found(page), 'not a regular expression');
    assert.equal(await page.locator('input').getAttribute('aria-invalid'), 'true');
    await check(page);
});

test('enter goes from match to match', async () => {
    const page = await open(small);
    await page.keyboard.press('/');
    await page.keyboard.type('read');
    await page.keyboard.press('Enter');
    assert.equal(await found(page), '40 % · 1 of 2');
    assert.match(await details(page), /^read \| 10 samples/);
    await page.keyboard.press('Enter');
    assert.match(await details(page), /^read \| 30 samples/);
    await page.keyboard.press('Shift+Enter');
    assert.equal(await found(page), '40 % · 1 of 2');
    await check(page);
});

test('the arrow keys go from frame to frame, and enter zooms', async () => {
    const page = await open(small);
    await page.keyboard.press('Tab');
    const selected = async () => (await details(page)).split(' |')[0];
    const path = [await selected()];
    assert.equal(await page.locator('path.focus').count(), 1);
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowDown']) {
        await page.keyboard.press(key);
        path.push(await selected());
    }
    assert.deepEqual(path, ['all', 'main', 'parse', 'parse', 'read', 'read', 'parse']);
    await page.keyboard.press('ArrowRight');
    assert.equal(await selected(), 'write');
    await page.keyboard.press('Enter');
    assert.deepEqual(await ancestors(page), ['all', 'main']);
    await page.keyboard.press('0');
    await label(page, 'idle');
    await check(page);
});

test('an icicle graph has the root at the top, and its keys turn with it', async () => {
    const page = await open(picture('main;read 1\n', '--inverted'));
    assert.ok((await label(page, 'all')).y < (await label(page, 'read')).y);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await details(page), /^main/);
    await page.keyboard.press('ArrowUp');
    assert.match(await details(page), /^all/);
    await check(page);
});

test('the selected frame is spoken', async () => {
    const page = await open(small);
    await page.keyboard.press('ArrowUp');
    const spoken = () => page.evaluate(() => {
        const live = document.querySelector('[role=tree]');
        const item = document.getElementById(live.getAttribute('aria-activedescendant'));
        return [item.id, item.getAttribute('role'), item.getAttribute('aria-level'),
            item.getAttribute('aria-label')];
    });
    const first = await spoken();
    await page.keyboard.press('ArrowUp');
    const second = await spoken();
    assert.notEqual(first[0], second[0]);
    assert.deepEqual(second.slice(1), ['treeitem', '2', 'main, 85 samples, 85 % of total, self 5 %']);
    await check(page);
});

test('the help opens, closes and gives the focus back', async () => {
    const page = await open(small);
    await page.keyboard.press('?');
    assert.ok(await page.getByRole('dialog').isVisible());
    assert.ok(await page.getByText('copy the stack').isVisible());
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('class')), 'live');
    await check(page);
});

test('a link brings back the zoom and the search', async () => {
    const page = await open(small);
    await click(page, 'parse');
    await page.keyboard.press('/');
    await page.keyboard.type('read');
    const before = await link(page);
    assert.match(before, /x=\d+&y=2&s=read/);
    page.reloads = 1;
    await page.reload();
    assert.equal(await found(page), '100 % of this view · 2 matches');
    assert.equal(await link(page), before);
    await check(page);
});

test('a link works behind # too, and changes what is shown', async () => {
    const page = await open(small, {query: '#x=15&y=2&s=lex'});
    assert.equal(await found(page), '25 % of this view · 1 match');
    await page.evaluate(() => { location.hash = 's=write'; });
    await page.waitForFunction(() =>
        document.querySelector('.count').textContent === '40 % · 1 match');
    await label(page, 'idle');
    await check(page);
});

test('a link to nowhere shows everything', async () => {
    for (const query of ['?x=1e9&y=3', '?x=a&y=b', '?x=0&y=99', '?s=(', '?x=-1&y=1', '?x=&y=']) {
        const page = await open(small, {query});
        await label(page, 'idle');
        await check(page);
    }
});

test('a search that the picture comes with is shown', async () => {
    const page = await open(picture('a 1\nb 3\n', '--search', '^b'));
    assert.equal(await found(page), '75 % · 1 match');
    await check(page);
});

test('copying gives the stack and its value', async () => {
    const page = await open(small);
    await hover(page, 'lex');
    const copied = await page.evaluate(() => {
        const event = new ClipboardEvent('copy',
            {clipboardData: new DataTransfer(), cancelable: true});
        document.dispatchEvent(event);
        return event.clipboardData.getData('text/plain');
    });
    assert.equal(copied, 'main;parse;lex 10');
    await check(page);
});

test('without scripts the picture is complete', async () => {
    const page = await open(small, {still: true});
    const names = (await labels(page)).map(one => one.text).sort();
    assert.deepEqual(names, ['all', 'idle', 'lex', 'main', 'parse', 'read', 'read', 'write']);
    assert.ok(await page.getByText('100 samples', {exact: true}).isVisible());
    assert.ok(await page.getByText('Flame graph', {exact: true}).last().isVisible());
    await check(page);
});

test('where the server forbids scripts, the still picture stays', async () => {
    const server = createServer((request, response) => {
        response.setHeader('content-type', 'image/svg+xml');
        response.setHeader('content-security-policy', "default-src 'none'");
        response.end(text(small));
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    assert.equal((await labels(page)).length, 8);
    const ink = (await label(page, 'main')).ink;
    assert.equal(ink, 'rgb(27, 28, 30)');
    await page.close();
    server.close();
});

test('as an image it is drawn as high as it is', async () => {
    const page = await browser.newPage();
    await page.setContent(`<img src="data:image/svg+xml;base64,${btoa(text(small))}">`);
    const size = await page.$eval('img', async image => {
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
    });
    assert.equal(size[0], 1200);
    assert.ok(size[1] > 100 && size[1] < 300);
    await page.close();
});

test('it follows the system into the dark', async () => {
    const colors = [];
    for (const colorScheme of ['light', 'dark'])
        for (const still of [false, true]) {
            const page = await open(small, {colorScheme, still});
            colors.push(await page.$eval('.page', page => getComputedStyle(page).fill));
            await check(page);
        }
    assert.deepEqual(colors, ['rgb(251, 251, 250)', 'rgb(251, 251, 250)', 'rgb(22, 23, 26)',
        'rgb(22, 23, 26)']);
});

test('forced colors are used', async () => {
    const page = await open(small, {forcedColors: 'active'});
    const colors = await page.evaluate(() => {
        const probe = document.createElementNS('http://www.w3.org/2000/svg', 'g');
        probe.style.color = 'CanvasText';
        document.documentElement.append(probe);
        return [getComputedStyle(probe).color,
            ...Array.from(document.querySelectorAll('.boxes g'), g => getComputedStyle(g).color)];
    });
    assert.equal(new Set(colors).size, 1);
    await check(page);
});

// Labels of one row do not reach into each other, and none out of the window.
async function assertLabelsApart(page, width) {
    const rows = new Map();
    for (const one of await labels(page)) {
        assert.ok(one.x >= 0 && one.end <= width, JSON.stringify(one));
        const row = Math.round(one.y);
        rows.set(row, [...(rows.get(row) || []), one]);
    }
    for (const row of rows.values()) {
        row.sort((a, b) => a.x - b.x);
        row.slice(1).forEach((one, i) => assert.ok(row[i].end < one.x, JSON.stringify(one)));
    }
}

test('it fills the window from 360 px to 3840, and labels follow', async () => {
    const lengths = [];
    for (const width of [360, 800, 1200, 1920, 3840]) {
        const page = await open(node, {width, height: 900});
        const box = await page.evaluate(() => ({
            wide: document.documentElement.getBoundingClientRect().width,
            bars: Array.from(document.querySelectorAll('.head *, .foot *'))
                .filter(one => one.getBoundingClientRect().right > innerWidth).length,
        }));
        assert.deepEqual(box, {wide: width, bars: 0});
        await assertLabelsApart(page, width);
        const all = await labels(page);
        lengths.push(all.reduce((sum, one) => sum + one.text.length, 0));
        assert.ok(all.every(one => !one.text.includes('…') || one.text.length >= 9 || /[(<]/.test(one.text)));
        await check(page);
    }
    assert.deepEqual(lengths, lengths.slice().sort((a, b) => a - b));
});

test('still labels keep apart too', async () => {
    const page = await open(node, {still: true, height: 2000});
    await assertLabelsApart(page, 1200);
    await check(page);
});

test('a window that changes its size is filled again', async () => {
    const page = await open(node, {width: 1200});
    await page.setViewportSize({width: 500, height: 600});
    await page.waitForFunction(() =>
        document.documentElement.getBoundingClientRect().width === 500 &&
        document.querySelector('.head').getBoundingClientRect().width === 500);
    await assertLabelsApart(page, 500);
    await check(page);
});

test('a tall flame graph opens at its root, and the bars stay in sight', async () => {
    const page = await open(node, {height: 500});
    const places = () => page.evaluate(() => ({
        head: document.querySelector('.head').getBoundingClientRect().top,
        foot: Math.round(document.querySelector('.foot').getBoundingClientRect().bottom),
        scrolled: scrollY,
    }));
    const opened = await places();
    assert.ok(opened.scrolled > 0);
    assert.deepEqual([opened.head, opened.foot], [0, 500]);
    assert.ok((await label(page, 'all')).y < 500);
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForFunction(() => scrollY === 0 &&
        document.querySelector('.head').getBoundingClientRect().top === 0);
    assert.equal((await places()).foot, 500);
    await check(page);
});

test('the bottom stays in sight when a zoom changes the height', async () => {
    const page = await open(node, {height: 400});
    await click(page, 'node');
    assert.ok((await label(page, 'all')).y > 40);
    const {x, y} = (await labels(page)).filter(one => one.y > 60).sort((a, b) => a.y - b.y)[0];
    await page.mouse.click(x + 2, y);
    await page.waitForTimeout(50);
    const again = (await labels(page)).some(one => Math.abs(one.y - y) < 1);
    assert.ok(again);
    await check(page);
});

test('names are text, whatever they are', async () => {
    const page = await open(picture(Buffer.from(
        'main;</script><svg onload=alert(1)> 5\nmain;]]><script>alert(2)</script> 3\n' +
        'main;"onmouseover="alert(3)\' & <a> 2\nmain;javascript:alert(4) 1\n' +
        'main;\x1b[31m\0\x07 9\nmain;\xff\xfe\xed\xa0\x80 2\nmain;a&amp<b> 3\n', 'latin1')));
    const names = (await labels(page)).map(one => one.text);
    assert.ok(names.includes('</script><svg onload=alert(1)>'));
    assert.ok(names.includes('a&amp<b>'));
    await hover(page, '</script><svg onload=alert(1)>');
    assert.match(await details(page), /^<\/script><svg onload=alert\(1\)> \| 5 samples/);
    assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 1);
    await check(page);
});

test('narrow neighbors are one gray box that opens', async () => {
    const lines = Array.from({length: 3000}, (_, i) => `main;f${i} 1`);
    const page = await open(picture(lines.join('\n') + '\nmain;wide 3000\n'));
    const run = (await labels(page)).find(one => one.text.startsWith('+'));
    assert.equal(run.text, '+3,000, 50 %');
    await page.mouse.click(run.x + 3, run.y);
    assert.match(await details(page), /3,000 frames too narrow to draw/);
    assert.match(await link(page), /x=0&y=2&w=3000/);
    // They are still too narrow: another click opens the part that it points at.
    await page.mouse.click(603, run.y);
    assert.match(await link(page), /x=13\d\d\.?\d*&y=2&w=300/);
    await page.mouse.move(603, run.y);
    assert.match(await details(page), /^f\d+ \| 1 sample · 0.02 % of total · 0.33 % of this view/);
    await check(page);
});

test('what is not in the file is said', async () => {
    const page = await open(picture('a;b 1\na;c 1\na;d 998\n', '--minwidth', '10'));
    const {y} = await label(page, 'd');
    await page.mouse.move(9, y);
    assert.match(await details(page), /^\+2 frames too narrow.*not in this file/);
    await page.mouse.click(9, y);
    assert.ok(!(await link(page)).includes('?'));
    await check(page);
});

test('a comparison tells before and after, and its legend finds what changed', async () => {
    const page = await open(
        picture('a;less 300 100\na;more 100 300\na;same 50 50\na;new 0 50\na;one 0 1\n'));
    await hover(page, 'more');
    assert.match(await details(page),
        /^more \| 100 samples before, 300 samples after: \+200 \(\+200 %\)/);
    await page.getByRole('button', {name: 'grown'}).click();
    assert.equal(await found(page), '49.9 % \u00b7 2 matches');
    await page.getByRole('button', {name: 'appeared'}).click();
    assert.equal(await found(page), '7.13 % \u00b7 1 match');
    await page.getByRole('button', {name: 'appeared'}).click();
    assert.equal(await found(page), '');
    const status = await page.$eval('.status-line', element => element.textContent);
    assert.match(status, /450 samples before, 501 samples after \u00b7 \+11.3 % in total/);
    assert.match(status, /similarity 0.53 \u00b7 not normalized/);
    assert.match(status, /appeared 51 samples \(11.3 %\) in 2 stacks/);
    await check(page);
});

test('a comparison may be normalized, and says so', async () => {
    const page = await open(picture('a;f 200 100\na;g 200 300\n', '--normalize', 'function:f',
        '--diff-width', 'sum', '--diff-palette', 'green-red'));
    await hover(page, 'f');
    assert.match(await details(page),
        /^f \| 200 samples before \(normalized 100 samples\), 100 samples after: 0 samples \(0 %\)/);
    await hover(page, 'g');
    assert.match(await details(page), /300 samples after: \+200 samples \(\+200 %\)/);
    assert.match(await page.$eval('.status-line', element => element.textContent),
        /normalized: before \u00d7 0.5, so that f is equal/);
    await check(page);
});

test('it works inside of a page, beside others', async () => {
    const page = await browser.newPage({viewport: {width: 900, height: 900}, reducedMotion: 'reduce'});
    const errors = [];
    page.on('pageerror', error => errors.push(String(error.stack)));
    const inline = text(small).replace(/<\?xml.*?\?>/, '');
    await page.setContent(`<!doctype html><html lang="en"><title>t</title><main><h1>Two</h1>
        <div style="width:600px">${inline}</div><div style="width:300px">${inline}</div></main>`);
    const widths = await page.$$eval('.head', heads =>
        heads.map(head => head.getBoundingClientRect().width));
    assert.deepEqual(widths, [600, 300]);
    const url = await link(page);
    await click(page, 'parse');
    assert.equal(await link(page), url);
    assert.deepEqual(errors, []);
    await page.close();
});

test('a checker of accessibility has nothing to say', async () => {
    for (const colorScheme of ['light', 'dark']) {
        const page = await browser.newPage({reducedMotion: 'reduce', colorScheme});
        const inline = text(node).replace(/<\?xml.*?\?>/, '');
        await page.setContent(`<!doctype html><html lang="en"><title>t</title><main><h1>A</h1>
            ${inline}</main>`);
        await page.locator('input').fill('run');
        await page.locator('.live').press('ArrowUp');
        await page.locator('.live').press('?');
        await page.evaluate(axeSource);
        const {violations} = await page.evaluate(() => axe.run());
        assert.deepEqual(violations.map(({id, nodes}) =>
            [id, nodes.map(one => one.html.slice(0, 200) + one.failureSummary)]), []);
        await page.close();
    }
});
