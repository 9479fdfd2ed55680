// viewer_export.mjs - what is seen as a file: downloaded from the page as a person would, opened, and
// looked into.

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, test} from 'node:test';
import {PARSE, SMALL, boxOf, click, close, doubleClick, finish, folder, open, pageOf, resolved, words} from './page.mjs';

after(close);
const small = pageOf(SMALL);
const flamel = process.argv[2];

async function saved(page, kind) {
    await page.locator('.tools').getByRole('button', {name: 'More'}).click();
    const [download] = await Promise.all([page.waitForEvent('download'),
        page.locator('#flamel-menu').getByRole('button', {name: kind, exact: true}).click()]);
    const name = download.suggestedFilename(), where = path.join(folder, name);
    await download.saveAs(where);
    await resolved(page);
    return {name, where};
}

// The texts of an SVG that a browser shows, and how wide the boxes with these labels are.
async function shown(page, where) {
    const other = await page.context().newPage();
    await other.goto('file://' + where);
    const texts = await other.locator('svg text').allTextContents();
    const boxes = await other.locator('svg rect').evaluateAll(all => all.map(box => box.getBBox().width));
    await other.close();
    return {texts, boxes};
}

test('an SVG has the boxes of the view, its words, and is named after both', async () => {
    const page = await open(small);
    const {name, where} = await saved(page, 'SVG');
    assert.match(name, /^in\d+-flame\.svg$/);
    const {texts, boxes} = await shown(page, where);
    for (const word of ['main', 'idle', 'parse', 'lex', 'read', 'write', 'all, 100 samples', '5 stacks'])
        assert.ok(texts.includes(word), word);
    const {width} = await boxOf(page.locator('.stage'));
    assert.ok(boxes.some(box => Math.abs(box - 0.85 * (width - 20) + 1) < 0.2), 'main has 85 %');
    await finish(page, assert);
});

test('a saved picture has the zoom, the search and the theme of the page', async () => {
    const page = await open(small, {colorScheme: 'dark'});
    await doubleClick(page, PARSE);
    await page.locator('.search input').fill('lex');
    await page.waitForTimeout(300);
    await resolved(page);
    const {where} = await saved(page, 'SVG');
    const svg = readFileSync(where, 'utf8');
    const {texts} = await shown(page, where);
    assert.ok(texts.includes('lex') && texts.includes('parse') && !texts.includes('idle'));
    assert.ok(texts.some(text => /in parse, 40 % of total/.test(text)), texts.join('|'));
    assert.ok(texts.includes('lex 10 %'), 'the search is in the legend');
    assert.match(svg, /fill="#16171a"/);
    await finish(page, assert);
});

test('a PDF has the same content', async () => {
    const page = await open(small);
    const {name, where} = await saved(page, 'PDF');
    assert.match(name, /-flame\.pdf$/);
    const pdf = readFileSync(where, 'latin1');
    assert.match(pdf, /^%PDF-1\.4\n[^]*%%EOF\n$/);
    for (const word of ['main', 'write', '5 stacks']) assert.ok(pdf.includes(`(${word}) Tj`), word);
    await finish(page, assert);
});

test('the profile is saved after its transforms, and can be read again', async () => {
    const page = await open(small, {hash: '#apply=hide:lex'});
    const folded = await saved(page, 'FOLDED'), flm = await saved(page, 'FLM');
    const expected = 'idle 15\nmain 5\nmain;parse;read 40\nmain;write 40\n';
    assert.equal(readFileSync(folded.where, 'utf8'), expected);
    assert.equal(execFileSync(flamel, ['convert', '-q', flm.where, '-t', 'folded']).toString(), expected);
    await finish(page, assert);
});

// A page that was saved, in a window of its own: its names of functions, by its own table of all of them.
async function shownByPage(where) {
    const page = await open(where);
    await page.locator('.tools > .views').getByRole('button', {name: 'Top'}).click();
    await resolved(page);
    const names = await page.locator('.table-top .row .name').allInnerTexts();
    const title = await page.title();
    await finish(page, assert);
    return {names, title};
}

