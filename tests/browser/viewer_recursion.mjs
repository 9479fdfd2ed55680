// viewer_recursion.mjs - a function that calls itself: offered to be one row with its depth, and expanded again.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {boxOf, click, close, finish, hashOf, hover, nameAt, open, pageOf, press, resolved, selected, spot, words} from
    './page.mjs';

after(close);

// main;deep;deep ... above read and write; and two frames of walk.
const chain = depth => 'main;' + 'deep;'.repeat(depth);
const folded = depth => `${chain(depth)}read 60\n${chain(depth / 2)}write 20\nmain;walk;walk;visit 20\n`;
const deep = pageOf(folded(118)), shallow = pageOf(folded(6));
const offer = page => page.locator('.offer');
const chips = page => words(page, '.chips');
// Under the row of chips, and without it.
const DEEP = {level: 2, at: 0.3}, WALK = {level: 2, at: 0.9}, BELOW = {level: 3, at: 0.3};

for (const [width, height] of [[1400, 800], [390, 800]])
    test(`a chain that fills the window is offered to be collapsed, ${width} px wide`, async () => {
        const page = await open(deep, {width, height});
        assert.equal(await words(page, '.offer'), 'deep calls itself 118 deep: collapse');
        const box = await boxOf(offer(page));
        assert.ok(box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height, 'in the window');
        assert.equal(await nameAt(page, BELOW), 'deep');
        await offer(page).getByRole('button').click();
        await resolved(page);
        assert.equal(await nameAt(page, BELOW), 'read');
        assert.match(await chips(page), /collapse direct/);
        assert.equal(await offer(page).isVisible(), false);
        await finish(page, assert);
    });

test('it is clicked also when the line that it is in changes under the pointer', async () => {
    const page = await open(deep);
    const box = await boxOf(offer(page).getByRole('button'));
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    const before = await words(page, '.status .facts');
    await page.setViewportSize({width: 1200, height: 760}); // more rows are drawn
    await page.waitForFunction(text => document.querySelector('.status .facts').innerText.replace(/\s+/g, ' ').trim() !== text, before);
    await page.setViewportSize({width: 1200, height: 700});
    await resolved(page);
    await page.mouse.up();
    await resolved(page);
    assert.match(await chips(page), /collapse direct/);
    await finish(page, assert);
});

test('it is offered once, and first in the palette', async () => {
    const page = await open(deep);
    await press(page, 'Control+k');
    const first = page.locator('.palette [role=option]').first();
    assert.match(await first.innerText(), /^Collapse direct recursion/);
    await press(page, 'Enter');
    assert.match(await chips(page), /collapse direct/);
    await press(page, 'Control+z');
    assert.equal(await nameAt(page, BELOW), 'deep');
    assert.equal(await offer(page).isVisible(), false);
    await press(page, 'Control+k');
    assert.doesNotMatch(await page.locator('.palette [role=option]').first().innerText(), /^Collapse direct recursion/);
    await finish(page, assert);
});

test('recursion that leaves room for the rest is not offered', async () => {
    const page = await open(shallow);
    assert.equal(await offer(page).isVisible(), false);
    await press(page, 'R');
    assert.match(await chips(page), /collapse direct/);
    await finish(page, assert);
});

test('the tooltip, the panel and the call tree say how deep it was', async () => {
    const page = await open(deep);
    await press(page, 'R');
    await hover(page, DEEP);
    assert.match(await words(page, '.tooltip'), /^deep recursion up to 118 deep total 80 samples/);
    await hover(page, WALK);
    assert.match(await words(page, '.tooltip'), /^walk recursion 2 deep total 20 samples/);
    await click(page, DEEP);
    assert.equal(await selected(page), 'deep');
    assert.match(await words(page, '.panel'), /recursion up to 118 deep/);
    assert.match(await words(page, '.panel'), /total 80 80 % 80 % 80 %/);
    await click(page, BELOW);
    assert.match(await words(page, '.panel section:last-of-type'), /deep ×118/);
    await press(page, '4');
    assert.ok(await page.getByText('deep ×118').first().isVisible());
    assert.match(await hashOf(page), /collapse/);
    await finish(page, assert);
});

test('one function is expanded, and collapsed again, by its menu', async () => {
    const page = await open(deep);
    await press(page, 'R');
    const menu = page.getByRole('menu'), item = name => menu.getByRole('menuitem', {name});
    const rightClick = async frame => {
        const {x, y} = await spot(page, frame);
        await page.mouse.click(x, y, {button: 'right'});
        await resolved(page);
    };
    await rightClick(DEEP);
    assert.match(await menu.getByRole('menuitem').first().innerText(), /^Expand its recursion/);
    await item('Expand its recursion').click();
    await resolved(page);
    assert.match(await chips(page), /collapse direct,!deep/);
    assert.equal(await nameAt(page, BELOW), 'deep');
    assert.equal(await nameAt(page, {level: 3, at: 0.9}), 'visit'); // walk is still one row
    await rightClick(DEEP);
    await item('Collapse its recursion').click();
    await resolved(page);
    assert.doesNotMatch(await chips(page), /!deep/);
    assert.equal(await nameAt(page, BELOW), 'read');
    await rightClick(DEEP);
    await item('Expand all recursion').click();
    await resolved(page);
    assert.equal(await nameAt(page, {level: 3, at: 0.9}), 'walk');
    await finish(page, assert);
});

test('the keys do the same, and undo leads back', async () => {
    const page = await open(deep);
    await press(page, 'R');
    await click(page, DEEP);
    await press(page, 'R');
    assert.match(await chips(page), /collapse direct,!deep/);
    await press(page, 'Control+z');
    assert.doesNotMatch(await chips(page), /!deep/);
    await press(page, 'O');
    assert.doesNotMatch(await chips(page), /collapse direct/);
    await press(page, 'Control+z');
    assert.match(await chips(page), /collapse direct/);
    await finish(page, assert);
});
