// viewer_doing.mjs - doing things: the menu of a frame, the palette, undo, what keys close, what is said.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {axeSource} from './browser.mjs';
import {IDLE, LEX, PARSE, SMALL, WRITE, boxOf, click, close, doubleClick, file, finish, hashOf, hover, nameAt, open, pageOf,
    press, resolved, selected, spot, words} from './page.mjs';

after(close);
const small = pageOf(SMALL);
const search = page => page.getByLabel('Search', {exact: true});

// ---- Searching ----------------------------------------------------------------------------------

test('/re/ is a regular expression, as in the command', async () => {
    const page = await open(small);
    await search(page).fill('/^(lex|idle)$/');
    await resolved(page);
    assert.match(await words(page, '.search .matches'), /^25(\.0)? %/);
    assert.equal(await page.getByLabel('Kind of search').inputValue(), 'regex');
    await search(page).fill('/^L/');
    await resolved(page);
    assert.equal(await words(page, '.search .matches'), 'no match');
    await search(page).fill('/^L/i');
    await resolved(page);
    assert.match(await words(page, '.search .matches'), /^10(\.0)? %/);
    await finish(page, assert);
});

for (const width of [1400, 390])
    test(`the message about a bad expression stands whole below the field, ${width} px wide`, async () => {
        const page = await open(small, {width, height: 800});
        await search(page).fill('/a very long expression whose bracket is never closed (lex|[a-z/');
        await resolved(page);
        const message = page.locator('.search-error');
        assert.match(await message.innerText(), /\[ is never closed/);
        const field = await boxOf(page.locator('.search')), box = await boxOf(message);
        assert.ok(box.y >= field.y + field.height, 'below');
        assert.ok(box.x >= 0 && box.x + box.width <= width, 'in the window');
        assert.ok(await message.evaluate(one => one.scrollWidth <= one.clientWidth &&
            one.scrollHeight <= one.clientHeight), 'whole');
        assert.equal(await search(page).getAttribute('aria-describedby'), await message.getAttribute('id'));
        await search(page).fill('/lex/');
        await resolved(page);
        assert.equal(await message.isVisible(), false);
        await finish(page, assert);
    });

// ---- The menu of a frame ------------------------------------------------------------------------

const menu = page => page.getByRole('menu');
const items = page => menu(page).getByRole('menuitem');
const focused = page => page.evaluate(() => document.activeElement.innerText.split('\n')[0]);
async function rightClick(page, frame) {
    const {x, y} = await spot(page, frame);
    await page.mouse.click(x, y, {button: 'right'});
    await resolved(page);
    return {x, y};
}

test('a right click opens the menu of a frame, at the pointer and in the window', async () => {
    const page = await open(small);
    const {x, y} = await rightClick(page, PARSE);
    assert.equal(await menu(page).getAttribute('aria-label'), 'parse');
    assert.equal(await selected(page), 'parse');
    const box = await boxOf(menu(page));
    assert.ok(Math.abs(box.x - x) < 3 && box.y <= y + 3);
    const titles = (await items(page).allInnerTexts()).join('\n');
    for (const word of ['Zoom', 'Focus', 'Hide the function', 'Drop', 'recursion', 'Callers', 'Copy', 'Search'])
        assert.ok(titles.includes(word), word);
    await items(page).filter({hasText: 'Hide the function'}).click();
    await resolved(page);
    assert.equal(await menu(page).count(), 0);
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 1);
    await rightClick(page, {level: 1, at: 0.98});
    const corner = await boxOf(menu(page)), {width, height} = page.viewportSize();
    assert.ok(corner.x >= 0 && corner.x + corner.width <= width && corner.y + corner.height <= height);
    await finish(page, assert);
});

test('where there is no frame the menu has what is about all of it', async () => {
    const page = await open(small);
    const box = await boxOf(page.locator('.stage'));
    await page.mouse.click(box.x + 400, box.y + box.height - 40, {button: 'right'});
    const titles = await items(page).allInnerTexts();
    assert.ok(titles.some(title => title.includes('Show everything')));
    assert.ok(!titles.some(title => title.includes('Hide')));
    await page.mouse.click(box.x + 100, box.y + box.height - 60);
    assert.equal(await menu(page).count(), 0);
    await finish(page, assert);
});

