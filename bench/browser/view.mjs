// view.mjs - how long the viewer makes its user wait, next to other viewers in the same browser.
//
//     view.mjs FLAMEL DATA [PART]...      parts: page open drop frames search switch chart heatmap code
//
// DATA has f1e5.folded ... of bench/run, RUNS and SIZES are as there, and browser.mjs explains the clocks. Each
// row is the median of RUNS measurements, and follows the rows of other viewers in the same run.

import {existsSync} from 'node:fs';
import {loadavg} from 'node:os';
import {after, browser, closePage, drop, frames, median, newPage, noted, pause, quantile, rendererCPU,
    traced} from './browser.mjs';
import {d3, dataFile, end, least, nodeCount, ours, oursAt, pageOf, settled, sizeOf, smallestPage,
    speedscope} from './subjects.mjs';

const runs = Number(process.env.RUNS || 5), sizes = (process.env.SIZES || '1e5 1e6').split(' ');
const largest = sizes.includes('1e6') ? '1e6' : sizes[sizes.length - 1];
const parts = process.argv.slice(4);
const folded = size => dataFile(`f${size}.folded`);

function random(seed) {
    return () => {
        seed = seed + 0x6d2b79f5 | 0;
        let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
        t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
        return ((t ^ t >>> 14) >>> 0) / 4294967296;
    };
}

function head(words) {
    console.log(`\n${words} (load ${loadavg()[0].toFixed(1)})`);
}
function row(name, ...cells) {
    console.log(`  ${name.padEnd(44)} ${cells.join(', ')}`);
}
const ms = value => `${value >= 100 ? value.toFixed(0) : value.toFixed(2)} ms`;
const each = values => `median ${ms(median(values))} of ${values.length} ` +
    `(${ms(Math.min(...values))} to ${ms(Math.max(...values))})`;

// A viewer that fails is reported, and the others are measured nevertheless.
async function attempt(name, measure) {
    try {
        await measure();
    } catch (error) {
        row(name, `failed: ${error.message.split('\n')[0]}`);
        await Promise.all(browser.contexts().map(context => context.close()));
    }
}

// ---- The page's size ----------------------------------------------------------------------------

function partPage() {
    head('self-contained HTML, bytes');
    const fixed = sizeOf(smallestPage());
    row('of one stack', `${fixed}`);
    for (const size of sizes) {
        const bytes = sizeOf(pageOf(folded(size))), nodes = nodeCount(folded(size));
        row(`${size} nodes`, `${bytes}`, `${((bytes - fixed) / nodes).toFixed(2)} a node`);
    }
}

// ---- Opening ------------------------------------------------------------------------------------

// A new renderer process each time. Wall time from the navigation to the end of the first frame whose canvas
// shows boxes; CPU time of the renderer until then, including its start and the compilation of the module. And, before
// that, to the first picture.
async function opened(subject, name, input) {
    const waits = [], cpu = [], painted = [];
    for (let run = 0; run < runs; run++) {
        const {result, seconds} = await rendererCPU(() => subject.open(input));
        waits.push(result.wait);
        cpu.push(seconds * 1e3);
        painted.push(await result.page.evaluate(() => window.bench.painted));
        await subject.close(result.page);
    }
    row(`${name}, ${subject.name}`, `first picture ${each(painted)}`, `viewer ${each(waits)}`, `renderer CPU median ${ms(median(cpu))}`);
}

async function partOpen() {
    head('self-contained HTML from file://, navigation to first painted picture');
    await opened(least, 'nothing', null);
    await opened(ours, '1 node', smallestPage().replace(/\.html$/, ''));
    for (const size of sizes) await opened(ours, `${size} nodes`, folded(size));
    if (existsSync(dataFile('f1e7.flm')) && largest === '1e6')
        await opened(ours, '1e7 nodes', dataFile('f1e7.flm'));
}

// The page is open and idle; the file is in the system's cache.
async function partDrop() {
    head('folded text dropped on the page, drop to first painted picture');
    for (const size of sizes)
        for (const subject of [ours, speedscope]) {
            const name = `${size} nodes, ${subject.name}`;
            await attempt(name, () => dropped(subject, name, folded(size)));
        }
}

async function dropped(subject, name, input) {
    const waits = [], cpu = [];
    for (let run = 0; run < runs; run++) {
        const page = await subject.openEmpty();
        await pause(300);
        const {result, seconds} = await rendererCPU(async () => {
            await drop(page, input);
            return noted(page, subject.dropped);
        });
        waits.push(result);
        cpu.push(seconds * 1e3);
        await subject.close(page);
    }
    row(name, `wall ${each(waits)}`, `renderer CPU median ${ms(median(cpu))}`);
}