test('a page is saved with what it shows, opens in a browser, and so does what that one saves', async () => {
    const page = await open(small, {hash: '#apply=hide:lex'});
    const flm = await saved(page, 'FLM');
    let {name, where} = await saved(page, 'HTML');
    assert.match(name, /^in\d+-flame\.html$/);
    assert.match(await words(page, '.notice'), /^saved as in\d+-flame\.html$/);
    const convert = (from, to) => execFileSync(flamel, ['convert', '-q', from, '-t', to]);
    for (const times of ['once', 'twice']) {
        assert.deepEqual(convert(where, 'flm'), convert(flm.where, 'flm'), times);
        const {names, title} = await shownByPage(where);
        assert.deepEqual(names.sort(), ['idle', 'main', 'parse', 'read', 'write'], times);
        assert.match(title, /^in\d+ · flamel$/);
        const again = await open(where);
        ({where} = await saved(again, 'HTML'));
        await finish(again, assert);
    }
    await finish(page, assert);
});

test('a comparison is saved as a page that compares, after its transforms', async () => {
    const [before, after] = ['main;old 5\nmain;parse;lex 30\n', 'main;new 9\nmain;parse;lex 40\n'].map((text, i) => {
        const where = path.join(folder, `side${i}.folded`);
        writeFileSync(where, text);
        return where;
    });
    const html = path.join(folder, 'sides.html');
    execFileSync(flamel, ['convert', '-q', '--base', before, after, '-o', html]);
    const page = await open(html, {hash: '#apply=hide:lex'});
    const {where} = await saved(page, 'HTML'), other = await open(where);
    const sum = one => words(one, '.tools');
    assert.equal(await sum(other), await sum(page));
    await other.locator('.tools > .views').getByRole('button', {name: 'Top'}).click();
    await resolved(other);
    const names = await other.locator('.table-top .row .name').allInnerTexts();
    assert.deepEqual(names.sort(), ['main', 'new', 'old', 'parse']);
    assert.match(await other.title(), /^side1\S* \S+ side0\S* · flamel$/);
    await finish(other, assert);
    await finish(page, assert);
});

test('a page that is served is saved as one file', async () => {
    const source = path.join(folder, 'served & <b>.folded');
    writeFileSync(source, SMALL);
    const server = spawn(flamel, ['view', '--no-open', '-q', source], {stdio: ['ignore', 'pipe', 'inherit']});
    try {
        const url = await new Promise(resolve => server.stdout.once('data', line => resolve(String(line).trim())));
        const page = await open(null, {url});
        const {where} = await saved(page, 'HTML');
        server.kill('SIGINT');
        await new Promise(resolve => server.once('exit', resolve));
        const {names, title} = await shownByPage(where);
        assert.equal(title, 'served & <b> · flamel');
        assert.deepEqual(names.sort(), ['idle', 'lex', 'main', 'parse', 'read', 'write']);
        await page.locator('.tools').getByRole('button', {name: 'More'}).click();
        await page.locator('#flamel-menu').getByRole('button', {name: 'HTML', exact: true}).click();
        await page.locator('.notice').filter({hasText: /server of the page does not answer/}).waitFor();
        await page.context().close();
    } finally {
        server.kill('SIGKILL');
    }
});

// What the command finds in a file.
const notesIn = where => execFileSync(flamel, ['note', where]).toString().replace(/^[0-9a-f]{8}  /gm, '');