for (const key of ['ContextMenu', 'Shift+F10'])
    test(`${key} opens the menu, arrows and letters move in it, Escape only closes it`, async () => {
        const page = await open(small);
        await click(page, PARSE);
        const before = await hashOf(page);
        await press(page, key);
        assert.equal(await menu(page).count(), 1);
        const {y} = await spot(page, PARSE), box = await boxOf(menu(page));
        assert.ok(box.y > y && box.y < y + 60, 'below the frame');
        assert.equal(await focused(page), 'Zoom');
        await press(page, 'ArrowDown');
        assert.match(await focused(page), /^Focus/);
        await press(page, 'ArrowUp', 'ArrowUp');
        assert.equal(await focused(page), (await items(page).last().innerText()).split('\n')[0]);
        await press(page, 'Home', 'd');
        assert.match(await focused(page), /^Drop/);
        await press(page, 'Escape');
        assert.equal(await menu(page).count(), 0);
        assert.equal(await selected(page), 'parse');
        assert.equal(await hashOf(page), before);
        assert.ok(await page.locator('.surface').evaluate(one => one === document.activeElement));
        await press(page, key, 'ArrowDown', 'Enter');
        assert.match(await words(page, '[aria-label=Transforms] .chip'), /focus parse/);
        await finish(page, assert);
    });

test('rows of tables have the menu too', async () => {
    const page = await open(small);
    await press(page, '5');
    const row = page.locator('.table-top .row', {hasText: 'write'});
    await row.click({button: 'right'});
    await resolved(page);
    assert.equal(await menu(page).getAttribute('aria-label'), 'write');
    await press(page, 'Escape');
    assert.ok(await page.locator('.table-top').evaluate(one => one === document.activeElement));
    await press(page, 'Home', 'ArrowDown', 'ContextMenu');
    const current = await page.locator('.table-top .row.is-current .name').innerText();
    assert.equal(await menu(page).getAttribute('aria-label'), current);
    await finish(page, assert);
});

test('the menu, the palette and an error of the search can be used by everyone', async () => {
    const page = await open(small);
    const violations = async () => {
        await page.evaluate(axeSource);
        const found = await page.evaluate(() => globalThis.axe.run());
        return found.violations.filter(one => ['serious', 'critical'].includes(one.impact)).map(one =>
            `${one.id}: ${one.nodes.map(node => node.html.slice(0, 90)).join(' ')}`);
    };
    await click(page, PARSE);
    await press(page, 'm', 'ContextMenu');
    assert.deepEqual(await violations(), []);
    await press(page, 'Escape', ':');
    assert.deepEqual(await violations(), []);
    await press(page, 'Escape');
    await search(page).fill('/(/');
    await resolved(page);
    assert.deepEqual(await violations(), []);
    await finish(page, assert);
});

// ---- What Escape closes, and what is said -------------------------------------------------------

test('Escape closes what is open, one after the other, and nothing else', async () => {
    const page = await open(small);
    await search(page).fill('re');
    await page.locator('[data-key=matches]').click();
    await press(page, 'f');
    await doubleClick(page, {level: 1, at: 0.5});
    const state = (await hashOf(page)).replace(/&?select=[^&]*/, '');
    await page.getByRole('button', {name: 'More', exact: true}).click();
    await press(page, 'Escape');
    assert.equal(await page.locator('#flamel-menu').isVisible(), false);
    assert.ok(await selected(page));
    await page.locator('.surface').focus();
    await press(page, ':', 'Escape');
    assert.equal(await page.locator('.palette').isVisible(), false);
    assert.ok(await selected(page));
    await press(page, 'Escape');
    assert.equal(await page.locator('.panel-matches').isVisible(), false);
    await press(page, 'Escape');
    assert.equal(await page.locator('.panel').isVisible(), false);
    await press(page, 'Escape', 'Escape');
    assert.equal((await hashOf(page)).replace(/&?select=[^&]*/, ''), state);
    await finish(page, assert);
});

test('a tooltip goes with a key, an action and a search, until the pointer moves', async () => {
    const page = await open(small);
    const tooltip = page.locator('.tooltip');
    for (const change of [() => press(page, '+'), () => press(page, 'Escape'), () => search(page).fill('x'),
        () => search(page).fill('')]) {
        await hover(page, LEX);
        await hover(page, PARSE);
        assert.ok(await tooltip.isVisible());
        await change();
        await resolved(page);
        assert.equal(await tooltip.isVisible(), false);
    }
    await hover(page, WRITE);
    assert.ok(await tooltip.isVisible());
    // The panel opens beside the picture, which has another frame at that place then.
    await click(page, WRITE);
    await page.locator('.panel').waitFor();
    await resolved(page);
    assert.equal(await tooltip.isVisible(), false);
    await finish(page, assert);
});