// ---- Frames -------------------------------------------------------------------------------------

const STEP_MS = 16;

// Zooms in at a point of the picture, pans, and zooms out, by real wheel and mouse events, one a frame. With
// CTRL the wheel zooms in every viewer.
async function gesture(page, at, y) {
    const CTRL = 2, send = (type, more) => page.session.send('Input.dispatchMouseEvent',
        {type, x: at, y, ...more});
    const wheel = async (deltaY, times) => {
        for (let i = 0; i < times; i++) {
            await Promise.all([send('mouseWheel', {deltaX: 0, deltaY, modifiers: CTRL}), pause(STEP_MS)]);
        }
    };
    await wheel(-100, 14);
    await send('mousePressed', {button: 'left', buttons: 1, clickCount: 1});
    for (let i = 1; i <= 12; i++)
        await Promise.all([send('mouseMoved', {x: at + i * 20, button: 'left', buttons: 1}),
            pause(STEP_MS)]);
    await send('mouseReleased', {x: at + 240, button: 'left', clickCount: 1});
    await wheel(100, 14);
}

function printFrames(name, tasks) {
    const all = frames(tasks);
    row(name, `CPU p50 ${ms(median(all))}`, `p99 ${ms(quantile(all, 0.99))}`,
        `max ${ms(Math.max(...all))}`, `${all.length} frames`);
}

// CPU time of the main thread per frame: all of its tasks since the previous frame.
async function moved(subject, name, input) {
    const {page} = await subject.open(input), next = random(7);
    await pause(1000);
    await gesture(page, 960, 400);
    const tasks = await traced(page, async () => {
        for (let i = 0; i < runs * (subject === ours ? 6 : 2); i++)
            await gesture(page, 200 + 1300 * next(), 250 + 400 * next());
    });
    printFrames(name, tasks);
    await subject.close(page);
}

// d3-flame-graph zooms when a frame is clicked, by a transition of 0.75 s; it does not pan.
async function clicked(subject, name, input) {
    const {page} = await subject.open(input), next = random(7);
    const tasks = await traced(page, async () => {
        for (let i = 0; i < runs; i++)
            for (const level of [4, 0]) {
                const boxes = await page.$$eval('g.frame rect', (all, level) => {
                    const places = all.map(one => one.getBoundingClientRect());
                    const top = Math.min(...places.map(box => box.top));
                    return places.filter(box => box.width > 40 &&
                        Math.round((box.top - top) / 18) === level)
                        .map(box => ({x: box.x + 5, y: box.y + 9}));
                }, level);
                const box = boxes[Math.floor(boxes.length * next())];
                if (box) await page.mouse.click(box.x, box.y);
                await pause(1500);
            }
    });
    printFrames(name, tasks);
    const clicks = after(tasks, 'click');
    row('  each click', `CPU median ${ms(median(clicks.map(one => one.cpu)))}`,
        `longest task ${ms(Math.max(...clicks.map(one => one.longest)))}`);
    await subject.close(page);
}

async function partFrames() {
    head('a frame while zooming and panning, 1920x1080, main thread');
    for (const size of new Set(['1e5', largest]))
        for (const [subject, measure] of [[ours, moved], [speedscope, moved], [d3, clicked]]) {
            const name = `${size} nodes, ${subject.name}`;
            await attempt(name, () => measure(subject, name, folded(size)));
        }
}

// ---- Search -------------------------------------------------------------------------------------

const WORDS = ['alloc', 'std::vector', 'page_'];

// Keys are half a second apart: the page is idle again after each, and late work counts too.
async function typed(page, focus) {
    const letters = [];
    const tasks = await traced(page, async () => {
        await focus();
        await pause(500);
        for (const word of WORDS) {
            for (const letter of word) {
                await page.keyboard.press(letter);
                letters.push(true);
                await pause(500);
            }
            for (const key of ['Control+a', 'Backspace']) await page.keyboard.press(key);
            letters.push(false, false, false);
            await pause(500);
        }
    });
    // Control, a and Backspace are keys as well, and not letters.
    const keys = after(tasks, 'keydown');
    return keys.slice(-letters.length).filter((key, i) => letters[i]);
}

function printKeys(name, keys) {
    row(name, `CPU a key: median ${ms(median(keys.map(key => key.cpu)))}`,
        `most ${ms(Math.max(...keys.map(key => key.cpu)))}`,
        `longest task: CPU ${ms(Math.max(...keys.map(key => key.longestCPU)))}`, `${keys.length} keys`);
}