test('notes that are written in the page are saved with the profile, and a view is opened by its title', async () => {
    const page = await open(small);
    const type = async text => {
        await page.locator('.palette input').fill(text);
        await page.keyboard.press('Enter');
        await resolved(page);
    };
    const sheet = page.locator('#flamel-notes');
    await click(page, PARSE);
    await page.locator('.panel').getByRole('button', {name: 'Note', exact: true}).click();
    await type('slow since 2.1');
    assert.match(await words(page, '.panel .notes'), /slow since 2\.1/);
    await page.keyboard.press(',');
    await sheet.getByRole('button', {name: 'On the stack …'}).click();
    await type('twice <b>a second</b>');
    await page.keyboard.press('6');
    await resolved(page);
    const title = (await page.locator('.views [aria-pressed=true]').first().textContent()).trim();
    await page.keyboard.press(',');
    await sheet.getByRole('button', {name: 'Keep this view …'}).click();
    await type('The table');
    await page.keyboard.press('1');
    await page.keyboard.press(',');
    await sheet.getByRole('button', {name: 'The table'}).click();
    await resolved(page);
    assert.equal((await page.locator('.views [aria-pressed=true]').first().textContent()).trim(), title);
    assert.equal(await words(page, '.said'), '3 notes');
    await page.keyboard.press(',');
    await sheet.getByRole('button', {name: 'Change the note'}).first().click();
    await type('slow since 2.2');
    // The browser asks before the page is closed, until the notes are saved.
    const asks = () => page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', {cancelable: true})));
    assert.equal(await asks(), true);
    await page.keyboard.press(',');
    const [download] = await Promise.all([page.waitForEvent('download'),
        sheet.getByRole('button', {name: 'Save as FLM'}).click()]);
    const where = path.join(folder, 'noted.flm');
    await download.saveAs(where);
    assert.equal(await asks(), false);
    await sheet.getByText('Changes are in this page alone').waitFor({state: 'detached'});
    await sheet.getByRole('button', {name: 'Remove the note'}).first().click();
    await resolved(page);
    assert.equal(await asks(), true);
    assert.match(notesIn(where), /^parse: slow since 2\.2\nmain;parse: twice <b>a second<\/b>\nview: The table\n$/);
    await finish(page, assert);
});

// A recording as a person has it, with everything that had to go: names of people and machines in paths, in the command
// line, in the environment, in notes, in labels.
const GONE = ['alice', 'secret-host', 'acme', 'token=hunter2', 'v0.7.3-rc1', 'Buy before Monday'];
const TOLD = {
    host: 'secret-host.example', command: '/home/alice/bin/server --token=hunter2', build: 'v0.7.3-rc1',
};
function recording() {
    const at = '/home/alice/src/acme/billing.c';
    const frames = ['main', 'acme_charge', 'lex'].map(name => ({function: name, module: '/home/alice/bin/server', file: at, line: 7}));
    const where = path.join(folder, 'told.json');
    writeFileSync(where, JSON.stringify({format: 'flamel profile', version: 1, metrics: [{name: 'cpu', unit: 'ns'}],
        notes: Object.entries(TOLD).map(([name, value]) => ({key: name, value})), frames,
        stacks: [{parent: null, frame: 0, self: [0]}, {parent: 0, frame: 1, self: [3e6]}, {parent: 1, frame: 2, self: [5e6]}],
        samples: [{time_ns: 1e9, stack: 2, labels: [['thread', 'acme-worker'], ['user', 'alice']], values: [5e6]},
            {time_ns: 2e9, stack: 1, labels: [['thread', 'acme-worker']], values: [3e6]}]}));
    return where;
}

