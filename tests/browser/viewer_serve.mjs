// viewer_serve.mjs - the page of `flamel serve`, from the first profile to a link that shows the same: push, pick, compare.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, test} from 'node:test';
import {axeSource, browser} from './browser.mjs';
import {close, folder, pageOf, resolved, words} from './page.mjs';

pageOf('main 1\n'); // skips where flamel was built without the viewer
const flamel = path.resolve(process.argv[2]), started = [];
after(() => {
    started.forEach(one => one.kill('SIGKILL'));
    return close();
});

let stores = 0;
async function serve(...options) {
    const server = spawn(flamel, ['serve', '--data', path.join(folder, `store${++stores}`), '--listen', '127.0.0.1:0', ...options],
        {stdio: ['ignore', 'pipe', 'inherit']});
    started.push(server);
    return new Promise(done => server.stdout.once('data', data => done(String(data).trim())));
}

// Ten minutes of two pods, the second of which works twice as much from the middle on; times are multiples of 30 s.
const NOW = Math.floor(Date.now() / 300000) * 300000, MIDDLE = NOW - 300000, BEGIN = NOW - 600000;
async function push(url, name, at, folded) {
    const query = new URLSearchParams({name, from: String(at / 1000), sampleRate: '1000'});
    const response = await fetch(`${url}ingest?${query}`, {method: 'POST', body: folded});
    assert.equal(response.status, 200, await response.text());
}
async function fill(url) {
    for (let at = BEGIN; at < NOW; at += 30000) {
        await push(url, 'api{pod=p1,region=eu}', at, 'main;parse 10\nmain;write 20\n');
        await push(url, 'api{pod=p2,region=us}', at, `main;parse ${at < MIDDLE ? 10 : 30}\n`);
        await push(url, 'web{pod=p3,region=eu}', at, 'main;render 5\n');
    }
}

async function open(address, options = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, reducedMotion: 'reduce', ...options});
    const page = await context.newPage();
    page.failures = [];
    page.on('pageerror', error => page.failures.push(String(error.stack)));
    page.on('console', message => message.type() === 'error' && page.failures.push(message.text()));
    await page.goto(address);
    return page;
}
const answered = (page, range = '') => page.waitForFunction(text => {
    const note = document.querySelector('.serve [role=status]')?.textContent ?? '';
    return /answered in/.test(note) && note.includes(text);
}, range);
async function total(page) {
    await resolved(page);
    return words(page, '.status').then(text => text.match(/stacks? (.*?) cpu/)?.[1]);
}
const range = (from, until) => `range=${from}..${until}`;
async function violations(page) {
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}));
    return found.violations.map(({id, nodes}) => `${id}: ${nodes.map(node => node.html.slice(0, 200)).join(' ')}`);
}
// Drags over a part of the timeline.
async function drag(page, from, until) {
    const box = await page.locator('.serve-plot').boundingBox();
    const [a, b] = [from, until].map(part => box.x + part * box.width);
    await page.mouse.move(a, box.y + 40);
    await page.mouse.down();
    await page.mouse.move((a + b) / 2, box.y + 40);
    await page.mouse.move(b, box.y + 40);
    await page.mouse.up();
}

