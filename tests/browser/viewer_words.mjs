// viewer_words.mjs - searches, transforms, tables, the palette: everything but the picture.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {IDLE, MAIN, PARSE, READ, SMALL, WRITE, boxOf, click, close, colors, doubleClick, finish, hashOf, hover,
    nameAt, open, pageOf, press, selected, resolved, words} from './page.mjs';

after(close);
const small = pageOf(SMALL);
const chips = page => page.locator('.chips');
const chip = (page, text) => page.locator('.chip', {hasText: text});

// ---- Search -------------------------------------------------------------------------------------

test('a search shows its matches and their share while it is typed', async () => {
    const page = await open(small);
    await press(page, '/');
    await page.keyboard.type('re');
    await resolved(page);
    assert.match(await words(page, '.search .matches'), /^40(\.0)? %/);
    await page.keyboard.type('q');
    await resolved(page);
    assert.equal(await words(page, '.search .matches'), 'no match');
    await press(page, 'Backspace', 'Enter');
    assert.match(await words(page, '.search .matches'), /2 of 2/); // the heaviest comes first
    assert.equal(await selected(page), 'read');
    await doubleClick(page, PARSE);
    assert.match(await words(page, '.chip'), /40 % · self 40 % · 100 % of view 1 function/);
    // Escape leaves the field, and what is searched stays until it is removed.
    await press(page, '0', '/');
    await press(page, 'Escape');
    assert.ok(await page.locator('.surface').evaluate(one => one === document.activeElement));
    assert.match(await words(page, '.chip'), /40 %/);
    await page.getByRole('button', {name: /^Remove the search/}).click();
    await resolved(page);
    assert.equal(await chips(page).isVisible(), false);
    await finish(page, assert);
});

test('nested matches count once', async () => {
    const page = await open(pageOf('a;b;a;c 30\na;x 20\nb 50\n'));
    await press(page, '/');
    await page.keyboard.type('a');
    await resolved(page);
    assert.match(await words(page, '.search .matches'), /^50(\.0)? %/);
    await finish(page, assert);
});

test('a search may be a regular expression, whose errors are shown', async () => {
    const page = await open(small);
    await press(page, '/');
    await page.keyboard.type('^(lex|idle)$');
    await page.getByLabel('Kind of search').selectOption('regex');
    await resolved(page);
    assert.match(await words(page, '.search .matches'), /^25(\.0)? %/);
    await page.getByLabel('Search', {exact: true}).fill('(lex');
    await resolved(page);
    assert.ok(await page.locator('.search.is-wrong').isVisible());
    assert.ok((await words(page, '.search-error')).length > 8);
    await finish(page, assert);
});

test('several searches are shown together, each in its color', async () => {
    const page = await open(small);
    const before = await colors(page);
    await press(page, '/');
    await page.keyboard.type('write');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.type('idle');
    await resolved(page);
    assert.equal(await page.locator('[aria-label=Searches] .chip').count(), 2);
    const swatches = await page.locator('[aria-label=Searches] .swatch').evaluateAll(all =>
        all.map(one => getComputedStyle(one).backgroundColor));
    assert.notEqual(swatches[0], swatches[1]);
    assert.notDeepEqual(await colors(page), before);
    await page.getByRole('button', {name: 'Remove the search write'}).click();
    await resolved(page);
    assert.equal(await page.locator('[aria-label=Searches] .chip').count(), 1);
    await finish(page, assert);
});

test('the functions that a search found are a list, from which one can be selected', async () => {
    const page = await open(small);
    await press(page, '/');
    await page.keyboard.type('e');
    await resolved(page);
    await page.locator('[data-key=matches]').click();
    await resolved(page);
    const rows = page.locator('.table-list .row');
    assert.deepEqual((await rows.locator('.name').allInnerTexts()).sort(),
        ['idle', 'lex', 'parse', 'read', 'write']);
    await rows.filter({hasText: 'write'}).click();
    await resolved(page);
    assert.equal(await selected(page), 'write');
    await finish(page, assert);
});

// ---- Transforms ---------------------------------------------------------------------------------

test('a transform of the selected frame is a chip that is switched and removed', async () => {
    const page = await open(small);
    await click(page, PARSE);
    await page.locator('.actions [data-key=hide]').click();
    await resolved(page);
    assert.equal(await page.locator('[aria-label=Transforms] .chip').count(), 1);
    assert.notEqual(await nameAt(page, PARSE), 'parse');
    await chip(page, 'parse').getByRole('button').first().click();
    assert.equal(await nameAt(page, PARSE), 'parse');
    await chip(page, 'parse').getByRole('button').first().click();
    assert.notEqual(await nameAt(page, PARSE), 'parse');
    await page.getByRole('button', {name: /^Remove .*parse/}).click();
    assert.equal(await nameAt(page, PARSE), 'parse');
    await finish(page, assert);
});

