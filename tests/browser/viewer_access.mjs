// viewer_access.mjs - the viewer for everyone: axe in every view, the sizes of what is pressed, what takes the focus,
// and the numbers of a selected function where there is little room.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {axeSource} from './browser.mjs';
import {PARSE, SMALL, click, close, converted, file, finish, open, pageOf, press, resolved} from './page.mjs';

after(close);

// All views: samples over time of two threads, compared with others.
const samples = counts => Object.entries(counts).flatMap(([name, count], thread) =>
    Array.from({length: count}, (_, i) => `app 7/${7 + thread} [000] 1.${100000 + i * 1000}: 1000000 cpu-clock:\n` +
        `\t1234 ${name}+0x1 (/bin/app)\n\t1235 main+0x1 (/bin/app)\n\n`)).join('');
const small = pageOf(SMALL);
const compared = pageOf(samples({parse: 40, write: 20}));
const baseline = converted(samples({parse: 20, write: 30}), 'flm');

const SIZES = [{width: 1400, height: 800}, {width: 390, height: 800}];

async function violations(page) {
    await page.evaluate(axeSource);
    const {violations} = await page.evaluate(() => window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        rules: {'page-has-heading-one': {enabled: false}},
    }));
    return violations.map(({id, impact, nodes}) =>
        `${id} (${impact}): ${nodes.map(node => node.html.slice(0, 160)).join(' ')}`);
}

async function openAll(options) {
    const page = await open(compared, {...options, bypassCSP: true});
    await page.locator('input[type=file]').first().setInputFiles(baseline);
    await page.waitForTimeout(300);
    await page.locator('input[type=file]').first().setInputFiles([baseline, file('after.txt', samples({parse: 40, write: 20}))]);
    await page.waitForFunction(() => /against/.test(document.title));
    await resolved(page);
    return page;
}

test('axe finds nothing in any view, light or dark, wide or narrow, with a selection or without', async () => {
    for (const size of SIZES)
        for (const colorScheme of ['light', 'dark']) {
            const page = await openAll({...size, colorScheme});
            for (const view of ['1', '2', '3', '4', '5', '6']) {
                await press(page, view);
                assert.deepEqual(await violations(page), [], `view ${view}, ${size.width} px, ${colorScheme}`);
                if (view === '1') await click(page, {level: 2, at: 0.3});
            }
            await finish(page, assert);
        }
});

// WCAG 2.2, 2.5.8.
test('what can be pressed is 24 px wide and high, in every view', async () => {
    for (const size of SIZES) {
        const page = await openAll(size);
        await click(page, {level: 2, at: 0.3});
        for (const view of ['1', '2', '3', '4', '5', '6', 'menu']) {
            if (view === 'menu') await page.getByRole('button', {name: 'More', exact: true}).click();
            else await press(page, view);
            const tiny = await page.evaluate(() => Array.from(document.querySelectorAll(
                'button, select, input, summary, [role=option], [role=row], [role=menuitem]')).filter(one => {
                const {width, height} = one.getBoundingClientRect();
                return one.checkVisibility({visibilityProperty: true}) && width > 0 && (width < 23.9 || height < 23.9) &&
                    !one.closest('[role=tree]') && !one.matches('[type=file]');
            }).map(one => `${one.outerHTML.slice(0, 120)} ${Math.round(one.getBoundingClientRect().width)} x ` +
                Math.round(one.getBoundingClientRect().height)));
            assert.deepEqual(tiny, [], `view ${view} at ${size.width} px`);
        }
        await finish(page, assert);
    }
});

test('what scrolls can be scrolled with keys', async () => {
    for (const size of SIZES) {
        const page = await openAll({...size, height: 420});
        await click(page, {level: 2, at: 0.3});
        for (const view of ['1', '2', '3', '4', '5', '6']) {
            await press(page, view);
            const unreachable = await page.evaluate(() => Array.from(document.querySelectorAll('.flamel *')).filter(one => {
                const style = getComputedStyle(one);
                const scrolls = (one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(style.overflowY)) ||
                    (one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(style.overflowX));
                return scrolls && one.checkVisibility() && one.tabIndex < 0 && !one.querySelector('button, [tabindex="0"]') &&
                    !one.closest('[role=grid], [role=treegrid]');
            }).map(one => one.className));
            assert.deepEqual(unreachable, [], `view ${view} at ${size.width} px`);
        }
        await finish(page, assert);
    }
});

// 390 px: a phone. 700 x 400: a window of 1400 x 800 at 200 %.
test('where there is little room, a selected function is seen with its numbers and its row', async () => {
    for (const size of [{width: 390, height: 800}, {width: 390, height: 660}, {width: 700, height: 400}]) {
        const page = await open(small, size);
        await click(page, PARSE);
        const seen = await page.evaluate(() => {
            const panel = document.querySelector('.panel'), box = panel.getBoundingClientRect();
            const isSeen = one => {
                const {top, bottom, left, right, height} = one.getBoundingClientRect();
                return height > 0 && top >= box.top && bottom <= Math.min(box.bottom, innerHeight) && left >= 0 &&
                    right <= innerWidth;
            };
            return {heading: isSeen(panel.querySelector('h2')),
                texts: Array.from(panel.querySelectorAll('.figures td, .figures th')).filter(isSeen).map(one => one.innerText),
                stage: document.querySelector('.stage').getBoundingClientRect().height};
        });
        const label = `${size.width} x ${size.height}: ${JSON.stringify(seen)}`;
        assert.ok(seen.heading, label);
        assert.ok(seen.texts.some(text => /\b40\b/.test(text)), label);
        assert.ok(seen.texts.some(text => /40 %/.test(text)), label);
        assert.ok(seen.stage >= 48 + 3 * 19, `the row is seen too, ${label}`);
        await finish(page, assert);
    }
});