test('an empty store says how to push, and shows the first profile when it has come', async () => {
    const url = await serve();
    const page = await open(url);
    await page.getByText('There are no profiles here yet').waitFor();
    assert.match(await words(page, '.serve-message'), new RegExp(`flamel record --push ${url.slice(0, -1)} --service api`));
    const profile = await fetch(`${url}ingest?name=api`, {method: 'POST', body: 'main;parse 30\nmain;write 70\n'});
    assert.equal(profile.status, 200);
    await answered(page);
    assert.equal(await total(page), '1 s');
    assert.ok(await page.locator('.serve-message').isHidden());
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('push, pick, compare, permalink', async () => {
    const url = await serve();
    await fill(url);
    const page = await open(`${url}?from=${BEGIN}&until=${NOW}`);
    await answered(page);
    assert.equal(await total(page), '1.1 s'); // 600 + 100 + 300 + 100 samples of a millisecond
    assert.match(await page.locator('.serve-plot canvas').first().getAttribute('aria-label'), /1\.1 s in all, at most 0\.0\d+ cores$/);

    // A service, a label, groups.
    await page.getByLabel('Service', {exact: true}).selectOption('api');
    await page.waitForURL(/q=service%3Dapi/);
    await page.waitForFunction(() => /\b1 s/.test(document.querySelector('.status')?.innerText));
    await page.getByLabel('Group by').selectOption('pod');
    await page.locator('.serve-names button').nth(1).waitFor();
    assert.deepEqual(await page.locator('.serve-names button').allInnerTexts(), ['p1', 'p2']);
    await page.getByRole('button', {name: '+ label'}).first().click();
    await page.getByRole('combobox', {name: 'Label', exact: true}).fill('region');
    await page.getByLabel('Relation').selectOption('=~');
    await page.getByRole('combobox', {name: 'Value'}).fill('u.*');
    await page.getByRole('button', {name: 'Add', exact: true}).click();
    await page.waitForURL(/region%3D%7E%22u\.\*%22|region%3D~%22u\.\*%22/);
    await page.waitForFunction(() => /400 ms/.test(document.querySelector('.status')?.innerText));

    // The second half is dragged, and compared with the first.
    await drag(page, 0.5, 0.999);
    await page.waitForURL(new RegExp(range(MIDDLE, NOW)));
    await page.waitForFunction(() => /300 ms/.test(document.querySelector('.status')?.innerText));
    await page.getByRole('button', {name: 'Compare with the time before'}).click();
    await page.waitForURL(new RegExp(`before=${BEGIN}..${MIDDLE}`));
    await page.waitForFunction(() => /100 ms before, 300 ms after|\+200 %/.test(document.querySelector('.chips')?.innerText));
    assert.match(await words(page, '.chips'), /\+200 %/);

    // Other labels before: those of the other region.
    await page.locator('.serve-before').getByRole('button', {name: 'Remove region =~ u.*'}).click();
    await page.waitForURL(/beforeq=/);
    await page.waitForFunction(() => /-25|−25/.test(document.querySelector('.chips')?.innerText)); // 300 after, 400 before
    const address = page.url(), summary = await words(page, '.summary');

    // The link shows the same, and Back what was there before.
    const other = await open(address);
    await answered(other);
    await resolved(other);
    assert.equal(await words(other, '.summary'), summary);
    assert.equal(await words(other, '.serve-before'), await words(page, '.serve-before'));
    assert.deepEqual(await other.locator('.serve-range').count(), 2);
    assert.deepEqual(other.failures, []);
    await other.context().close();
    await page.goBack();
    await page.waitForFunction(() => /\+200 %/.test(document.querySelector('.chips')?.innerText));
    await page.getByRole('button', {name: 'Stop comparing'}).click();
    await page.waitForFunction(() => document.querySelector('.serve-before')?.hidden &&
        /300 ms/.test(document.querySelector('.status')?.innerText));
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('views are kept by the server, and removed', async () => {
    const url = await serve();
    await fill(url);
    const page = await open(`${url}?q=service%3Dweb&from=${BEGIN}&until=${NOW}`);
    await answered(page);
    assert.equal(await total(page), '100 ms');
    await page.getByRole('button', {name: 'Views'}).click();
    await page.getByLabel('Save what is shown as').fill('the web');
    await page.getByRole('button', {name: 'Save', exact: true}).click();
    await page.getByRole('button', {name: 'the web', exact: true}).waitFor();
    const other = await open(`${url}?from=${BEGIN}&until=${NOW}`);
    await answered(other);
    assert.equal(await total(other), '1.1 s');
    await other.getByRole('button', {name: 'Views'}).click();
    await other.getByRole('button', {name: 'the web', exact: true}).click();
    await other.waitForFunction(() => /100 ms/.test(document.querySelector('.status')?.innerText));
    await other.getByRole('button', {name: 'Views'}).click();
    await other.getByRole('button', {name: 'Remove the web'}).click();
    await other.getByRole('button', {name: 'the web', exact: true}).waitFor({state: 'detached'});
    const views = await (await fetch(`${url}api/v1/views`)).json();
    assert.deepEqual(views, {views: []});
    for (const one of [page, other]) {
        assert.deepEqual(one.failures, []);
        await one.context().close();
    }
});

test('a range is moved by keys; what nothing matches says so', async () => {
    const url = await serve();
    await fill(url);
    const page = await open(`${url}?q=service%3Dapi&from=${BEGIN}&until=${NOW}&${range(MIDDLE, NOW)}`);
    await answered(page);
    assert.equal(await total(page), '600 ms');
    const end = page.getByRole('slider', {name: 'Range: beginning'}), step = 15000; // 600 s in 40 steps
    await end.focus();
    await page.keyboard.press('PageDown');
    await page.waitForURL(new RegExp(range(MIDDLE - 10 * step, NOW)));
    await page.waitForFunction(() => /800 ms/.test(document.querySelector('.status')?.innerText));
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Range: beginning');
    // Another service than there is, by the address.
    await page.goto(`${url}?q=service%3Dnone&from=${BEGIN}&until=${NOW}`);
    await page.getByText('No profile matches').waitFor();
    await page.getByRole('button', {name: 'Show all services'}).click();
    await answered(page);
    assert.equal(await total(page), '1.1 s');
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('what an address has that cannot be read is said, until something else is asked for', async () => {
    const url = await serve();
    await fill(url);
    const page = await open(`${url}?q=service%3Dapi%20%7C&from=yesterday&until=soon&range=9..1`);
    const note = page.locator('.serve [role=status]');
    await note.filter({hasText: 'q is not a selector, from here on: |'}).waitFor();
    const sentence = await note.innerText();
    for (const part of ['from is no time: yesterday', 'until is no time: soon', 'range is no range: 9..1'])
        assert.ok(sentence.includes(part), `${part}: ${sentence}`);
    assert.ok(await page.locator('.serve-note.wrong').isVisible());
    await page.getByLabel('Service', {exact: true}).selectOption('api');
    await answered(page);
    assert.doesNotMatch(await note.innerText(), / is no/);
    await page.goto(`${url}?from=${NOW}&until=${BEGIN}`);
    await note.filter({hasText: 'it ends before it begins: the last hour is shown'}).waitFor();
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('a condition on "service" is one on the service', async () => {
    const url = await serve();
    await fill(url);
    const page = await open(`${url}?from=${BEGIN}&until=${NOW}`);
    await answered(page);
    await page.getByRole('button', {name: '+ label'}).first().click();
    await page.getByRole('combobox', {name: 'Label', exact: true}).fill('service');
    await page.getByRole('combobox', {name: 'Value'}).fill('web');
    await page.getByRole('button', {name: 'Add', exact: true}).click();
    await page.waitForFunction(() => /100 ms/.test(document.querySelector('.status')?.innerText));
    assert.equal(await page.getByLabel('Service', {exact: true}).inputValue(), 'web');
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('what is pressed acts on what was seen: new profiles wait until it is released', async () => {
    const url = await serve();
    await fill(url);
    const page = await open(`${url}?from=${BEGIN}&until=${NOW}`);
    await answered(page);
    assert.equal(await total(page), '1.1 s');
    await page.locator('.serve h1').hover();
    await page.mouse.down();
    const merged = page.waitForResponse(response => response.url().includes('/merge?'));
    await page.evaluate(address => {
        history.replaceState(null, '', address);
        dispatchEvent(new PopStateEvent('popstate'));
    }, `?q=service%3Dweb&from=${BEGIN}&until=${NOW}`);
    await (await merged).finished();
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await total(page), '1.1 s');
    await page.mouse.up();
    await page.waitForFunction(() => /100 ms/.test(document.querySelector('.status')?.innerText));
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

// Six pods of a service, whose new version, from the middle on, takes twice as long to parse.
async function fillDeploy(url, end = NOW) {
    for (let at = BEGIN; at < end; at += 30000)
        for (let pod = 0; pod < 6; pod++) {
            const version = at < MIDDLE ? '1.4' : '1.5', parse = at < MIDDLE ? 100 : 200, more = (at / 30000 + pod * 7) % 5;
            await push(url, `api{pod=p${pod},version=${version}}`, at, `main;parse ${parse + more}\nmain;write ${300 + more}\n`);
        }
}
const deployed = `?q=service%3Dapi&from=${BEGIN}&until=${NOW}`;

test('deploys and lasting changes are marks; a click on one compares, and the verdict says what grew', async () => {
    const url = await serve();
    await fillDeploy(url);
    const page = await open(url + deployed, {bypassCSP: true}), marks = page.getByRole('group', {name: 'Deploys and changes'});
    await marks.getByRole('button').first().waitFor();
    const names = await marks.getByRole('button').evaluateAll(all => all.map(one => one.title).join('\n'));
    assert.match(names, /deploy at \d\d:\d\d: version 1\.5/);
    assert.match(names, /change at \d\d:\d\d: parse \+(9\d|10\d)/);
    assert.deepEqual(await violations(page), []);
    await marks.getByRole('button', {name: /^version 1\.5/}).click();
    await page.waitForURL(new RegExp(`${range(MIDDLE, NOW)}.*before=${BEGIN}..${MIDDLE}`));
    const verdict = page.locator('.serve-says');
    await verdict.filter({hasText: /^Slower: parse grew by 1 s \(2\d\.?\d? % of the total before\)/}).waitFor();
    assert.match(await verdict.innerText(), /6 \+ 6 runs, one per series/);
    const grown = page.getByRole('group', {name: 'Functions that changed most'}).getByRole('button', {name: /parse/});
    assert.match(await grown.innerText(), /\+1 s/);
    assert.deepEqual(await violations(page), []);
    await grown.click();
    await page.waitForFunction(() => document.querySelector('.search input').value === '/^parse$/');
    await page.getByRole('button', {name: 'Stop comparing'}).click();
    await verdict.waitFor({state: 'hidden'});
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('the time after a mark ends where its profiles end', async () => {
    const url = await serve(), end = NOW - 120000;
    await fillDeploy(url, end);
    const page = await open(url + deployed);
    await page.getByRole('group', {name: 'Deploys and changes'}).getByRole('button', {name: /^version 1\.5/}).click();
    await page.waitForURL(new RegExp(`${range(MIDDLE, end)}.*before=${MIDDLE - (end - MIDDLE)}..${MIDDLE}`));
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('a version is compared with another; a verdict takes two ranges that are equally long', async () => {
    const url = await serve();
    await fillDeploy(url);
    const other = `&before=${BEGIN}..${MIDDLE}&beforeq=service%3Dapi+version%3D1.4`;
    const page = await open(`${url}?q=service%3Dapi+version%3D1.5&from=${BEGIN}&until=${NOW}&${range(MIDDLE, NOW)}${other}`);
    const verdict = page.locator('.serve-says');
    await verdict.filter({hasText: 'Slower: parse grew'}).waitFor();
    // The range before has the values of its own labels, which are none of those that the bars are of.
    assert.match(await page.locator('.serve-bars').getAttribute('aria-label'), /; (?!0 )\S+ m?s of service=api version=1.4 before$/);
    await page.getByText('gray: before, service=api version=1.4').waitFor();
    await page.goto(`${url}${deployed}&${range(MIDDLE + 150000, NOW)}&before=${BEGIN}..${MIDDLE}`);
    await verdict.filter({hasText: 'both ranges have to be equally long'}).waitFor();
    await page.getByRole('button', {name: 'Make the range before 2.5 min long'}).click();
    await page.waitForURL(new RegExp(`before=${MIDDLE - 150000}..${MIDDLE}`));
    await verdict.filter({hasText: 'Slower: parse grew'}).waitFor();
    // One series: each step of it is a run.
    await page.goto(`${url}?q=service%3Dapi+pod%3Dp1&from=${BEGIN}&until=${NOW}&${range(MIDDLE, NOW)}&before=${BEGIN}..${MIDDLE}`);
    await verdict.filter({hasText: /10 \+ 10 runs, each a step of a series/}).waitFor();
    assert.deepEqual(page.failures, []);
    await page.context().close();
});

test('all of the time is compared by the halves that have profiles; a verdict wants a service, and both sides profiles', async () => {
    const url = await serve();
    await fill(url);
    const hour = `from=${NOW - 3600000}&until=${NOW}`, page = await open(`${url}?${hour}`);
    await answered(page);
    await page.getByRole('button', {name: 'Compare', exact: true}).click();
    await page.waitForURL(new RegExp(`${range(MIDDLE, NOW)}.*before=${BEGIN}..${MIDDLE}`));
    await page.locator('.serve-says').filter({hasText: 'No verdict: choose one service'}).waitFor();
    assert.deepEqual(page.failures, []);
    await page.getByLabel('Service').selectOption('api');
    await page.locator('.serve-says').filter({hasText: /10 \+ 10 runs|20 \+ 20 runs/}).waitFor();
    await page.goto(`${url}?q=service%3Dapi&${hour}&${range(MIDDLE, NOW)}&before=${NOW - 3600000}..${NOW - 3300000}`);
    await page.getByRole('heading', {name: 'There is nothing to compare with'}).waitFor();
    await page.locator('.serve-message').getByRole('button', {name: 'Stop comparing'}).click();
    await page.waitForFunction(() => /600 ms/.test(document.querySelector('.status')?.innerText)); // of p1 and of p2 300 each
    await page.context().close();
});

test('axe finds nothing, light and dark, from 360 to 1920 px; nothing is wider than the window', async () => {
    const url = await serve();
    await fill(url);
    const compared = `?q=service%3Dapi&by=pod&from=${BEGIN}&until=${NOW}&${range(MIDDLE, NOW)}&before=${BEGIN}..${MIDDLE}`;
    for (const width of [360, 768, 1920])
        for (const colorScheme of ['light', 'dark']) {
            const page = await open(url + compared, {viewport: {width, height: 800}, colorScheme, bypassCSP: true});
            await answered(page);
            await resolved(page);
            assert.deepEqual(await violations(page), [], `${width} px, ${colorScheme}`);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
            const picture = await page.locator('.stage').boundingBox();
            assert.ok(picture.height > 120, `the picture is ${picture.height} px high at ${width} px`);
            if (process.env.SHOT) await page.screenshot({path: `${process.env.SHOT}/${width}-${colorScheme}.png`});
            await page.context().close();
        }
    const empty = await open(await serve(), {bypassCSP: true});
    await empty.getByText('There are no profiles here yet').waitFor();
    assert.deepEqual(await violations(empty), []);
    if (process.env.SHOT) await empty.screenshot({path: `${process.env.SHOT}/empty.png`});
    await empty.context().close();
});

test('scrapes that fail are counted in the bar, and its menu says why', async () => {
    const config = path.join(folder, 'flamel.yaml');
    writeFileSync(config, 'scrape:\n  - {service: down, targets: ["127.0.0.1:1"], interval: 1s, profiles: [cpu, heap]}\n');
    const url = await serve('--config', config);
    await fill(url);
    for (let fails = 0; fails < 2;) {
        const {targets} = await (await fetch(`${url}api/v1/targets`)).json();
        fails = targets.filter(({state}) => state === 'down').length;
    }
    const page = await open(`${url}?q=service%3Dapi&from=${BEGIN}&until=${NOW}`, {bypassCSP: true});
    await answered(page);
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', {name: '2 of 2 scrapes fail'}).click();
    await page.locator('.serve-menu').getByRole('heading', {name: 'Targets'}).waitFor();
    const menu = await page.locator('.serve-menu').innerText();
    assert.match(menu, /down http:\/\/127\.0\.0\.1:1 cpu\n.*onnect/);
    assert.match(menu, /down http:\/\/127\.0\.0\.1:1 heap\n.*onnect/);
    if (process.env.SHOT) await page.screenshot({path: `${process.env.SHOT}/targets.png`});
    assert.deepEqual(page.failures, []);
    await page.context().close();
});