test('transforms are typed, completed, corrected, ordered and undone', async () => {
    const page = await open(small);
    await page.locator('.surface').focus();
    await press(page, 'x');
    const field = page.locator('.palette input');
    await field.fill('hid');
    const offered = await page.locator('.palette li').allInnerTexts();
    assert.ok(offered.some(text => text.startsWith('hide')), offered.join(' '));
    await field.fill('conceal:lex');
    await field.press('Enter');
    assert.ok((await words(page, '.palette .wrong')).length > 8);
    await field.fill('hide:lex');
    await field.press('Enter');
    await resolved(page);
    await press(page, 'x');
    await field.fill('drop:idle');
    await field.press('Enter');
    await resolved(page);
    const texts = () => page.locator('[aria-label=Transforms] .chip').allInnerTexts()
        .then(all => all.map(text => text.replace(/[^a-z:.* ]/g, '').trim()));
    const [first, second] = await texts();
    assert.match(first, /lex/);
    assert.match(second, /idle/);
    await page.locator('[data-key=operation-0]').focus();
    await page.keyboard.press('Control+ArrowRight');
    await resolved(page);
    assert.deepEqual(await texts(), [second, first]);
    await page.locator('.surface').focus();
    await press(page, 'Control+z', 'Control+z');
    assert.equal((await texts()).length, 1);
    await finish(page, assert);
});

// ---- Tables -------------------------------------------------------------------------------------

test('the table of functions sorts, and selecting there selects in the picture', async () => {
    const page = await open(small, {width: 1400});
    await page.locator('.tools > .views').getByRole('button', {name: 'Top table'}).click();
    await resolved(page);
    const names = () => page.locator('.table-top .row .name').allInnerTexts();
    assert.deepEqual((await names()).slice(0, 2).sort(), ['read', 'write']);
    await page.getByRole('columnheader', {name: 'Total', exact: true}).click();
    await resolved(page);
    assert.equal((await names())[0], 'main');
    await page.locator('.table-top .row', {hasText: 'write'}).click();
    await resolved(page);
    await page.waitForTimeout(450);
    assert.equal(await selected(page), 'write');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await finish(page, assert);
});

test('pointing at a row marks the frame in the picture, and pointing at a frame its row', async () => {
    const page = await open(small, {width: 1400});
    for (const [key, table, name, frame] of [['5', 'top', 'write', WRITE], ['4', 'tree', 'main', MAIN]]) {
        await press(page, key);
        await page.mouse.move(2, 2);
        await resolved(page);
        const before = await colors(page);
        await page.locator(`.table-${table} .row`, {hasText: name}).hover();
        await resolved(page);
        assert.notDeepEqual(await colors(page), before, table);
        assert.equal(await page.locator('.tooltip').isVisible(), false);
        await page.mouse.move(2, 2);
        await resolved(page);
        assert.deepEqual(await colors(page), before, table);
        await hover(page, frame);
        const marked = await page.locator(`.table-${table} .is-hovered .name`).allInnerTexts();
        assert.deepEqual(marked.map(text => text.replace(/^\W+/, '')), [name]);
    }
    await finish(page, assert);
});

test('a narrow table leaves columns out, never the name', async () => {
    const page = await open(small, {width: 1000});
    await click(page, READ);
    await press(page, '5');
    const table = await boxOf(page.locator('.table-top'));
    const heads = page.locator('.table-top [role=columnheader]');
    const name = await boxOf(heads.filter({hasText: 'Function'}));
    assert.ok(name.width > 100 && name.x + name.width <= table.x + table.width);
    assert.ok(await heads.filter({hasText: 'Self'}).first().isVisible());
    await finish(page, assert);
});

test('the call tree opens and closes, also with keys', async () => {
    const page = await open(small, {width: 1400});
    await press(page, '4');
    const table = page.locator('.table-tree');
    await table.focus();
    const before = await table.getByRole('row').count();
    await press(page, 'Home', 'ArrowLeft');
    assert.ok(await table.getByRole('row').count() < before);
    await press(page, 'ArrowRight');
    assert.equal(await table.getByRole('row').count(), before);
    await finish(page, assert);
});

test('a table of many functions makes only the rows that are seen', async () => {
    const lines = Array.from({length: 30000}, (_, i) => `main;function${i} ${30000 - i}`).join('\n');
    const page = await open(pageOf(lines + '\n'), {width: 1400});
    await press(page, '5');
    const rows = page.locator('.table-top .row');
    assert.ok(await rows.count() < 100);
    assert.equal(await page.locator('.table-top').getAttribute('aria-rowcount'), '30002');
    await page.locator('.table-top').focus();
    await press(page, 'End');
    assert.ok((await rows.locator('.name').allInnerTexts()).some(name => /function29999|main/.test(name)));
    await finish(page, assert);
});

// ---- Palette, keys, words -----------------------------------------------------------------------

test('the palette has every action, and does it', async () => {
    const page = await open(small);
    await press(page, 'Control+k');
    await page.keyboard.type('show as top');
    await press(page, 'Enter');
    assert.match(await hashOf(page), /view=top/);
    await press(page, ':');
    await page.keyboard.type('search for');
    await press(page, 'Enter');
    await page.keyboard.type('lex');
    await press(page, 'Enter');
    assert.match(await hashOf(page), /search=/);
    await press(page, ':', 'Escape');
    assert.equal(await page.locator('.palette').isVisible(), false);
    await finish(page, assert);
});