test('a note about what did not work is gone when something works', async () => {
    const page = await open(small);
    const note = page.locator('.notice');
    await page.locator('.surface').focus();
    for (const works of [() => press(page, '+'), () => click(page, IDLE), () => search(page).fill('le'),
        () => press(page, ':', 'Escape')]) {
        await page.locator('.surface').focus();
        await press(page, 'Control+z');
        assert.equal(await note.innerText(), 'there is nothing to undo');
        await works();
        await resolved(page);
        assert.equal(await note.innerText(), '');
    }
    await finish(page, assert);
});

// ---- The palette --------------------------------------------------------------------------------

const entries = page => page.locator('.palette li');
const field = page => page.locator('.palette input');

test('the palette knows the words that people try', async () => {
    const page = await open(small);
    await click(page, PARSE);
    await press(page, ':');
    assert.match(await entries(page).first().innerText(), /^Zoom to the selected frame/);
    for (const [typed, title] of [['delete', 'Drop stacks'], ['exclude', 'Hide this function'],
        ['group', 'Group frames by: module'], ['reverse', 'Inverted'], ['icicle', 'Root at the bottom'],
        ['bottom-up', 'Inverted'], ['dark', 'Theme: dark'], ['theme', 'Theme: light'], ['filter', 'Keep only stacks'],
        ['sort', 'Sort the table'], ['copy', 'Copy the stack'], ['export', 'Save as: svg'], ['share', 'Copy a link'],
        ['open', 'Open a file'], ['open a file', 'Open a file'], ['diff', 'Compare with a file'], ['print', 'Print']]) {
        await field(page).fill(typed);
        const titles = await entries(page).allInnerTexts();
        assert.ok(titles.slice(0, 10).some(one => one.startsWith(title)), `${typed}: ${titles.slice(0, 10)}`);
    }
    await field(page).fill('only my code');
    const own = await entries(page).filter({hasText: /^Only my code/}).count();
    assert.ok(own <= 1, `${own} entries`);
    await field(page).fill('group function');
    await press(page, 'Enter');
    assert.match(await words(page, '[aria-label=Transforms] .chip'), /by function/);
    await finish(page, assert);
});

test('a file to compare with is chosen from the palette', async () => {
    const page = await open(small);
    // The browser is told that a test chooses, and does not answer: it has to know it when the key arrives.
    const chosen = page.waitForEvent('filechooser');
    await press(page, ':');
    await field(page).fill('compare with');
    await entries(page).first().filter({hasText: /^Compare with a file/}).waitFor();
    await press(page, 'Enter');
    await (await chosen).setFiles(file('later.folded', 'main;parse 5\n'));
    await page.locator('.chip-group[aria-label=Comparison] select').first().waitFor();
    await finish(page, assert);
});

test('what is not possible now says why, in the palette', async () => {
    const page = await open(small);
    await press(page, ':');
    await field(page).fill('drop stacks');
    assert.match(await entries(page).first().innerText(), /no function is selected/);
    await press(page, 'Enter');
    assert.equal(await words(page, '.palette .wrong'), 'no function is selected');
    await finish(page, assert);
});

test('the theme is chosen, shown and remembered', async () => {
    const page = await open(small, {colorScheme: 'light'});
    const ink = () => page.locator('.flamel').evaluate(one => getComputedStyle(one).backgroundColor);
    const light = await ink();
    await press(page, ':');
    await field(page).fill('dark');
    await press(page, 'Enter');
    const dark = await ink();
    assert.notEqual(dark, light);
    const corner = () => page.evaluate(() => Array.from(document.querySelector('.stage canvas').getContext('2d')
        .getImageData(2, document.querySelector('.stage canvas').height - 3, 1, 1).data.slice(0, 3)).join(', '));
    assert.equal(`rgb(${await corner()})`, dark);
    await page.reload();
    await page.waitForSelector('.stage[data-settled=true]');
    await resolved(page);
    assert.equal(await ink(), dark);
    await page.getByRole('button', {name: 'More', exact: true}).click();
    assert.equal(await page.getByLabel('Theme').inputValue(), 'dark');
    await page.getByLabel('Theme').selectOption('system');
    assert.equal(await ink(), light);
    await finish(page, assert);
});

