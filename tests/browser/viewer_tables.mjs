// viewer_tables.mjs - working in tables: the call tree, sorting, the table beside a sandwich, the panel's order.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {PARSE, READ, SMALL, boxOf, click, close, converted, file, finish, hashOf, open, pageOf, press, resolved,
    selected, words} from './page.mjs';

after(close);
const small = pageOf(SMALL);
const texts = locator => locator.allInnerTexts();
const tab = (page, name) => page.locator('.tools > .views').getByRole('button', {name}).click();
const tree = page => page.locator('.table-tree');
const top = page => page.locator('.table-top');
const bare = all => all.map(text => text.replace(/^\W+/, ''));

// One thread of perf script, a stack a line.
const script = stacks => stacks.map(([tid, time, ...frames]) => `app 1/${tid} ${time}: 1000000 cpu-clock:\n${frames
    .map(frame => `\t1000 ${frame}+0x1 (/bin/app)\n`).join('')}\n`).join('');

// ---- The call tree ------------------------------------------------------------------------------

test('the call tree is open along its heaviest path, and the arrows move it at once', async () => {
    const page = await open(pageOf('main;parse;lex;read 40\nmain;parse;check 9\nmain;write 30\nidle 5\n'),
        {width: 1400});
    await tab(page, 'Call tree');
    await resolved(page);
    assert.deepEqual(bare(await texts(tree(page).locator('.row .name'))),
        ['main', 'parse', 'lex', 'read', 'check', 'write', 'idle']);
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    assert.equal(await selected(page), 'lex');
    await page.locator('.panel h2').click(); // the focus is elsewhere
    await press(page, 'ArrowLeft');
    assert.ok(!bare(await texts(tree(page).locator('.row .name'))).includes('read'));
    await finish(page, assert);
});

test('names can be read at any depth, in a wide and in a narrow window', async () => {
    const names = Array.from({length: 60}, (_, i) => `function_at_depth_${i}`);
    const html = pageOf(`${names.join(';')} 10\n`);
    for (const width of [390, 800, 1400]) {
        const page = await open(html, {width});
        await press(page, '4');
        const row = tree(page).locator('.row', {hasText: /function_at_depth_19$/});
        const deep = tree(page).locator('.row', {hasText: /function_at_depth_2[0-9]$/}).last();
        for (const one of [row, deep]) {
            const name = await boxOf(one.locator('.name'));
            const indent = await one.locator('.level').evaluate(level =>
                parseFloat(getComputedStyle(level).paddingLeft));
            assert.ok(name.width - indent > 110, `${width}: ${name.width} - ${indent}`);
        }
        const of = depth => tree(page).locator('.row', {hasText: new RegExp(`function_at_depth_${depth}$`)})
            .locator('.level').evaluate(level => parseFloat(getComputedStyle(level).paddingLeft));
        assert.ok(await of(1) > await of(0));
        await finish(page, assert);
    }
});

test('the inverted call tree has callers below their callees, and a search leads to its rows', async () => {
    const page = await open(small, {width: 1400});
    await tab(page, 'Call tree');
    await press(page, 'I');
    const rows = bare(await texts(tree(page).locator('.row .name')));
    assert.deepEqual(rows.slice(0, 2).sort(), ['parse', 'read'].sort());
    await press(page, 'I', '/');
    await page.keyboard.type('lex');
    await press(page, 'Enter');
    assert.equal(await selected(page), 'lex');
    assert.ok(await tree(page).locator('.row.is-on', {hasText: 'lex'}).isVisible());
    await finish(page, assert);
});

test('the line between table and picture is moved by hand and by keys, and stays', async () => {
    const page = await open(small, {width: 1400});
    await tab(page, 'Call tree');
    const width = async () => (await boxOf(tree(page))).width;
    const line = page.getByRole('separator', {name: 'Width of the table'});
    const before = await width(), box = await boxOf(line);
    await page.mouse.move(box.x + 3, 400);
    await page.mouse.down();
    await page.mouse.move(box.x - 200, 400, {steps: 4});
    await page.mouse.up();
    await resolved(page);
    assert.ok(Math.abs(before - 203 - await width()) < 6);
    await line.focus();
    await press(page, 'ArrowRight');
    const after = await width();
    assert.ok(after > before - 200);
    await page.reload();
    await page.waitForSelector('.stage[data-settled=true]');
    await press(page, '4');
    assert.ok(Math.abs(await width() - after) < 2);
    await finish(page, assert);
});

// ---- The top table ------------------------------------------------------------------------------