async function searched(subject, name, input, focus) {
    const {page} = await subject.open(input);
    await pause(1000);
    printKeys(name, await typed(page, () => focus(page)));
    await subject.close(page);
}

async function partSearch() {
    head('search as you type, main thread');
    const all = folded(largest), many = dataFile('f1e6.names.folded');
    for (const [subject, words, input, focus] of [
        [ours, `${largest} nodes`, all, page => page.click('.search input')],
        [ours, '1e6 nodes, 1e5 names', many, page => page.click('.search input')],
        [speedscope, `${largest} nodes`, all, page => page.keyboard.press('Control+f')],
        [d3, `${largest} nodes`, all, page => page.click('#search')]]) {
        const name = `${words}, ${subject.name}`;
        if (existsSync(input)) await attempt(name, () => searched(subject, name, input, focus));
    }
}

// ---- Switching ----------------------------------------------------------------------------------

// A key in a new page, where nothing is cached. Wall time from the key to the end of the first frame with a
// different picture; CPU time of the main thread until the page is idle; and its longest task, during which
// the page does not respond.
async function pressed(page, key, which) {
    let wait = NaN;
    const tasks = await traced(page, async () => {
        await page.evaluate(() => { window.bench.waits = 'keydown'; });
        await page.keyboard.press(key);
        wait = which ? await noted(page, which) : NaN;
        await pause(500);
        if (which === 'changed') await settled(page);
    });
    const [{cpu, longest}] = after(tasks, 'keydown').slice(-1);
    return {wait, cpu, longest};
}

function printSwitch(name, all) {
    const of = what => all.map(one => one[what]);
    row(name, isNaN(all[0].wait) ? 'no picture at first' : `picture ${each(of('wait'))}`,
        `CPU median ${ms(median(of('cpu')))}`, `longest task median ${ms(median(of('longest')))}`,
        `most ${ms(Math.max(...of('longest')))}`);
}

async function partSwitch() {
    head(`switching, ${largest} nodes`);
    const input = folded(largest);
    for (const [name, key] of [['inverted', 'I'], ['another order', 'o'], ['sandwich', '3']]) {
        const all = [];
        for (let run = 0; run < runs; run++) {
            const {page} = await ours.open(input);
            await settled(page);
            if (key === '3') await page.mouse.click(500, 300); // of what is selected
            await pause(1000);
            all.push(await pressed(page, key, 'changed'));
            await ours.close(page);
        }
        printSwitch(`${name}, flamel`, all);
    }
    for (const [name, key, which] of [['left heavy', '2', 'first'], ['table of its sandwich', '3', null]])
        await attempt(`${name}, speedscope`, async () => {
            const all = [];
            for (let run = 0; run < Math.min(runs, 3); run++) {
                const {page} = await speedscope.open(input);
                await pause(1000);
                all.push(await pressed(page, key, which));
                await speedscope.close(page);
            }
            printSwitch(`${name}, speedscope`, all);
        });
}

// ---- The flame chart ----------------------------------------------------------------------------

// A million samples of 500 threads: the page opened with the flame chart as its view; the key that shows it
// in a page that is open; and frames while zooming and panning, as for the others, and while all threads
// are scrolled through, so that each is seen for the first time.
async function scrolled(page, deltaY, times) {
    const ALT = 1; // without it the wheel zooms
    for (let i = 0; i < times; i++)
        await Promise.all([pause(STEP_MS), page.session.send('Input.dispatchMouseEvent',
            {type: 'mouseWheel', x: 960, y: 500, deltaX: 0, deltaY, modifiers: ALT})]);
}

async function partChart() {
    const input = dataFile('threads.flm'), name = '1e6 samples of 500 threads';
    head('flame chart');
    await opened(ours, `${name}: opened, flame graph`, input);
    await opened(oursAt('#view=chart'), `${name}: opened, flame chart`, input);
    const all = [];
    for (let run = 0; run < runs; run++) {
        const {page} = await ours.open(input);
        await settled(page);
        await pause(1000);
        all.push(await pressed(page, '2', 'changed'));
        await ours.close(page);
    }
    printSwitch(`${name}: the key`, all);
    const {page} = await oursAt('#view=chart').open(input), next = random(7);
    await pause(1000);
    printFrames(`${name}: scrolled through`, await traced(page, () => scrolled(page, 300, 300)));
    await scrolled(page, -3000, 100);
    printFrames(`${name}: zooming and panning`, await traced(page, async () => {
        for (let i = 0; i < runs * 6; i++)
            await gesture(page, 200 + 1300 * next(), 350 + 400 * next());
    }));
    await ours.close(page);
}

