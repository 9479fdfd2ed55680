// viewer_names.mjs - names, colors and numbers: what is long, negative or one hue, as a person sees it.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {boxOf, click, close, colors, finish, hover, open, pageOf, press, resolved, words} from './page.mjs';

after(close);

const LONG = `app::Table<${Array.from({length: 90}, (_, i) => `std::pair<Key${i}, Value>`).join(', ')}>::find(int)`;

async function isInSight(page, locator, height) {
    const box = await boxOf(page.locator(locator).first());
    return box !== null && box.y >= 0 && box.y + box.height <= height;
}

for (const [width, height] of [[1400, 500], [390, 700]])
    test(`a name of 2,000 characters leaves the numbers in sight at ${width} px`, async () => {
        assert.ok(LONG.length > 1900);
        const page = await open(pageOf(`main;${LONG} 30\nmain;other 10\n`), {width, height});
        const frame = {level: 2, at: 0.3};
        if (width > 1000) {
            await hover(page, frame);
            assert.ok((await boxOf(page.locator('.tooltip b'))).height < 70);
            assert.ok(await isInSight(page, '.tooltip table', height));
        }
        await click(page, frame);
        assert.ok((await boxOf(page.locator('.panel h2'))).height < 70);
        assert.ok(await isInSight(page, '.panel .figures tbody tr', height));
        const whole = page.getByRole('button', {name: 'Whole name'});
        if (width > 1000) {
            await whole.click();
            assert.equal(await whole.getAttribute('aria-expanded'), 'true');
            assert.ok((await boxOf(page.locator('.panel h2'))).height > 70);
            assert.ok(await isInSight(page, '.panel .figures tbody tr', height));
            await whole.click();
            assert.ok((await boxOf(page.locator('.panel h2'))).height < 70);
        }
        await finish(page, assert);
    });

test('a short name has no button for the rest of it', async () => {
    const page = await open(pageOf('main;read 30\n'), {width: 1400});
    await click(page, {level: 2, at: 0.5});
    assert.equal(await page.getByRole('button', {name: 'Whole name'}).isVisible(), false);
    await finish(page, assert);
});

test('a long path of a module takes lines in the panel, not more than its width', async () => {
    const module = `/opt/${'ThreadPoolExecutor'.repeat(6)}.so`;
    const page = await open(pageOf(`app 1/1 1.0: 1 cycles:\n\t1 f (${module})\n\n`), {width: 1400});
    await click(page, {level: 2, at: 0.5});
    const panel = page.locator('.panel');
    assert.match(await panel.innerText(), /ThreadPoolExecutor\.so/);
    assert.ok(await panel.evaluate(one => one.scrollWidth <= one.clientWidth));
    await finish(page, assert);
});

test('what the colors mean is seen without a menu', async () => {
    const page = await open(pageOf('main;ext4_read 30\nmain;ext4_write 10\nmain;tcp_send 20\n'), {width: 1400});
    const items = page.getByRole('group', {name: 'Colors'}).locator('.legend-item');
    const titles = await items.allInnerTexts();
    assert.ok(titles.includes('ext4') && titles.includes('tcp'), titles.join());
    assert.ok(await items.first().isVisible());
    await finish(page, assert);
});

test('a program in one namespace has several hues, which a transform leaves as they are', async () => {
    const page = await open(pageOf('app::main;app::Lexer::next 30\napp::main;app::Writer::flush 30\n' +
        'app::main;app::Index::find 30\n'), {width: 1400});
    const titles = await page.getByRole('group', {name: 'Colors'}).locator('.legend-item').allInnerTexts();
    for (const one of ['app::Lexer', 'app::Writer', 'app::Index']) assert.ok(titles.includes(one), titles.join());
    const swatches = () => page.getByRole('group', {name: 'Colors'}).locator('.swatch').evaluateAll(all =>
        Object.fromEntries(all.map(one => [one.parentElement.innerText, getComputedStyle(one).backgroundColor])));
    const before = await swatches();
    await press(page, 'x');
    await page.keyboard.type('keep:app::Lexer::next');
    await press(page, 'Enter');
    await resolved(page);
    assert.equal((await swatches())['app::Lexer'], before['app::Lexer']);
    await finish(page, assert);
});

test('negative values are seen to be negative', async () => {
    const signed = await open(pageOf('main;a 5\nmain;b -7\nmain;c 1\n', '--signed'), {width: 1000});
    const plain = await open(pageOf('main;a 5\nmain;b 7\nmain;c 1\n'), {width: 1000});
    assert.notDeepEqual(await colors(signed), await colors(plain));
    await hover(signed, {level: 2, at: 0.5});
    assert.match(await words(signed, '.tooltip'), /-7/);
    await finish(signed, assert);
    await finish(plain, assert);
});
