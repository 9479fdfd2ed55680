// viewer_doing.mjs - doing things: the menu of a frame, the palette, undo, what keys close, what is said.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {LEX, PARSE, SMALL, close, finish, hover, open, pageOf, press, resolved, words} from './page.mjs';

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
        const field = await page.locator('.search').boundingBox(), box = await message.boundingBox();
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