test('keys are shown as they are pressed', async () => {
    const page = await open(small);
    await press(page, '?');
    const keys = title => page.locator('.help dl div', {hasText: title}).first().locator('kbd').allInnerTexts();
    assert.deepEqual(await keys('Undo transform'), ['Ctrl Z', 'U']);
    assert.deepEqual(await keys('Redo transform'), ['Ctrl Y', 'Ctrl Shift Z']);
    assert.deepEqual(await keys('All actions'), [':', 'Ctrl K', 'Ctrl Shift P']);
    await finish(page, assert);
});

// ---- Transforms ---------------------------------------------------------------------------------

test('a transform that matches nothing says so, with what would match, and is corrected there', async () => {
    const page = await open(pageOf('main;parse;read_bytes_[k] 3\nmain;write 1\n'));
    await press(page, 'x');
    await field(page).fill('hide:kernel');
    await press(page, 'Enter');
    const wrong = page.locator('.palette .wrong');
    assert.equal(await wrong.innerText(), "no frame matches 'kernel' (hide:kind=kernel matches the kind)");
    assert.ok(await wrong.evaluate(one => one.scrollWidth <= one.clientWidth), 'whole');
    await field(page).fill('hide:read_byts');
    await press(page, 'Enter');
    assert.match(await wrong.innerText(), /did you mean read_bytes/);
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 0);
    await field(page).fill('hide:kind=kernel');
    await press(page, 'Enter');
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 1);
    await finish(page, assert);
    const linked = await open(small, {hash: '#apply=drop:nowhere'});
    assert.match(await words(linked, '[aria-label=Transforms] .chip'), /drop nowhere matches nothing/);
    assert.match(await linked.locator('[aria-label=Transforms] .chip').getAttribute('title'), /no frame matches/);
    await finish(linked, assert);
});

test('each chip tells how much it removed', async () => {
    const page = await open(small, {hash: '#apply=drop:idle%20|%20hide:parse'});
    const all = () => page.locator('[aria-label=Transforms] .chip').allInnerTexts()
        .then(texts => texts.map(text => text.replace(/\s+/g, ' ')));
    assert.match((await all())[0], /drop idle ?−15 %/);
    assert.match((await all())[1], /hide parse ?−1 frame/);
    await finish(page, assert);
});

test('undo and redo stand by the chips, with their keys', async () => {
    const page = await open(small);
    const undo = page.locator('.chips [data-key=undo]'), redo = page.locator('.chips [data-key=redo]');
    await click(page, PARSE);
    assert.equal(await undo.isVisible(), false);
    await press(page, 'm');
    assert.equal(await undo.getAttribute('title'), 'Undo transform (Ctrl Z, U)');
    assert.equal(await redo.getAttribute('title'), 'Redo transform (Ctrl Y, Ctrl Shift Z)');
    assert.equal(await redo.isDisabled(), true);
    await undo.click();
    await resolved(page);
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 0);
    assert.equal(await redo.isDisabled(), false);
    await press(page, 'Control+Shift+Z');
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 1);
    await press(page, 'Control+z', 'Control+y');
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 1);
    await finish(page, assert);
});

test('labels and their values are offered, readable in a narrow window', async () => {
    const page = await open(pageOf(['app 100/101 1.0: 1 cycles:', '\t1 f (/bin/x)', '', 'app 100/102 1.1: 1 cycles:',
        '\t1 g (/bin/x)', '', ''].join('\n')), {width: 390, height: 800});
    await press(page, 'x');
    await field(page).fill('label:');
    const thread = entries(page).filter({hasText: 'thread='});
    assert.equal((await thread.innerText()).replace(/\s+/g, ' '), 'thread= 2 values: 101, 102');
    assert.ok(await thread.locator('.muted').evaluate(one => one.scrollWidth <= one.clientWidth), 'whole');
    await thread.click();
    assert.equal(await field(page).inputValue(), 'label:thread=');
    await field(page).fill('label:tid=');
    await entries(page).filter({hasText: '102'}).click();
    await resolved(page);
    assert.match(await words(page, '[aria-label=Transforms] .chip'), /tid 102 ?−50 %/);
    await finish(page, assert);
});
