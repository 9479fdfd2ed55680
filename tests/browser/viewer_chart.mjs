// viewer_chart.mjs - the flame chart and the heatmap: time as a person selects it and looks at it.

import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {axeSource} from './browser.mjs';
import {boxOf, close, finish, open, pageOf, press, resolved, words} from './page.mjs';

after(close);

// 1 s of two threads, a sample every 10 ms: the second one runs in the second half.
function samples() {
    let text = '';
    for (let ms = 0; ms < 1000; ms += 10)
        for (const thread of ms < 500 ? [7] : [7, 9])
            text += `app 7/${thread} ${(100 + ms / 1000).toFixed(6)}: 10000000 cpu-clock:\n` +
                `\t1000 ${ms < 500 ? 'early' : 'late'} (/bin/app)\n\t2000 main (/bin/app)\n\n`;
    return text;
}
const page_of_threads = pageOf(samples());
const state = page => page.evaluate(() => decodeURIComponent(location.hash));

async function drag(page, from, to, y) {
    await page.mouse.move(from, y);
    await page.mouse.down();
    await page.mouse.move((from + to) / 2, y);
    await page.mouse.move(to, y);
    await page.mouse.up();
    await resolved(page);
}

const surface = async page => boxOf(page.locator('.surface'));

test('a range that is dragged in the overview is the axis of the chart', async () => {
    const page = await open(page_of_threads, {width: 1200, height: 700});
    const box = await surface(page);
    await drag(page, box.x + box.width * 0.25, box.x + box.width * 0.75, box.y + 10);
    assert.match(await words(page, '.chip'), /time 2\d\d ms to 7\d\d ms/);
    await press(page, '2');
    await resolved(page);
    assert.doesNotMatch(await state(page), /x=/, 'all of the selected time is seen');
    await page.mouse.move(box.x + box.width / 2, box.y + 120);
    await resolved(page);
    const tooltip = await page.locator('.tooltip').innerText();
    assert.match(tooltip, /time\s+\d+(\.\d+)? ms – \d+(\.\d+)? ms/);
    assert.match(tooltip, /thread\s+app 7/);
    await finish(page, assert);
});

