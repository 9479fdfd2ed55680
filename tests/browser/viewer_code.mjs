// viewer_code.mjs - the view of code: opened by a key, its costs, folds, a search, a comparison, long files.

import assert from 'node:assert/strict';
import {execFileSync, spawn, spawnSync} from 'node:child_process';
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

test('code is printed as text', {skip: spawnSync('pdftotext', ['-v']).error ? 'no pdftotext' : false}, async () => {
    const page = await open(page_of_code);
    await showCode(page, 'find');
    const where = `${folder}/code.pdf`;
    await page.pdf({path: where, preferCSSPageSize: true});
    const text = execFileSync('pdftotext', ['-layout', where, '-'], {encoding: 'utf8'});
    assert.match(text, /find, app\.c: self 10 ms, total 10 ms/);
    assert.match(text, /60 % +60 % +20\n/);
    assert.doesNotMatch(text, /Search|all lines/);
    assert.ok(!await page.$eval('.code', code => code.hidden));
    await finish(page, assert);
});

test('a page lists the source files that it has not', async () => {
    const output = `${folder}/left-out.html`;
    execFileSync(flamel, ['convert', '-q', profile, '-o', output, '--with-source']);
    const page = await open(output);
    await showCode(page, 'find');
    assert.match(await words(page, '.code-side'), /1 source file left out.*app\.c/s);
    assert.match(await page.getAttribute('.left-out li', 'title'), /app\.c was not found; tried: app\.c/);
    await finish(page, assert);
});

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

test('without machine code a sentence says how to get it, also beside source that is there', async () => {
    file('app.c', 'int a;\n'.repeat(50));
    const output = `${folder}/with_source.html`;
    execFileSync(flamel, ['convert', '-q', '--with-source', '-S', folder, profile, '-o', output]);
    for (const one of [output, page_of_code]) {
        const page = await open(one, {hash: '#view=code&code=find%0Aapp&code-show=m'});
        await resolved(page);
        assert.match(await words(page, '.code-pane.assembly'), /no machine code here: .*"convert --with-assembly"/);
        const source = await words(page, '.code-pane.source');
        if (one === output) assert.doesNotMatch(source, /no source here/);
        else assert.match(source, /no source here: .*"convert --with-source"/);
        await finish(page, assert);
    }
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

// A profile as `flamel view` serves it. What is asked for code is listed in `posted`; `answer(route, request)` may answer
// in place of the server.
const SERVED = [];
after(() => SERVED.forEach(server => server.kill()));
async function openServed(of, answer) {
    const server = spawn(flamel, ['view', '-q', '--no-open', of]), posted = [];
    SERVED.push(server);
    const url = await new Promise(done => server.stdout.once('data', data => done(String(data).trim())));
    const page = await open(null, {url, hash: '#view=code&code=find%0Aapp', before: one => one.route('**/code', route => {
        posted.push(JSON.parse(route.request().postData()));
        return answer ? answer(route, posted.at(-1), posted.length) : route.continue();
    })});
    await resolved(page);
    return {page, posted};
}
const choose = async (page, path) => {
    await page.locator('input[type=file]').first().setInputFiles(path);
    await resolved(page);
};

test('the server is asked for the code of what it serves, and not of a file that is opened later', async () => {
    const {page, posted} = await openServed(profile);
    assert.equal(posted.length, 1);
    assert.deepEqual([posted[0].files, posted[0].side, posted[0].other], [['app.c'], 'after', 'none']);
    assert.match(await words(page, '.source .code-remark'), /app\.c/);
    await choose(page, flm([['main:9 find:20', 2], ['main:9 find:25', 8]]));
    assert.deepEqual((await rows(page)).map(row => row.line), ['', '20', '25']);
    assert.match(await words(page, '.source .code-remark'), /no source here/);
    await press(page, 'a');
    await resolved(page);
    assert.equal(posted.length, 1);
    page.requests = [];
    await finish(page, assert);
});

// Two files, of which one has no room in an answer.
test('what an answer leaves out is asked for again, and after an error the next key asks again', async () => {
    const sources = ['one.c', 'two.c'].map(name => file(name, `first of ${name}\n\nthird\n`));
    const input = file('two.txt', samples([[`main:1 find:1`, 2], [`main:1 find:3`, 3]])
        .replace(/app\.c:1\n/g, `${sources[0]}:1\n`).replace(/app\.c:3\n/g, `${sources[1]}:3\n`));
    execFileSync(flamel, ['convert', '-q', '--lines', input, '-o', `${folder}/two.flm`]);
    const {page, posted} = await openServed(`${folder}/two.flm`, (route, request, count) =>
        count === 1 ? route.fulfill({status: 503, body: 'not now'}) :
            route.continue({postData: JSON.stringify({...request, files: request.files.slice(0, 1)})}));
    assert.match(await words(page, '.source .code-remark'), /not now/);
    assert.equal(posted.length, 1);
    await page.focus('.code-pane.source');
    await press(page, 'ArrowDown');
    await resolved(page);
    assert.deepEqual(posted.map(one => one.files.length), [2, 2, 1]);
    assert.ok((await rows(page)).some(row => row.text === 'third'));
    page.failures = page.failures.filter(one => !/503/.test(one));
    page.requests = [];
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