// ---- The heatmap --------------------------------------------------------------------------------

// The key that shows the heatmap, after that of the flame chart of the same file and of its inverted flame graph; then a
// range of its columns that is dragged, and the flame graph of that range.
async function partHeatmap() {
    head('heatmap');
    for (const [name, file] of [['1e6 samples', 'threads.flm'], ['1e7 samples', 'threads1e7.flm']]) {
        const input = dataFile(file);
        if (!existsSync(input)) continue;
        for (const [what, key] of [['inverted flame graph', 'I'], ['flame chart', '2'], ['heatmap', '8']]) {
            const all = [];
            for (let run = 0; run < runs; run++) {
                const {page} = await ours.open(input);
                await settled(page);
                await pause(1000);
                all.push(await pressed(page, key, 'changed'));
                await ours.close(page);
            }
            printSwitch(`${name}: the key, ${what}`, all);
        }
        const {page} = await oursAt('#view=heatmap').open(input);
        await settled(page);
        await pause(1000);
        const {x, y, width} = await page.evaluate(() => {
            const {x, y, width} = document.querySelector('.stage').getBoundingClientRect();
            return {x, y, width};
        });
        printFrames(`${name}: a range is dragged`, await traced(page, async () => {
            await page.mouse.move(x + 100, y + 100);
            await page.mouse.down();
            for (let i = 0; i < 60; i++)
                await Promise.all([pause(STEP_MS), page.mouse.move(x + 100 + i * (width - 300) / 60, y + 100 + i % 7)]);
        }));
        const tasks = await traced(page, async () => {
            await page.mouse.up();
            await settled(page);
            await pause(500);
        });
        const [{cpu, longest}] = after(tasks, 'mouseup').slice(-1);
        row(`${name}: flame graph of the range`, `CPU ${ms(cpu)}`, `longest task ${ms(longest)}`);
        await ours.close(page);
    }
}

// ---- The view of code ---------------------------------------------------------------------------

// A profile whose functions have many lines, in stacks of their own; the key e in a new page, of the function
// that was clicked. Wall time from the key to the end of the frame with its rows, and CPU time of the main thread
// of the tasks until then; the hottest lines of the program follow later.
async function partCode() {
    const input = dataFile('lines.flm'), all = [];
    head(`the view of code, ${nodeCount(input)} nodes with lines`);
    for (let run = 0; run < runs; run++) {
        const {page} = await ours.open(input);
        await settled(page);
        await page.mouse.click(500, 140); // a wide frame of the third level
        await pause(1000);
        let wait = NaN;
        const tasks = await traced(page, async () => {
            await page.evaluate(() => {
                window.bench.waits = 'keydown';
                const look = () => document.querySelector('.code-row') ? window.bench.afterFrame(now => {
                    window.bench.rows = now - window.bench.started;
                    performance.mark('rows');
                }) : requestAnimationFrame(look);
                requestAnimationFrame(look);
            });
            await page.keyboard.press('e');
            wait = await noted(page, 'rows');
        });
        const from = tasks.findIndex(task => task.events.has('keydown'));
        // The last task with a frame is the one that shows the rows.
        let to = from;
        tasks.forEach((task, i) => { if (task.at <= tasks[from].at + wait) to = i; });
        const own = tasks.slice(from, to + 1);
        all.push({wait, cpu: own.reduce((sum, task) => sum + task.cpu, 0),
            longest: Math.max(...own.map(task => task.cpu))});
        await ours.close(page);
    }
    const of = what => all.map(one => one[what]);
    row('key e to its rows', `wall ${each(of('wait'))}`, `CPU of the main thread ${each(of('cpu'))}`,
        `longest task, CPU ${each(of('longest'))}`);
}

// ---- All of them --------------------------------------------------------------------------------

const all = {page: partPage, open: partOpen, drop: partDrop, frames: partFrames, search: partSearch,
    switch: partSwitch, chart: partChart, heatmap: partHeatmap, code: partCode};
console.log(`chromium ${browser.version()}, ${runs} runs`);
try {
    // The first page of a browser compiles code that later pages share.
    await closePage(await newPage());
    for (const part of parts.length ? parts : Object.keys(all)) await all[part]();
} finally {
    end();
    await browser.close();
}