test('a click anywhere in a heading sorts, keys reach it, and so does the palette', async () => {
    const page = await open(small, {width: 1400});
    await tab(page, 'Top table');
    const head = await boxOf(top(page).getByRole('columnheader', {name: /^Total/}));
    await page.mouse.click(head.x + 2, head.y + head.height - 2);
    await resolved(page);
    const sorted = () => top(page).locator('[aria-sort=descending], [aria-sort=ascending]').innerText();
    assert.match(await sorted(), /^Total/);
    const first = async () => (await texts(top(page).locator('.row .name')))[0];
    assert.equal(await first(), 'main');
    await top(page).focus();
    await press(page, 'Home', 'ArrowUp', 'Enter'); // the first heading
    assert.match(await sorted(), /^Self/);
    await press(page, 'Enter');
    assert.equal(await top(page).locator('[aria-sort=ascending]').innerText(), 'Self');
    await press(page, 'ArrowDown', '>');
    assert.match(await sorted(), /^Total/);
    await press(page, 'Control+k');
    await page.keyboard.type('sort the table by function');
    await press(page, 'Enter');
    assert.match(await hashOf(page), /sort=name/);
    assert.equal(await first(), 'idle');
    await finish(page, assert);
});

test('functions have samples, module and file where there is room', async () => {
    const html = converted(script([[1, 0.1, 'lex', 'main'], [1, 0.2, 'lex', 'main'], [1, 0.3, 'main']]), 'html');
    const page = await open(html, {width: 1900});
    await press(page, '5');
    const heads = await texts(top(page).getByRole('columnheader'));
    assert.ok(heads.includes('Module'), heads.join());
    assert.ok(heads.some(one => /^Self \(µs\)/.test(one)), heads.join());
    assert.match((await texts(top(page).locator('.row', {hasText: 'lex'})))[0], /app/);
    await finish(page, assert);
});

test('numbers of a column have the same unit and as many decimals', async () => {
    const page = await open(pageOf('main;a 104131072\nmain;b 8016032\nmain;c 512\n'), {width: 1400});
    await press(page, '5');
    const column = async () => (await texts(top(page).locator('.row > :first-child'))).map(one => one.trim());
    assert.deepEqual(await column(), ['104.13', '8.02', '<0.01', '0']);
    assert.match((await texts(top(page).getByRole('columnheader')))[0], /^Self \(M\)/);
    await finish(page, assert);
});

// ---- The sandwich -------------------------------------------------------------------------------

test('a sandwich has the functions beside it, is of the heaviest one, and of what is chosen there', async () => {
    const page = await open(small, {width: 1400});
    await tab(page, 'Sandwich');
    await resolved(page);
    const table = page.locator('.table-sandwich');
    assert.ok(await table.isVisible() && await page.locator('.stage').isVisible());
    assert.match(await hashOf(page), /of=(read|write)/);
    await table.locator('.row', {hasText: 'parse'}).click();
    await page.waitForTimeout(450);
    await resolved(page);
    assert.match(await hashOf(page), /of=parse/);
    assert.equal(await selected(page), 'parse');
    const panel = await words(page, '.panel');
    assert.match(panel, /self 0 .*total 40 .*Callers main 100 % Callees read 75 % lex 25 %/);
    await page.locator('.panel .frames button', {hasText: 'lex'}).click();
    await resolved(page);
    assert.match(await hashOf(page), /of=lex/);
    await finish(page, assert);
});

test('in a narrow window the table of a sandwich stands above it', async () => {
    const page = await open(small, {width: 390, height: 800});
    await press(page, '3');
    const table = await boxOf(page.locator('.table-sandwich')), stage = await boxOf(page.locator('.stage'));
    assert.ok(table.height > 80 && stage.height > 80 && table.y + table.height <= stage.y + 1);
    await finish(page, assert);
});

// ---- The panel ----------------------------------------------------------------------------------

test('the panel has numbers, then callers, then callees', async () => {
    const page = await open(small);
    await click(page, READ);
    const panel = await words(page, '.panel');
    assert.match(panel, /total 30 .*Callers .*Stack/);
    await click(page, PARSE);
    assert.match(await words(page, '.panel'), /self 0 .*total 40 .*Callers main .*Callees .*Focus/);
    await finish(page, assert);
});

test('the panel says what a frame costs each thread', async () => {
    const html = converted(script([[11, 0.1, 'lex', 'main'], [11, 0.2, 'lex', 'main'], [12, 0.3, 'lex', 'main']]),
        'html');
    const page = await open(html, {width: 1400});
    await press(page, '5');
    await top(page).locator('.row', {hasText: 'lex'}).click();
    await page.waitForTimeout(450);
    await resolved(page);
    const rows = await texts(page.locator('.panel .threads tbody tr'));
    assert.equal(rows.length, 2);
    assert.match(rows[0].replace(/\s+/g, ' '), /11 2,000 2,000 66\.67 %/);
    await finish(page, assert);
});

// ---- Comparisons --------------------------------------------------------------------------------

const LONG = Array.from({length: 30}, (none, i) => `main;asm_sysvec_apic_timer_interrupt_of_processor_${i} ${i + 1}\n`).join('');

test('in a narrow window the names of a comparison end in the window', async () => {
    const page = await open(pageOf(LONG, '--base', file('base.folded', 'main;other 1\n')), {width: 390, height: 700});
    for (const view of ['4', '5']) {
        await press(page, view);
        const names = await page.locator('.table .row .name').evaluateAll(all => all.filter(one => one.offsetParent).map(one => {
            const {left, right} = one.getBoundingClientRect();
            return [left, right];
        }));
        assert.ok(names.length > 20, `${names.length} names`);
        for (const [left, right] of names) assert.ok(right <= 390 && right - left > 100, `${view}: ${left} to ${right}`);
    }
    await finish(page, assert);
});

