// viewer_shortened.mjs - names in tables and lists: cut to the room that they have, never to the same text for two
// functions, and whole in the tooltip.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {close, doubleClick, file, finish, open, pageOf, press, resolved, words} from './page.mjs';

after(close);

const types = ['int', 'long', 'Key', 'std::string', 'Node<int>', 'std::pair<int, long>', 'http::Header'];
const functions = types.flatMap((type, i) => [
    `std::vector<${type}, std::allocator<${type}> >::push_back`,
    `std::vector<${type}, std::allocator<${type}> >::_M_realloc_insert<${types[(i + 1) % types.length]} const&>(int)`,
    `detail::Map<int, ${type}, Less<${type}> >::find(${type} const&) const`,
    `detail::Map<int, ${type}, Less<${type}> >::find(${type} const&)`,
]);
// One calls all, and is called by all; and a stack of all of them.
const folded = functions.map((name, i) => `main;run;${name};poll ${100 + i}`).join('\n') +
    `\nmain;${functions.join(';')} 50\n`;
const html = pageOf(folded);

// What is read of names that are seen, whether any is cut by the browser, and what their tooltips say.
const namesIn = (page, rows, name) => page.locator(rows).evaluateAll((all, name) => all.map(row => {
    const cell = row.querySelector(name), box = row.getBoundingClientRect();
    return {text: cell.innerText.replace(/^[▸▾]?\s*/, ''), whole: (cell.title || row.title).replace(/: [\d.]+ \w+$/, ''),
        isCut: cell.scrollWidth > cell.clientWidth, isSeen: box.bottom > 0 && box.top < innerHeight};
}).filter(one => one.isSeen), name);

function assertDistinct(names, least) {
    assert.ok(names.length >= least, `${names.length} names`);
    const of = new Map();
    for (const {text, whole, isCut} of names) {
        assert.ok(!isCut, `the browser cuts ${text}`);
        assert.ok(text, whole);
        assert.equal(of.get(text) ?? whole, whole);
        of.set(text, whole);
    }
    return names;
}

for (const width of [390, 800, 1400]) {
    test(`no two functions read the same in a table, ${width} px wide`, async () => {
        const page = await open(html, {width});
        for (const [key, table] of [['5', '.table-top'], ['4', '.table-tree'], ['3', '.table-sandwich']]) {
            await press(page, key);
            const names = assertDistinct(await namesIn(page, `${table} .row`, '.name'), 4);
            assert.ok(names.every(({whole}) => functions.includes(whole) || /^(main|run|poll)$/.test(whole)));
        }
        await press(page, '5');
        await page.locator('.table-top .table-scroll').evaluate(one => { one.scrollTop = 1e6; });
        await resolved(page);
        assertDistinct(await namesIn(page, '.table-top .row', '.name'), 4);
        await finish(page, assert);
    });
}

test('names have the width that a column gets when the window or the line beside it moves', async () => {
    const page = await open(html, {width: 1900});
    await press(page, '5');
    const letters = async () => assertDistinct(await namesIn(page, '.table-top .row', '.name'), 10)
        .reduce((sum, {text}) => sum + text.length, 0);
    const wide = await letters();
    await page.setViewportSize({width: 760, height: 700});
    await resolved(page);
    assert.ok(await letters() < wide);
    await page.setViewportSize({width: 1900, height: 700});
    await resolved(page);
    assert.equal(await letters(), wide);
    await finish(page, assert);
});

test('matches, which are bold, are not cut by the browser either', async () => {
    const page = await open(html, {width: 800});
    await press(page, '5', '/');
    await page.keyboard.type('vector');
    await resolved(page);
    const names = assertDistinct(await namesIn(page, '.table-top .row', '.name'), 10);
    assert.ok(names.every(({whole}) => whole.includes('vector')));
    await finish(page, assert);
});

for (const width of [390, 1400]) {
    test(`no two functions read the same in lists of the panel, ${width} px wide`, async () => {
        const page = await open(html, {width});
        await press(page, '/');
        await page.keyboard.type('poll');
        await press(page, 'Enter', 'Escape');
        const lists = page.locator('.panel section:has(.frames)');
        assert.ok(await lists.count() >= 2); // callers and the stack
        for (const title of await lists.locator('h3').allInnerTexts()) {
            const list = `.panel section:has(h3:text-is("${title}")) .frames button`;
            if (await page.locator(list).filter({hasText: 'more'}).count()) {
                await page.locator(list).filter({hasText: 'more'}).first().click();
                await resolved(page);
            }
            const names = await page.locator(`${list}:has(.cut)`).evaluateAll(all => all.map(one => ({
                text: one.querySelector('.cut').innerText, whole: one.title.replace(/: [\d.,]+ \w+$/, ''),
                isCut: one.querySelector('.cut').scrollWidth > one.querySelector('.cut').clientWidth})));
            assertDistinct(names, 1);
        }
        await finish(page, assert);
    });
}

test('the status line of a comparison counts and sums boxes that are too narrow to be hatched', async () => {
    const before = file('before.folded', 'main;same 980000\nmain;gone 3000\n');
    const page = await open(pageOf('main;same 980000\nmain;new 3000\n', '--base', before), {width: 1200});
    const said = /too narrow to hatch 1 appeared \(\+3,000 samples\)/;
    assert.match(await words(page, '.status'), said);
    await doubleClick(page, {level: 2, at: 0.001}); // one of them: now it is wide
    assert.doesNotMatch(await words(page, '.status'), /too narrow/);
    await finish(page, assert);
});