test('a sanitized profile has nothing of what had to go, and the list says what is left before it is saved', async () => {
    const source = recording(), flm = path.join(folder, 'told.flm'), html = path.join(folder, 'told.html');
    execFileSync(flamel, ['convert', '-q', source, '-o', flm]);
    execFileSync(flamel, ['note', '-q', flm, '--add', 'Buy before Monday']);
    execFileSync(flamel, ['convert', '-q', flm, '-o', html]);
    const page = await open(html);
    const decompressed = where => execFileSync(flamel, ['convert', '-q', where, '-t', 'json']).toString() +
        readFileSync(where, 'latin1');
    for (const word of GONE) assert.ok(decompressed(flm).includes(word), `${word} was there before`);
    await page.locator('.tools').getByRole('button', {name: 'More'}).click();
    await page.locator('#flamel-menu').getByRole('button', {name: 'Sanitized …'}).click();
    const sheet = page.locator('#flamel-sanitize');
    await sheet.getByLabel('Rules').fill('names:acme*');
    await sheet.getByLabel('Key').fill('a key that is long enough');
    assert.equal(await sheet.getByRole('button', {name: 'Save as FLM'}).count(), 0);
    await sheet.getByRole('button', {name: 'Show what is left'}).click();
    await sheet.getByRole('button', {name: 'Save as FLM'}).waitFor();
    const list = await sheet.locator('.list').textContent();
    for (const word of GONE) assert.ok(!list.includes(word), `${word} in the list`);
    assert.match(list, /functions .*main/);
    const [download] = await Promise.all([page.waitForEvent('download'),
        sheet.getByRole('button', {name: 'Save as FLM'}).click()]);
    assert.equal(download.suggestedFilename(), 'told-sanitized.flm');
    const where = path.join(folder, 'shown.flm'), keyFile = path.join(folder, 'key'), own = path.join(folder, 'own.flm');
    await download.saveAs(where);
    for (const word of GONE) assert.ok(!decompressed(where).includes(word), `${word} in the file`);
    writeFileSync(keyFile, 'a key that is long enough');
    execFileSync(flamel, ['convert', '-q', flm, '--sanitize=names:acme*', `--sanitize-key=${keyFile}`, '-o', own]);
    assert.deepEqual(readFileSync(where), readFileSync(own), 'the same bytes as the command');
    await page.locator('.tools').getByRole('button', {name: 'More'}).click();
    await page.locator('#flamel-menu').getByRole('button', {name: 'Sanitized …'}).click();
    await sheet.getByLabel('Rules').press('Enter');
    const [shown] = await Promise.all([page.waitForEvent('download'), sheet.getByRole('button', {name: 'Save as HTML'}).click()]);
    const share = path.join(folder, 'share.html');
    assert.equal(shown.suggestedFilename(), 'told-sanitized.html');
    await shown.saveAs(share);
    for (const word of [...GONE, 'told']) assert.ok(!decompressed(share).includes(word), `${word} in the page`);
    assert.equal((await shownByPage(share)).title, 'profile · flamel');
    await finish(page, assert);
});

test('rules that are wrong are said, and nothing can be saved', async () => {
    const page = await open(small);
    await page.keyboard.press(':');
    await page.locator('.palette input').fill('anonymize');
    await page.keyboard.press('Enter');
    const sheet = page.locator('#flamel-sanitize');
    await sheet.getByLabel('Rules').fill('zoo:acme*');
    await page.keyboard.press('Enter');
    assert.match(await sheet.getByRole('alert').textContent(), /no rule 'zoo'/);
    assert.equal(await sheet.getByRole('button', {name: 'Save as FLM'}).count(), 0);
    await finish(page, assert);
});

test('a PNG is as high as an SVG: with the levels below the window', async () => {
    const deep = pageOf(`${Array.from({length: 80}, (_, i) => `f${i}`).join(';')} 7\n`);
    const page = await open(deep, {deviceScaleFactor: 2});
    const svg = readFileSync((await saved(page, 'SVG')).where, 'utf8');
    const [width, height] = svg.match(/width="(\d+)" height="(\d+)"/).slice(1).map(Number);
    const png = readFileSync((await saved(page, 'PNG')).where);
    assert.ok(height > 80 * 19);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * width, 2 * height]);
    assert.match(await words(page, '.notice'), /^saved as in\d+-flame\.png$/);
    await finish(page, assert);
});

test('a PNG that would be too high has a lower resolution, and says so', async () => {
    const page = await open(pageOf(`${Array.from({length: 950}, (_, i) => `f${i}`).join(';')} 7\n`));
    const png = readFileSync((await saved(page, 'PNG')).where);
    assert.ok(png.readUInt32BE(20) <= 16384 && png.readUInt32BE(20) > 16000);
    assert.match(await words(page, '.notice'), /lower resolution than the screen: no side is longer than 16384/);
    await finish(page, assert);
});