test('the question mark shows the keys', async () => {
    const page = await open(small);
    await press(page, '?');
    const help = page.getByRole('dialog', {name: 'Keys'});
    assert.ok(await help.isVisible());
    const text = await help.innerText();
    for (const word of ['Zoom in', 'Back', 'All actions', 'Ctrl K']) assert.ok(text.includes(word), word);
    await press(page, 'Escape');
    assert.equal(await help.isVisible(), false);
    await finish(page, assert);
});

test('the panel has the details of a frame, and leads to its callers and callees', async () => {
    const page = await open(small);
    await click(page, READ);
    const panel = await words(page, '.panel');
    assert.match(panel, /total 30.* 30(\.0)? %/);
    assert.match(panel, /of view of parent of total/);
    assert.match(panel, /total 30 30 % 75 % 30 %/);
    assert.match(panel, /all 2 occurrences 40/);
    await page.locator('.panel .frames button', {hasText: 'parse'}).first().click();
    await resolved(page);
    assert.equal(await selected(page), 'parse');
    await finish(page, assert);
});

test('the status line counts, and opens into everything that is known', async () => {
    const page = await open(small);
    const status = await words(page, '.status');
    assert.match(status, /stacks/);
    assert.match(status, /drawn \d+/);
    await press(page, 'Shift+H');
    const sheet = page.locator('.data-quality');
    assert.ok(await sheet.isVisible());
    assert.match(await sheet.innerText(), /merged/);
    await finish(page, assert);
});

test('copying works with and without the permission', async () => {
    const page = await open(small);
    await page.evaluate(() => {
        window.copied = [];
        document.addEventListener('copy', () => window.copied.push(String(document.activeElement.value)));
        Object.defineProperty(navigator, 'clipboard', {value: {writeText: text => {
            window.asked = text;
            return Promise.reject(new Error('not allowed'));
        }}});
    });
    await click(page, READ);
    await press(page, 'y');
    assert.equal(await page.evaluate(() => window.asked), 'read');
    assert.deepEqual(await page.evaluate(() => window.copied), ['read']);
    await press(page, 'Shift+Y');
    assert.match(await page.evaluate(() => window.asked), /read\n\s*parse\n\s*main/);
    await finish(page, assert);
});

test('the view and the profile are saved as files', async () => {
    const page = await open(small);
    await doubleClick(page, MAIN);
    for (const [kind, begins] of [['SVG', /<svg|<\?xml/], ['PNG', /^.PNG/], ['PDF', /^%PDF/],
        ['FLM', /^FLAMEL/], ['FOLDED', /main;/]]) {
        await page.getByRole('button', {name: 'More', exact: true}).click();
        const [download] = await Promise.all([page.waitForEvent('download'),
            page.getByRole('button', {name: kind, exact: true}).click()]);
        assert.ok(download.suggestedFilename().endsWith('.' + kind.toLowerCase()));
        const chunks = [];
        for await (const chunk of await download.createReadStream()) chunks.push(chunk);
        assert.match(Buffer.concat(chunks).toString('latin1').slice(0, 4000), begins, kind);
    }
    await finish(page, assert);
});

test('the debug overlay has the times of a picture', async () => {
    const page = await open(small);
    await press(page, '`');
    assert.match(await words(page, '.overlay'),
        /visited.*drawn.*layout \+ cull \d+\.\d\d ms.*memory [\d.]+ MiB.*\d nodes/);
    await press(page, '`');
    assert.equal(await page.locator('.overlay').isVisible(), false);
    await finish(page, assert);
});

test('nothing is hidden without a count: frames too narrow to see are one box', async () => {
    const lines = Array.from({length: 20000}, (_, i) => `main;tiny${i} 1`).join('\n');
    const page = await open(pageOf(lines + '\nmain;large 20000\n'));
    assert.match(await words(page, '.status'), /merged [1-9]/);
    const {x, y} = await (await import('./page.mjs')).spot(page, {level: 2, at: 0.9});
    await page.mouse.move(x, y);
    await resolved(page);
    assert.match(await words(page, '.tooltip'), /\d/);
    await page.mouse.click(x, y);
    await page.waitForTimeout(450);
    assert.match(await words(page, '.panel'), /20,000 narrow frames.* 19,988 more/);
    assert.equal(await nameAt(page, IDLE) === null, false);
    assert.equal(await nameAt(page, WRITE) === null, false);
    await finish(page, assert);
});

test('an unavailable action says why, and the search field keeps its text', async () => {
    const page = await open(small);
    const field = page.locator('.search input');
    await field.fill('read');
    await resolved(page);
    await page.locator('.stage').click({position: {x: 300, y: 400}});
    await press(page, 'Control+z');
    assert.equal(await field.inputValue(), 'read');
    assert.equal(await words(page, '.notice'), 'there is nothing to undo');
    await press(page, 'm');
    assert.equal(await words(page, '.notice'), 'no function is selected');
    await press(page, 'v');
    assert.match(await words(page, '.notice'), /^nothing is compared: /);
    await finish(page, assert);
});
