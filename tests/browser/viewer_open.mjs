// viewer_open.mjs - what can be opened in a page, and how: dropped, chosen, pasted, from an address.

import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, test} from 'node:test';
import {SMALL, close, converted, file, finish, folder, hashOf, nameAt, open, pageOf, press, resolved, words} from './page.mjs';

after(() => close().then(() => server.close()));
const small = pageOf(SMALL);
const LEFT = {level: 1, at: 0.05};
// 10 of 10 samples in a function.
const of = name => `${name} 10\n`;

// Drops files or folders of the disk as the browser does when a person drops them.
async function drop(page, ...files) {
    await dropWith(page, 0, ...files);
}
const SHIFT = 8;
async function dropWith(page, modifiers, ...files) {
    const session = await page.context().newCDPSession(page);
    const {width, height} = page.viewportSize();
    for (const type of ['dragEnter', 'dragOver', 'drop'])
        await session.send('Input.dispatchDragEvent', {type, x: width / 2, y: height / 2, modifiers,
            data: {items: [], files, dragOperationsMask: 1}});
    await page.waitForTimeout(600);
    await resolved(page);
}

// Data of another program: of a link that is dropped, or of what is pasted.
async function give(page, type, data) {
    await page.locator('.flamel').evaluate((element, [type, data]) => {
        const transfer = new DataTransfer();
        for (const [kind, text] of Object.entries(data)) transfer.setData(kind, text);
        if (type === 'paste')
            document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: transfer, bubbles: true,
                cancelable: true}));
        else
            for (const one of ['dragenter', 'dragover', 'drop'])
                element.dispatchEvent(new DragEvent(one, {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }, [type, data]);
    await page.waitForTimeout(500);
    await resolved(page);
}

// A file that was written so many seconds after 2026 began.
function aged(name, text, seconds) {
    const where = file(name, text);
    utimesSync(where, 1767225600 + seconds, 1767225600 + seconds);
    return where;
}

test('every kind of file that a page reads can be dropped', async () => {
    const page = await open(small);
    const script = 'main 7/7 [000] 1.100000: 10 cycles:\n\t1234 lex+0x1 (/bin/main)\n\n';
    for (const where of [file('text.folded', 'main;lex 1\n'), file('perf.txt', script), converted('main;lex 1\n', 'flm'),
        pageOf('main;lex 1\n')]) {
        await drop(page, file('other.folded', of('other')));
        assert.equal(await nameAt(page, LEFT), 'other');
        await drop(page, where);
        assert.equal(await nameAt(page, LEFT), 'main', where);
        assert.equal(await nameAt(page, {level: 2, at: 0.5}), 'lex', where);
    }
    await drop(page, path.resolve('tests/data/unzstd/level_9.zst'));
    assert.match(await words(page, '.tools'), /level_9\.zst/);
    assert.equal(await nameAt(page, {level: 1, at: 0.5}), 'node');
    await finish(page, assert);
});


test('perf.data shows addresses, threads and times, and says how to get names', async () => {
    const page = await open(small);
    for (const name of ['fp', 'multi', 'stream', 'compressed', 'off_cpu', 'stack_dumps']) {
        const where = path.resolve(`tests/data/perf_data/${name}.data`);
        const info = execFileSync(process.argv[2], ['info', '-q', where], {encoding: 'utf8'});
        await drop(page, where);
        await page.waitForFunction(title => document.title.startsWith(title), `${name}.data`);
        await resolved(page);
        assert.match(await words(page, '.status'), /addresses only: run 'flamel view FILE' for names, where it was recorded/, name);
        const samples = (await page.locator('.data-quality tr', {hasText: /^samples/}).textContent()).replace(/\D/g, '');
        assert.ok(samples > 10 && info.replace(/(\d),(?=\d)/g, '$1').includes(samples), `${name}: ${samples} in ${info}`);
        await press(page, '5');
        const names = await page.locator('.table-top .row .name').allInnerTexts();
        assert.ok(names.some(one => /^\S+\+0x[0-9a-f]+/.test(one)), names.slice(0, 5).join());
        await press(page, '1');
    }
    assert.match(await words(page, '.status'), /lost/); // what the dumps have of the stacks
    await finish(page, assert);
});

