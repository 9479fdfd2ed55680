// viewer_code.mjs - the view of code: opened by a key, its costs, folds, a search, a comparison, long files.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {after, test} from 'node:test';
import {axeSource} from './browser.mjs';
import {close, file, finish, folder, open, press, resolved, words} from './page.mjs';

after(close);

const flamel = process.argv[2];

// Samples of app.c: [stack of 'function:line', how many].
function samples(stacks) {
    let text = '', at = 0;
    for (const [stack, count] of stacks)
        for (let i = 0; i < count; i++) {
            text += `app 7/7 ${(100 + ++at / 1e6).toFixed(6)}: 1000000 cpu-clock:\n`;
            for (const frame of stack.split(' ').reverse()) {
                const [name, line] = frame.split(':');
                text += `\t1000 ${name}+0x1 (/bin/app)\n${line ? `  app.c:${line}\n` : ''}`;
            }
            text += '\n';
        }
    return text;
}

let made = 0;
function flm(stacks) {
    const input = file(`code${++made}.txt`, samples(stacks)), output = `${folder}/code${made}.flm`;
    execFileSync(flamel, ['convert', '-q', '--lines', input, '-o', output]);
    return output;
}
function page_of(...profiles) {
    const output = `${folder}/code${++made}.html`;
    if (profiles.length === 1) execFileSync(flamel, ['convert', '-q', profiles[0], '-o', output]);
    else execFileSync(flamel, ['diff', '-q', ...profiles, '-o', output]);
    return output;
}

const STACKS = [['main:9 find:20', 6], ['main:9 find:24', 3], ['main:9 find', 1], ['main:12 hash:40', 10]];
const profile = flm(STACKS);
const page_of_code = page_of(profile);

const rows = (page, side = 'source') => page.$$eval(`.code-pane.${side} .code-row`, list => list.map(row => ({
    line: row.querySelector('.line').textContent, self: row.querySelector('.self').textContent,
    text: row.querySelector('.text').textContent, title: row.title, kind: row.className.match(/is-(\w+)/)[1],
})));
const state = page => page.evaluate(() => decodeURIComponent(location.hash));

// Selects the function in the top table, and shows its code.
async function showCode(page, name) {
    await press(page, '5');
    await page.click(`.table-top .row:has-text("${name}")`);
    await press(page, 'e');
    await page.waitForSelector('.code:not([hidden]) .code-row');
    await resolved(page);
}

test('e shows the code of the selected function, and e or Escape goes back', async () => {
    const page = await open(page_of_code);
    await showCode(page, 'find');
    assert.match(await words(page, '.code-bar h2'), /^find/);
    assert.match(await state(page), /view=code&code=find/);
    await press(page, 'e');
    await resolved(page);
    assert.ok(await page.$eval('.code', code => code.hidden));
    await page.goBack();
    await resolved(page);
    assert.ok(!await page.$eval('.code', code => code.hidden));
    await press(page, 'Escape');
    await resolved(page);
    assert.ok(await page.$eval('.code', code => code.hidden));
    await finish(page, assert);
});

test('costs are those of flamel annotate', async () => {
    const page = await open(page_of_code, {hash: '#view=code&code=find%0Aapp'});
    await resolved(page);
    const report = JSON.parse(execFileSync(flamel, ['annotate', '--json', 'find', profile], {encoding: 'utf8'}));
    const shown = (await rows(page)).filter(row => row.self);
    const lines = report.lines.filter(line => line.function === 'find');
    assert.equal(shown.length, lines.length);
    for (const line of lines) {
        const row = shown.find(one => one.line === (line.line ? String(line.line) : ''));
        assert.match(row.title, new RegExp(`^${line.self / 1e6} ms self, ${line.total / 1e6} ms total`));
    }
    assert.deepEqual(shown.map(row => row.self), ['60 %', '30 %', '10 %']);
    await finish(page, assert);
});

test('without source a sentence says how to get it, and lines are there by number', async () => {
    const page = await open(page_of_code, {hash: '#view=code&code=find%0Aapp'});
    await resolved(page);
    assert.match(await words(page, '.source .code-remark'), /flamel view.*--with-source/);
    assert.deepEqual((await rows(page)).map(row => row.line), ['', '20', '24', '']);
    await finish(page, assert);
});

test('functions of the stack and the hottest lines lead to their code', async () => {
    const page = await open(page_of_code, {hash: '#view=code&code=find%0Aapp'});
    await resolved(page);
    await page.click('.code-side button:has-text("app.c:40")');
    await resolved(page);
    assert.match(await words(page, '.code-bar h2'), /^hash/);
    assert.equal(await words(page, '.source .is-on .line'), '40');
    assert.match(await state(page), /line=app\.c\n40/);
    await page.click('.code-side button:has-text("main")');
    await resolved(page);
    assert.match(await words(page, '.code-bar h2'), /^main/);
    await finish(page, assert);
});

test('keys move in the rows, and the pane says which row it is', async () => {
    const page = await open(page_of_code, {hash: '#view=code&code=find%0Aapp'});
    await resolved(page);
    await page.focus('.code-pane.source');
    await press(page, 'Home', 'ArrowDown', 'Enter');
    await resolved(page);
    assert.equal(await page.getAttribute('.code-pane.source', 'aria-activedescendant'), 'code-source-1');
    assert.equal(await words(page, '.source .is-on .line'), '20');
    await press(page, 'a');
    await resolved(page);
    assert.ok(await page.isVisible('.code-pane.assembly'));
    await finish(page, assert);
});

test('a comparison has both costs of each line, and their difference', async () => {
    const before = flm([['main:9 find:20', 2], ['main:9 find:24', 3]]);
    const page = await open(page_of(before, profile), {hash: '#view=code&code=find%0Aapp'});
    await resolved(page);
    const costs = await page.$$eval('.source .code-row', list => list.map(row =>
        Array.from(row.querySelectorAll('.self, .cost'), cell => cell.textContent).join('|')));
    assert.ok(costs.includes('6 ms|2 ms|+4 ms'), costs.join(' '));
    assert.ok(costs.includes('3 ms|3 ms|'), costs.join(' '));
    await finish(page, assert);
});

test('of 20,000 lines only those that are seen exist, and any is reached at once', async () => {
    const many = [];
    for (let i = 1; i <= 20000; i++) many.push([`main:9 find:${5 * i}`, 1]);
    const page = await open(page_of(flm(many)), {hash: '#view=code&code=find%0Aapp'});
    await resolved(page);
    assert.ok((await rows(page)).length < 100);
    await page.focus('.code-pane.source');
    await press(page, 'End');
    await resolved(page);
    const last = await rows(page);
    assert.ok(last.length < 100);
    assert.equal(last.at(-1).line, '100000');
    await finish(page, assert);
});

test('light, dark and narrow pages have no error that axe finds', async () => {
    for (const options of [{}, {colorScheme: 'dark'}, {width: 360}]) {
        const page = await open(page_of_code, {...options, hash: '#view=code&code=find%0Aapp&code-show=m'});
        await resolved(page);
        await page.evaluate(axeSource);
        // The grid around the rows has the focus, and its keys scroll them.
        const {violations} = await page.evaluate(() => globalThis.axe.run('.code',
            {rules: {'scrollable-region-focusable': {enabled: false}}}));
        assert.deepEqual(violations.map(one => `${one.id}: ${one.nodes[0].html}`), []);
        await finish(page, assert);
    }
});