test('only the visible time is selected, once', async () => {
    const page = await open(page_of_threads, {width: 1200, height: 700});
    await press(page, '2', '+', '+', '+');
    await resolved(page);
    assert.match(await state(page), /x=/);
    await press(page, 'z');
    await resolved(page);
    assert.match(await state(page), /apply=time:/);
    assert.doesNotMatch(await state(page), /[#&]x=/, 'what was seen is all');
    const before = await state(page);
    await press(page, 'z');
    await resolved(page);
    assert.equal(await state(page), before, 'it has been selected');
    await press(page, 'Z');
    await resolved(page);
    assert.doesNotMatch(await state(page), /time:|[#&]x=/);
    await finish(page, assert);
});

test('a panel tells when, and whose it is', async () => {
    const page = await open(page_of_threads, {width: 1200, height: 700});
    await press(page, '2');
    const box = await surface(page);
    await page.mouse.click(box.x + 300, box.y + 95);
    await resolved(page);
    const panel = await page.locator('.panel').innerText();
    assert.match(panel, /time\s*0\.\d+ s – 1\.\d+ s/);
    assert.match(panel, /thread\s*app 7/);
    assert.match(panel, /duration\s*\d/);
    await finish(page, assert);
});

for (const colorScheme of ['light', 'dark'])
    test(`nobody is shut out of the chart, ${colorScheme}`, async () => {
        const page = await open(page_of_threads, {width: 1200, height: 700, colorScheme});
        await press(page, '2');
        await resolved(page);
        await page.evaluate(axeSource);
        const {violations} = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
            .map(({id}) => id), []);
        await finish(page, assert);
    });

// A second of 12 threads with long names: each runs for 20 ms, then does one thing after another.
function waits() {
    const samples = [], states = ['runnable', 'blocked', 'lock', 'sleeping'];
    for (let thread = 0; thread < 12; thread++)
        for (let at = 0; at < 1000; at += 100) {
            const labels = [['process', '7'], ['thread', `${700 + thread}`], ['command', 'connection-pool']];
            samples.push({time_ns: at * 1e6 + thread, duration_ns: 20e6, stack: 1, labels, values: [20e6, 0]});
            samples.push({time_ns: at * 1e6 + 20e6 + thread, duration_ns: 80e6, stack: 1, values: [0, 80e6],
                labels: [...labels, ['state', states[at / 100 % 4]]]});
        }
    return JSON.stringify({format: 'flamel profile', version: 1, metrics: [{name: 'cpu', unit: 'ns'}, {name: 'off-cpu', unit: 'ns'}],
        frames: [{function: 'main', module: 'app'}, {function: 'wait', module: 'app'}],
        stacks: [{parent: null, frame: 0, self: [0, 0]}, {parent: 0, frame: 1, self: [2.4e9, 9.6e9]}], samples});
}

for (const width of [960, 700, 390]) test(`the legend of states is whole, however much there is to count, ${width} px wide`, async () => {
    const page = await open(pageOf(waits()), {width, height: 700});
    await press(page, '2', '+', '+', 'z');
    await resolved(page);
    assert.match(await words(page, '.status .facts'), /filtered/);
    const legend = await page.locator('.status .legend').boundingBox(), seen = [];
    for (const item of await page.locator('.status .legend-item').all()) {
        const {x, y, width, height} = await item.boundingBox();
        if (x >= legend.x && x + width <= legend.x + legend.width + 1 && y >= legend.y && y + height <= legend.y + legend.height)
            seen.push(await item.innerText());
        assert.ok(await item.locator('.cut').evaluate(text => text.scrollWidth <= text.clientWidth), await item.innerText());
    }
    for (const state of ['on-CPU', 'runnable', 'blocked', 'waiting for a lock', 'sleeping'])
        assert.ok(seen.includes(state), `${state} in ${seen}`);
    assert.match(await words(page, '.status .facts .strong >> nth=0'), /stack/, 'and what is shown stays');
    await finish(page, assert);
});

test('threads have their names and figures in one line of their menu', async () => {
    const page = await open(pageOf(waits()), {width: 1366, height: 768});
    await page.getByRole('button', {name: 'Threads'}).click();
    for (const row of await page.locator('.track-list li').all()) {
        const {height} = await row.boundingBox();
        assert.ok(height < 32, `${await row.innerText()} takes ${height} px`);
        assert.ok(await row.locator('.cut').evaluate(name => name.scrollWidth <= name.clientWidth), await row.innerText());
    }
    await finish(page, assert);
});

test('what a wait is summed by is said', async () => {
    const page = await open(pageOf(waits()), {width: 1200, height: 700});
    await press(page, '2');
    const box = await surface(page);
    await page.mouse.click(box.x + box.width * 0.57, box.y + 92);
    await resolved(page);
    const panel = await page.locator('.panel').innerText();
    assert.match(panel, /state\s*\w+/);
    assert.match(panel, /by cpu, at all times/);
    await finish(page, assert);
});

test('the name of the file is whole where the search can give way', async () => {
    for (const width of [1200, 1366, 1600]) {
        const page = await open(pageOf(waits()), {width, height: 700});
        assert.ok(await page.locator('.tools .file').evaluate(name => name.scrollWidth <= name.clientWidth), `${width} px`);
        await finish(page, assert);
    }
});

// ---- The heatmap --------------------------------------------------------------------------------

// 30 s: work every 100 ms; in the thirteenth second a collection of garbage, every 10 ms.
function collections() {
    let text = '';
    for (let ms = 0; ms <= 30000; ms += 10) {
        const collects = ms >= 12200 && ms < 13700;
        if (collects || ms % 100 === 0)
            text += `app 7/7 ${(100 + ms / 1000).toFixed(6)}: 10000000 cpu-clock:\n` +
                `\t1000 ${collects ? 'collect' : 'work'} (/bin/app)\n\t2000 main (/bin/app)\n\n`;
    }
    return text;
}
const recorded = pageOf(collections());

// Where the cell of a time is, in columns of a second of 50 rows.
async function cellAt(page, seconds) {
    const {x, y, width, height} = await boxOf(page.locator('.surface'));
    const row = Math.min(Math.max(Math.floor((height * 0.42 - 36) / 50), 4), 8);
    const column = Math.floor(seconds), offset = Math.floor((seconds - column) * 50 + 1e-6);
    return {x: x + 64 + (column + 0.5) / 31 * (width - 72), y: y + 20 + 50 * row - (offset + 0.5) * row};
}
async function dragCells(page, from, to) {
    const a = await cellAt(page, from), b = await cellAt(page, to);
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2);
    await page.mouse.move(b.x, b.y);
    await page.mouse.up();
    await resolved(page);
}
async function opened(options = {}) {
    const page = await open(recorded, {width: 1200, height: 800, ...options});
    await press(page, '8');
    await resolved(page);
    return page;
}

test('a burst is dragged over, across seconds, and the flame graph is of it', async () => {
    const page = await opened();
    assert.match(await state(page), /view=heatmap/);
    const cell = await cellAt(page, 12.5);
    await page.mouse.move(cell.x, cell.y);
    await resolved(page);
    const tooltip = await page.locator('.tooltip').innerText();
    assert.match(tooltip, /12\.50 s to 12\.52 s/);
    assert.match(tooltip, /total\s*20(\.0)? ms/, 'two samples of 10 ms');
    await dragCells(page, 12.2, 13.68);
    assert.match(await state(page), /apply=time:12\.2s\.\.13\.7s/);
    assert.match(await words(page, '.chip'), /time 12\.2 s to 13\.7 s/);
    await press(page, '5');
    await resolved(page);
    assert.match(await page.locator('.table .row').first().innerText(), /collect/);
    await press(page, '8', 'Z');
    await resolved(page);
    assert.doesNotMatch(await state(page), /time:/);
    await finish(page, assert);
});

test('two clicks are the ends of a range, as in FlameScope, and Escape forgets the first', async () => {
    const page = await opened();
    const first = await cellAt(page, 5.1), last = await cellAt(page, 7.5);
    await page.mouse.click(first.x, first.y);
    await resolved(page);
    assert.doesNotMatch(await state(page), /time:/);
    await page.mouse.click(last.x, last.y);
    await resolved(page);
    assert.match(await state(page), /apply=time:5\.1s\.\.7\.52s/);
    await page.mouse.click(first.x, first.y);
    await press(page, 'Escape');
    await page.mouse.click(last.x, last.y);
    await resolved(page);
    assert.match(await state(page), /apply=time:5\.1s\.\.7\.52s/, 'it begins another one');
    await finish(page, assert);
});

test('all of it can be done by keys, and is said', async () => {
    const page = await opened();
    await press(page, 'Shift+ArrowRight', 'Shift+ArrowRight');
    await resolved(page);
    const said = await words(page, '.status');
    assert.match(said, /1[34]\.\d\d s to 1[34]\.\d\d s: /);
    await press(page, 'Shift+G');
    await resolved(page);
    assert.match(await state(page), /apply=time:1[34]s\.\.1[45]s/);
    await press(page, 'Shift+}');
    await resolved(page);
    assert.match(await state(page), /column=2000000000ns/);
    await press(page, 'Shift+{', 'Shift+{');
    await resolved(page);
    assert.match(await state(page), /column=500000000ns/);
    await finish(page, assert);
});

test('a link shows the same heatmap and the same range', async () => {
    const page = await open(recorded, {hash: '#view=heatmap&apply=time:2s..3s', width: 1200, height: 800});
    await resolved(page);
    assert.match(await words(page, '.chip'), /time 2(\.00)? s to 3(\.00)? s/);
    assert.equal(await page.getByRole('button', {name: 'Heatmap'}).first().getAttribute('aria-pressed'), 'true');
    await finish(page, assert);
});

for (const width of [390, 1200])
    test(`the flame graph below it can be used, ${width} px wide`, async () => {
        const page = await opened({width, height: 800});
        const {x, y, width: wide, height} = await boxOf(page.locator('.surface'));
        let found = '';
        for (let at = y + height - 10; at > y && !found.includes('main'); at -= 10) {
            await page.mouse.move(x + wide / 2, at);
            await resolved(page);
            const tooltip = page.locator('.tooltip');
            found = await tooltip.isVisible() ? await tooltip.innerText() : '';
        }
        assert.match(found, /main/);
        await finish(page, assert);
    });

for (const colorScheme of ['light', 'dark'])
    test(`nobody is shut out of the heatmap, ${colorScheme}`, async () => {
        const page = await opened({colorScheme});
        await page.evaluate(axeSource);
        const {violations} = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
            .map(({id}) => id), []);
        await finish(page, assert);
    });