test('in a narrow window a comparison has before, after and change', async () => {
    const page = await open(pageOf(LONG, '--base', file('base.folded', 'main;other 1\n')), {width: 390, height: 700});
    for (const [view, quantity] of [['4', 'total'], ['5', 'self']]) {
        await press(page, view);
        const heads = page.locator('.table:visible [role=columnheader]');
        assert.deepEqual((await texts(heads)).map(text => text.trim()), ['Before', 'After', 'Change', `Function (${quantity})`]);
        for (const head of await heads.all()) assert.ok(await head.evaluate(one => one.scrollWidth <= one.clientWidth));
    }
    await finish(page, assert);
});

test('names of a comparison have what modules and files need not', async () => {
    const perf = text => text.split('\n').filter(Boolean).map((line, i) => {
        const [name, count] = line.split(' ');
        return `app 7/7 ${i}.0: ${count} cpu-clock:\n\t1000 ${name}+0x1 (/bin/application)\n  ${name}.c:1\n\n`;
    }).join('');
    const names = 'a_function_with_a_long_name_of_its_own 5\nanother_function_with_a_long_name 4\n';
    const page = await open(pageOf(perf(names), '--base', file('base_perf.txt', perf(names))), {width: 1920});
    await press(page, '5');
    const width = async part => (await boxOf(top(page).locator(`.row ${part}`).first())).width;
    assert.ok(await width('.name') > 200, `${await width('.name')} px`);
    assert.match(await top(page).locator('.row .name').first().innerText(), /^a_function_w/);
    await finish(page, assert);
});

test('a comparison has before, after and change of what it is sorted by', async () => {
    const before = file('before.folded', 'main;less;read 100\nmain;more;read 50\nmain 20\n');
    const html = pageOf('main;less;read 10\nmain;more;read 90\nmain 30\n', '--base', before);
    const page = await open(html, {width: 1400});
    await press(page, '5');
    const heads = async () => (await texts(top(page).getByRole('columnheader'))).map(text => text.trim());
    const row = async name => (await texts(top(page).locator('.row', {hasText: name}).locator('.number')))
        .map(text => text.trim());
    assert.deepEqual((await heads()).slice(1, 5), ['Self before', 'After', 'Change', '% change']);
    assert.match(await top(page).locator('[role=columnheader]', {hasText: '% change'}).getAttribute('title'), /within the noise/);
    assert.deepEqual((await row('read')).slice(-4), ['150', '100', '-50', '-33.3 %']);
    assert.match(await top(page).locator('[aria-sort=descending]').innerText(), /^After/);
    await top(page).getByRole('columnheader', {name: 'Change', exact: true}).click();
    await resolved(page);
    assert.match(await hashOf(page), /sort=self-change/);
    assert.equal((await texts(top(page).locator('.row .name')))[0], 'read');
    await top(page).getByRole('columnheader', {name: 'Total', exact: true}).click();
    await resolved(page);
    assert.ok((await heads()).includes('Total before'));
    assert.deepEqual((await row('less')).slice(-4), ['100', '10', '-90', '-90 %']);
    await finish(page, assert);
});

test('at 390 px a row of the call tree has its total, and the status line nothing of a picture that is not there', async () => {
    const page = await open(pageOf('main;' + Array.from({length: 12}, (_, i) => `level_${i}`).join(';') + ' 700\nmain;other 300\n'),
        {width: 390, height: 760});
    await press(page, '4');
    await page.locator('.table-tree .row').first().waitFor();
    const cells = await page.locator('.table-tree .row').first().locator('[role=gridcell]').allTextContents();
    assert.equal(cells.length, 2);
    assert.match(cells[0], /^1,000/);
    const row = await boxOf(page.locator('.table-tree .row').first());
    assert.ok(row.x + row.width <= 390);
    assert.doesNotMatch(await page.locator('.status').innerText(), /drawn|merged/);
    await finish(page, assert);
});

test('in a comparison the figures of the panel stay inside of it', async () => {
    const before = 'main;parse 82206511\nmain;write 700\n', after = 'main;parse 50125478\nmain;write 900\n';
    const page = await open(pageOf(after, '--base', file('before.folded', before)), {width: 1366, height: 700});
    await click(page, {level: 2, at: 0.3});
    const panel = await boxOf(page.locator('.panel'));
    assert.match(await page.locator('.panel .figures').first().innerText(), /samples\s+before\s+after\s+change/);
    for (const cell of await page.locator('.panel .figures').first().locator('td, th').all()) {
        const {x, width} = await boxOf(cell);
        assert.ok(x + width <= panel.x + panel.width - 8, `${await cell.textContent()}: ${x + width} of ${panel.x + panel.width}`);
    }
    await finish(page, assert);
});