test('perf.data that is damaged is refused in a sentence, or read as far as it goes', async () => {
    const page = await open(small);
    await drop(page, path.resolve('tests/data/perf_data/magic.data'));
    assert.match(await words(page, '.state'), /magic\.data: the file ends within its header/);
    await drop(page, path.resolve('tests/data/perf_data/truncated.data'));
    await page.waitForFunction(() => document.title.startsWith('truncated.data'));
    await resolved(page);
    assert.match(await words(page, '.status'), /lost [1-9]/);
    await finish(page, assert);
});

test('two files are compared: the older one is the baseline', async () => {
    const later = aged('a.folded', 'main;parse 30\nmain;write 10\n', 20),
        earlier = aged('b.folded', 'main;parse 10\nmain;write 10\n', 10);
    for (const files of [[later, earlier], [earlier, later]]) {
        const page = await open(small);
        await drop(page, ...files);
        await page.waitForFunction(() => / against /.test(document.title));
        await resolved(page);
        assert.match(await page.title(), /^a\.folded against b\.folded/);
        assert.match(page.url(), /view=compare/);
        await finish(page, assert);
    }
});

// A profile of bytes, as speedscope has it.
const ofBytes = name => JSON.stringify({$schema: 'https://www.speedscope.app/file-format-schema.json',
    shared: {frames: [{name}]}, profiles: [{type: 'sampled', name: 'heap', unit: 'bytes', startValue: 0, endValue: 8,
        samples: [[0]], weights: [8]}]});

test('two files are compared whatever is shown, also where that is of other metrics', async () => {
    const page = await open(small);
    for (const kind of [ofBytes, of]) {
        await drop(page, aged('old.json', kind('old'), 10), aged('new.json', kind('new'), 20));
        assert.ok(await page.locator('.state').isHidden(), await page.locator('.state').innerText());
        assert.match(await page.title(), /^new\.json against old\.json/);
        assert.match(page.url(), /view=compare/);
    }
    await finish(page, assert);
});

test('two files that cannot be compared are said to be such, and either can be chosen', async () => {
    const page = await open(small), state = page.locator('.state');
    const both = [aged('time.folded', of('busy'), 10), aged('heap.json', ofBytes('malloc'), 20)];
    for (const [name, function_] of [['heap.json', 'malloc'], ['time.folded', 'busy']]) {
        await drop(page, ...both);
        assert.match(await state.innerText(), /These two cannot be compared[^]*no metric in common/);
        await state.getByRole('button', {name: 'Back to the 2 files'}).click();
        await state.getByRole('button', {name}).click();
        await resolved(page);
        assert.equal(await nameAt(page, LEFT), function_);
        assert.match(await page.title(), new RegExp(`^${name}`));
        assert.doesNotMatch(await page.title(), /against/);
    }
    await finish(page, assert);
});

test('two files are compared from any view, in one step of the history', async () => {
    const page = await open(small);
    await press(page, '5');
    await hashOf(page);
    const length = () => page.evaluate(() => history.length), before = await length();
    await drop(page, aged('old.folded', of('old'), 10), aged('new.folded', of('new'), 20));
    assert.match(await hashOf(page), /view=compare/);
    assert.equal(await length(), before + 1);
    await finish(page, assert);
});

test('what cannot be compared with the open profile can be opened alone', async () => {
    const page = await open(small), state = page.locator('.state');
    await dropWith(page, SHIFT, file('heap.json', ofBytes('malloc')));
    assert.match(await state.innerText(), /^heap\.json cannot be compared with what is open[^]*no metric in common/);
    assert.doesNotMatch(await page.title(), /heap/);
    await state.getByRole('button', {name: 'Open it alone'}).click();
    await page.waitForFunction(() => document.title.startsWith('heap.json'));
    await resolved(page);
    assert.ok(await state.isHidden());
    assert.equal(await nameAt(page, LEFT), 'malloc');
    assert.doesNotMatch(await page.title(), /against/);
    await finish(page, assert);
});

// A file of our own, whose end is missing: the viewer is what refuses it, not a reader.
const cut = name => {
    const whole = readFileSync(converted('main;lex 1\n', 'flm'));
    return file(name, whole.subarray(0, whole.length >> 1));
};

