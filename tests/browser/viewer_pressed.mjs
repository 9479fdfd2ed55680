// viewer_pressed.mjs - what is pressed is clicked, whatever changes in the page before it is released.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {SMALL, PARSE, boxOf, click, close, finish, open, pageOf, press, resolved, words} from './page.mjs';

after(close);
const small = pageOf(SMALL);
// More rows than the window has, so that its height is in the status line.
const tall = pageOf(Array.from({length: 80}, (none, i) => `main;${Array.from({length: i + 1}, (none, k) => `f${k}`).join(';')} 1\n`).join(''));

// Presses, lets the page change, and releases. `change` ends when the page has changed.
async function pressed(page, locator, change) {
    const {x, y, width, height} = await boxOf(locator);
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await change();
    await resolved(page);
    await page.mouse.up();
    await resolved(page);
}
// Of the window and back: every part asks again what it shows.
async function resize(page) {
    for (const height of [760, 700]) {
        await page.setViewportSize({width: 1200, height});
        await resolved(page);
    }
}
// Each part is told to show itself again. The row of chips is there before: what it moves is no longer under the pointer.
async function search(page, text) {
    await page.locator('.search input').evaluate((input, text) => {
        input.value = text;
        input.dispatchEvent(new InputEvent('input', {bubbles: true}));
    }, text);
    await page.waitForFunction(text => document.querySelector('.chips').innerText.includes(text), text);
}

test('data quality, in the status line', async () => {
    const page = await open(tall), facts = page.locator('.status .facts');
    const before = await facts.innerText();
    await pressed(page, facts.getByRole('button'), () => resize(page));
    assert.ok(await page.locator('.data-quality').isVisible());
    assert.equal(await facts.innerText(), before);
    await finish(page, assert);
});

test('the heading and the rows of a table', async () => {
    const page = await open(small);
    await press(page, '5');
    await search(page, 'r'); // only what matches is in the table
    const heading = page.locator('.table-top [role=columnheader]', {hasText: /^Total/}).first();
    await pressed(page, heading, () => search(page, 'e'));
    assert.equal(await heading.getAttribute('aria-sort'), 'descending');
    const row = page.locator('.table-top .row', {hasText: 'write'});
    await pressed(page, row, () => search(page, 'rite'));
    assert.equal(await row.getAttribute('aria-selected'), 'true');
    // What changed meanwhile is shown then.
    assert.equal(await page.locator('.table-top .row').count(), 1);
    await finish(page, assert);
});

test('a chip, and a button of the panel', async () => {
    const page = await open(small);
    await click(page, PARSE);
    await search(page, 'main');
    await pressed(page, page.locator('.panel .frames button', {hasText: 'lex'}), () => search(page, 'read'));
    assert.equal(await page.locator('.panel h2').innerText(), 'lex');
    // Its row is made again, for other colors.
    await resolved(page);
    const remove = page.getByRole('button', {name: 'Remove the search read'});
    await remove.evaluate(one => { window.first = one; });
    await pressed(page, remove, async () => {
        await page.evaluate(() => { location.hash += '&color=function'; });
        await page.waitForFunction(() => document.querySelector('select[aria-label="Color by"]').value === 'function');
        assert.ok(await page.evaluate(() => window.first.isConnected));
    });
    assert.equal(await remove.count(), 0);
    await finish(page, assert);
});

// The numbers of chips and rows are others' when it is released: nothing is done to those.
test('what has got the number of what was pressed is left alone', async () => {
    const page = await open(small);
    await page.evaluate(() => { location.hash = '#apply=hide:read'; });
    await page.getByRole('button', {name: 'Remove hide read'}).waitFor();
    // A test that waits for the page to show the change would wait for ever: it is held.
    const change = hash => async () => {
        await page.evaluate(hash => { location.hash = hash; }, hash);
        await page.waitForTimeout(1000);
    };
    await pressed(page, page.getByRole('button', {name: 'Remove hide read'}), change('#apply=hide:write|hide:read'));
    assert.match(await words(page, '.chips'), /write[^]*read/);
    await page.evaluate(() => { location.hash = '#view=tree'; });
    await page.locator('.table-tree .row').first().waitFor();
    const row = page.locator('.table-tree .row').nth(1), name = await row.innerText();
    await pressed(page, row, change('#view=tree&apply=hide:main'));
    assert.equal(await page.locator('.table-tree .row[aria-selected=true]').count(), 0, name);
    // Nothing else is lost by it.
    await page.locator('.table-tree .row').first().click();
    await resolved(page);
    assert.equal(await page.locator('.table-tree .row[aria-selected=true]').count(), 1);
    await finish(page, assert);
});

test('by the space bar too', async () => {
    const page = await open(tall), button = page.locator('.status .facts button');
    await button.focus();
    await page.keyboard.down(' ');
    await resize(page);
    await page.keyboard.up(' ');
    await resolved(page);
    assert.ok(await page.locator('.data-quality').isVisible());
    await finish(page, assert);
});

test('what is released elsewhere is not clicked, and shows what changed', async () => {
    const page = await open(small), facts = page.locator('.status .facts'), before = await facts.innerText();
    assert.doesNotMatch(before, /40/);
    const {x, y, width, height} = await boxOf(facts.getByRole('button'));
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.evaluate(() => { location.hash = '#apply=focus:parse'; });
    await page.waitForFunction(() => /focus/.test(document.querySelector('.chips').innerText));
    assert.equal(await facts.innerText(), before);
    await page.mouse.move(600, 400);
    await page.mouse.up();
    await resolved(page);
    assert.match(await facts.innerText(), /40/);
    assert.equal(await page.locator('.data-quality').isVisible(), false);
    await finish(page, assert);
});

// Where a list is open no release comes, so nothing is held: the select stays in a row that is made again.
test('the list of a select stays open', async () => {
    const page = await open(small), kind = page.getByRole('combobox', {name: 'Kind of search'});
    const isOpen = () => kind.evaluate(one => one.matches(':open'));
    await search(page, 'read');
    await resolved(page);
    await kind.click();
    assert.ok(await isOpen());
    await page.evaluate(() => { location.hash += '&apply=hide:write'; });
    await page.getByRole('button', {name: 'Remove hide write'}).waitFor();
    await resolved(page);
    assert.ok(await isOpen());
    assert.equal(await kind.count(), 1);
    assert.match(await words(page, '.chips'), /hide write[^]*read/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await resolved(page);
    assert.match(await page.evaluate(() => location.hash), /search=r/);
    assert.equal(await kind.inputValue(), 'regex');
    await finish(page, assert);
});