test('a file that cannot be read is not said to be incomparable, and is named', async () => {
    const page = await open(small), state = page.locator('.state');
    for (const name of ['cut.flm', 'text.folded']) {
        const bad = name === 'cut.flm' ? cut(name) : file(name, 'no stacks\n');
        await drop(page, bad);
        assert.match(await state.innerText(), new RegExp(`^${name} cannot be read`));
        assert.deepEqual((await state.locator('.buttons').innerText()).split('\n'),
            ['Choose another file …', 'Back to the open profile']);
        await dropWith(page, SHIFT, bad);
        assert.match(await state.innerText(), new RegExp(`^${name} cannot be read`));
        assert.equal(await state.getByRole('button', {name: 'Open it alone'}).count(), 0);
        for (const files of [[file('good.folded', of('good')), bad], [bad, file('good.folded', of('good'))]]) {
            await drop(page, ...files);
            assert.match(await state.innerText(), new RegExp(`^${name} cannot be read`));
            await state.getByRole('button', {name: 'Back to the 2 files'}).waitFor();
        }
    }
    await finish(page, assert);
});

test('a file of other metrics than a comparison is shown alone, which is said', async () => {
    const page = await open(small);
    await drop(page, aged('old.folded', of('old'), 10), aged('new.folded', of('new'), 20));
    await drop(page, file('heap.json', ofBytes('malloc')));
    assert.match(await page.title(), /^heap\.json · /);
    assert.equal(await nameAt(page, LEFT), 'malloc');
    assert.match(await words(page, '.status'), /nothing is compared any more: there is no metric in common/);
    await finish(page, assert);
});

test('of several files one is opened, or two are compared', async () => {
    const files = ['one', 'two', 'three'].map((name, i) => aged(`${name}.folded`, of(name), i));
    const page = await open(small);
    await drop(page, ...files);
    const state = page.locator('.state');
    assert.match(await state.innerText(), /3 files/);
    assert.equal(await state.getByRole('listitem').count(), 3);
    const compare = state.getByRole('button', {name: 'Compare the two'});
    assert.ok(await compare.isDisabled());
    await state.getByRole('button', {name: 'two.folded'}).click();
    await resolved(page);
    assert.equal(await nameAt(page, LEFT), 'two');

    await drop(page, ...files);
    for (const name of ['one', 'three']) await state.getByLabel(`Compare ${name}.folded`).check();
    await compare.click();
    await page.waitForTimeout(500);
    await resolved(page);
    assert.match(await page.title(), /^three\.folded against one\.folded/);

    await drop(page, ...files);
    await page.keyboard.press('Escape');
    assert.ok(await state.isHidden());
    assert.match(await page.title(), /^three\.folded against one\.folded/);
    await finish(page, assert);
});

test('of several files those that cannot be read are said, and the list stays', async () => {
    const page = await open(small);
    await drop(page, file('good.folded', of('good')), file('bad.folded', 'no stacks\n'), file('more.folded', of('more')));
    const state = page.locator('.state');
    await state.getByRole('button', {name: 'bad.folded'}).click();
    await resolved(page);
    assert.match(await state.innerText(), /bad\.folded: /);
    await state.getByRole('button', {name: 'Back to the 3 files'}).click();
    await state.getByRole('button', {name: 'good.folded'}).click();
    await resolved(page);
    assert.equal(await nameAt(page, LEFT), 'good');
    await finish(page, assert);
});

// The address of flamel view.
function view(...words) {
    const command = spawn(process.argv[2], ['view', '--no-open', '-q', ...words], {stdio: ['ignore', 'pipe', 'inherit']});
    return new Promise((resolve, reject) => {
        command.stdout.once('data', line => resolve({url: String(line).trim(), stop: () => command.kill()}));
        command.once('exit', code => reject(new Error(`flamel view ended: ${code}`)));
    });
}

test('flamel view reads perf.data that is dropped on its page, and says why it cannot', async () => {
    const {url, stop} = await view(file('viewed.folded', SMALL));
    const page = await open(null, {url});
    await drop(page, path.resolve('tests/data/perf_data/fp.data'));
    await page.waitForTimeout(1500);
    await resolved(page);
    assert.match(await page.title(), /^fp\.data/);
    const expected = execFileSync(process.argv[2], ['report', '-q', 'tests/data/perf_data/fp.data'],
        {encoding: 'utf8'});
    await press(page, '5');
    const name = await page.locator('.table-top .row .name').first().innerText();
    assert.ok(expected.includes(name.split('(')[0]), `${name} in ${expected}`);
    await drop(page, path.resolve('tests/data/perf_data/magic.data'));
    await page.waitForTimeout(800);
    assert.match(await words(page, '.state'), /magic\.data: /);
    assert.deepEqual(page.failures.filter(text => !/422/.test(text)), []);
    await page.context().close();
    stop();
});

// A folder: two profiles, one of them further down, and what else is in folders.
function profiles() {
    const where = path.join(folder, 'profiles');
    mkdirSync(path.join(where, 'deep/er'), {recursive: true});
    mkdirSync(path.join(where, '.git'), {recursive: true});
    for (const [name, text] of [['run-2.folded', of('second')], ['run-10.folded', of('tenth')],
        ['deep/er/app.folded', of('deep')], ['readme.md', '# Profiles\n'], ['.git/config.folded', of('hidden')]])
        writeFileSync(path.join(where, name), text);
    return where;
}

test('a folder that is dropped is a list of the profiles in it', async () => {
    const page = await open(small);
    await drop(page, profiles());
    const items = page.locator('.state li');
    assert.deepEqual(await items.locator('.cut').allInnerTexts(),
        ['profiles/deep/er/app.folded', 'profiles/run-2.folded', 'profiles/run-10.folded']);
    await items.last().getByRole('button').click();
    await page.waitForTimeout(400);
    await resolved(page);
    assert.equal(await nameAt(page, LEFT), 'tenth');
    await finish(page, assert);
});

test('a folder can be chosen from the menu, and from the page without a profile', async () => {
    const page = await open(small);
    const chosen = page.waitForEvent('filechooser'); // early, as the browser has to know of it
    await page.locator('.tools').getByRole('button', {name: 'More'}).click();
    await page.locator('#flamel-menu').getByRole('button', {name: 'Open a folder …'}).click();
    await (await chosen).setFiles(profiles());
    await page.locator('.state li').first().waitFor();
    assert.equal(await page.locator('.state li').count(), 3);
    await finish(page, assert);
});

// A server that allows pages of other sites to read one file, and no other.
const server = createServer((request, response) => {
    const {pathname} = new URL(request.url, 'http://localhost');
    response.writeHead(pathname === '/none.folded' ? 404 : 200,
        pathname === '/closed.folded' ? {} : {'access-control-allow-origin': '*'});
    response.end(of('fetched'));
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`, ADDRESS = `${origin}/a%20b.folded?token=1`;

test('a profile is fetched from an address that is dropped, pasted or typed', async () => {
    const ways = {
        dropped: page => give(page, 'drop', {'text/uri-list': ADDRESS, 'text/plain': ADDRESS}),
        pasted: page => give(page, 'paste', {'text/plain': ` ${ADDRESS}\n`}),
        async typed(page) {
            await page.locator('.tools').getByRole('button', {name: 'More'}).click();
            await page.locator('#flamel-menu').getByRole('button', {name: 'Open an address …'}).click();
            await page.keyboard.type(ADDRESS);
            await page.keyboard.press('Enter');
            await page.waitForTimeout(500);
            await resolved(page);
        },
    };
    for (const [name, way] of Object.entries(ways)) {
        const page = await open(small);
        await way(page);
        assert.equal(await nameAt(page, LEFT), 'fetched', name);
        assert.match(await words(page, '.tools'), /a b\.folded/);
        await finish(page, assert, {network: 1});
    }
});

test('an address that cannot be read is said, with the reason', async () => {
    for (const [name, says] of [['closed.folded', /does not allow pages of other sites.*drop the file/],
        ['none.folded', /none\.folded: cannot be fetched: 404/]]) {
        const page = await open(small);
        await give(page, 'paste', {'text/plain': `${origin}/${name}`});
        assert.match(await words(page, '.state'), says);
        assert.equal(page.requests.length, 1);
        await page.context().close();
    }
});

test('stacks that are pasted are a profile; what is pasted into a field is not', async () => {
    const page = await open(small);
    await give(page, 'paste', {'text/plain': 'one;two 3\none;three 1\n'});
    assert.equal(await nameAt(page, LEFT), 'one');
    await page.locator('.search input').evaluate(input => {
        const transfer = new DataTransfer();
        transfer.setData('text/plain', 'other 1\n');
        input.dispatchEvent(new ClipboardEvent('paste', {clipboardData: transfer, bubbles: true}));
    });
    await page.waitForTimeout(400);
    assert.equal(await nameAt(page, LEFT), 'one');
    await finish(page, assert);
});

test('nothing is fetched before an address is given', async () => {
    const html = readFileSync(small, 'utf8');
    assert.match(html, /connect-src https: http:;/);
    const page = await open(small, {hash: '#apply=hide:lex'});
    await drop(page, file('again.folded', of('again')));
    await finish(page, assert, {network: 0});
});
