// browser.mjs - the browser for measurements, and the clocks: pages that note when they first showed a
// picture, CPU time of processes, and traces.
//
// There are three clocks, since each misleads where another is right:
//
// - Wall time of a wait: performance.now() in the page, from the moment that a person would count from
//   (the navigation, the drop, the key) to a task behind the frame that draws, so that frame's style,
//   layout, paint and commit are in it. Its steps are 0.1 ms, too coarse for anything but waits.
// - CPU of the main thread: Chromium's trace. Every task has `tdur`, the time that the thread ran, which
//   a busy machine does not change much. Script, events, style, layout, paint and commit are tasks.
// - CPU of processes: SystemInfo.getProcessInfo, in steps of 10 ms: loading, which has threads and a worker.

import {createRequire} from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.NODE_MODULES, 'package.json'));
const {chromium} = require('playwright-core');

export const browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const session = await browser.newBrowserCDPSession();

export const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

export function quantile(values, share) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
export const median = values => quantile(values, 0.5);

// ---- Pages --------------------------------------------------------------------------------------

// Runs in every page before its own scripts, and notes when something is drawn.
//
// Ours draws with putImageData: a picture has boxes when at least one in a hundred of the pixels that
// are sampled differs from the last one, which has the color of the background. Speedscope draws rectangles with
// WebGL and in the same frame their names with fillText: the first name is its picture. d3-flame-graph
// adds elements. Of a page of ours `painted` is when the picture was on the screen that is there before its viewer
// (src/viewer/paint/first_picture.h): the browser's own first contentful paint.
function watch() {
    const bench = window.bench = {started: 0, first: null, changed: null, seen: 0, painted: NaN};
    new PerformanceObserver(list => {
        for (const entry of list.getEntriesByName('first-contentful-paint')) bench.painted = entry.startTime;
    }).observe({type: 'paint', buffered: true});
    const behind = new MessageChannel(), waiting = [];
    behind.port1.onmessage = () => waiting.splice(0).forEach(done => done(performance.now()));
    bench.afterFrame = done => {
        waiting.push(done);
        behind.port2.postMessage(null);
    };
    // Starts a measurement: of the next picture, and of the next one that differs from the current picture.
    bench.restart = () => Object.assign(bench, {started: performance.now(), first: null, changed: null,
        before: bench.seen});
    const drawn = picture => {
        bench.seen = picture;
        if (bench.first === null) {
            bench.first = -1;
            bench.afterFrame(now => { bench.first = now - bench.started; });
        }
        if (bench.changed === null && picture !== bench.before) {
            bench.changed = -1;
            bench.afterFrame(now => { bench.changed = now - bench.started; });
        }
    };
    const prototype = CanvasRenderingContext2D.prototype, {putImageData, fillText} = prototype;
    const MAP = 60; // rows of pixels of the minimap, which a switch does not change
    prototype.putImageData = function (image, ...rest) {
        putImageData.call(this, image, ...rest);
        if (bench.first !== null && bench.changed !== null) return;
        const pixels = new Uint32Array(image.data.buffer, image.data.byteOffset, image.width * image.height);
        const ground = pixels[pixels.length - 1];
        let differ = 0, looked = 0, sum = 0;
        for (let at = MAP * image.width; at < pixels.length; at += 97, looked++) {
            differ += pixels[at] !== ground;
            sum = Math.imul(sum, 31) + pixels[at] | 0;
        }
        if (differ * 100 >= looked && looked > 0) drawn(sum);
    };
    prototype.fillText = function (...rest) {
        fillText.apply(this, rest);
        if (!this.canvas.isConnected) return; // speedscope measures letters in one that is not
        drawn(1);
    };
    for (const kind of ['drop', 'keydown']) {
        addEventListener(kind, event => {
            if (bench.waits !== kind) return;
            bench.waits = null;
            bench.restart();
            bench.started = event.timeStamp;
        }, true);
    }
}

// A page of its own process, without a cache. `failures` are what its scripts did not catch.
export async function newPage() {
    const context = await browser.newContext({viewport: {width: 1920, height: 1080}});
    const page = await context.newPage();
    page.setDefaultTimeout(240e3);
    page.on('pageerror', error => console.error(`  ! ${error.message}`));
    await page.addInitScript(watch);
    page.session = await context.newCDPSession(page);
    return page;
}
export const closePage = page => page.context().close();

// Waits for `bench.first` or `bench.changed`, and returns it: ms. Not with page.waitForFunction, whose
// script the page's main thread would compile and run while it is measured: 9 ms of CPU.
export async function noted(page, which = 'first') {
    const {result} = await page.session.send('Runtime.evaluate', {awaitPromise: true, returnByValue: true,
        expression: `new Promise(done => {
            const look = () => window.bench?.${which} > 0 ? done(bench.${which}) : setTimeout(look, 50);
            look();
        })`});
    return result.value;
}

// Drops a file as a hand does: the page gets a real file, which it reads from the disk.
export async function drop(page, file) {
    await page.evaluate(() => { window.bench.waits = 'drop'; });
    const data = {items: [], files: [file], dragOperationsMask: 1};
    for (const type of ['dragEnter', 'dragOver', 'drop'])
        await page.session.send('Input.dispatchDragEvent', {type, x: 960, y: 540, data});
}

// ---- CPU of processes ---------------------------------------------------------------------------

async function processes() {
    const {processInfo} = await session.send('SystemInfo.getProcessInfo');
    return new Map(processInfo.map(one => [one.id, one]));
}

// CPU seconds that renderers use while `act` runs; one that starts meanwhile counts from its start.
export async function rendererCPU(act) {
    const before = await processes();
    const result = await act();
    let seconds = 0;
    for (const [id, {type, cpuTime}] of await processes())
        if (type === 'renderer') seconds += cpuTime - (before.get(id)?.cpuTime ?? 0);
    return {result, seconds};
}

// ---- Traces -------------------------------------------------------------------------------------

// The tasks of the page's main thread while `act` runs: {at, wall, cpu, events}, ms, with the names of
// the events in them.
export async function traced(page, act) {
    await browser.startTracing(page, {categories: ['devtools.timeline',
        'disabled-by-default-devtools.timeline']});
    await act();
    const {traceEvents} = JSON.parse((await browser.stopTracing()).toString());
    const mains = new Set(traceEvents.filter(event => event.name === 'thread_name' &&
        event.args.name === 'CrRendererMain').map(event => `${event.pid} ${event.tid}`));
    const threads = new Map([...mains].map(id => [id, {tasks: [], events: [], cpu: 0}]));
    for (const event of traceEvents) {
        const thread = threads.get(`${event.pid} ${event.tid}`);
        if (!thread) continue;
        if (event.name === 'RunTask') {
            thread.tasks.push({at: event.ts / 1e3, wall: (event.dur ?? 0) / 1e3,
                cpu: (event.tdur ?? 0) / 1e3,
                events: new Set()});
            thread.cpu += event.tdur ?? 0;
        } else if (event.ts) {
            thread.events.push({at: event.ts / 1e3, name: event.name === 'EventDispatch'
                ? event.args.data.type : event.name});
        }
    }
    // Of renderers that wait for a page, this one is the busiest.
    const {tasks, events} = [...threads.values()].sort((a, b) => b.cpu - a.cpu)[0];
    tasks.sort((a, b) => a.at - b.at);
    events.sort((a, b) => a.at - b.at);
    let i = 0;
    for (const task of tasks)
        for (; i < events.length && events[i].at <= task.at + task.wall; i++)
            if (events[i].at >= task.at) task.events.add(events[i].name);
    return tasks;
}

// CPU ms of every frame in which the page drew: all tasks since the frame before it, the events too.
export function frames(tasks) {
    const all = [];
    let cpu = 0;
    for (const task of tasks) {
        cpu += task.cpu;
        if (!task.events.has('Commit')) continue;
        if (task.events.has('FireAnimationFrame')) all.push(cpu);
        cpu = 0;
    }
    return all;
}

// What follows each event of a name: CPU ms of all tasks until the next, and the longest task, ms.
export function after(tasks, name) {
    const all = [];
    for (const task of tasks) {
        if (task.events.has(name)) all.push({cpu: 0, longest: 0, longestCPU: 0});
        const last = all[all.length - 1];
        if (!last) continue;
        last.cpu += task.cpu;
        last.longest = Math.max(last.longest, task.wall);
        last.longestCPU = Math.max(last.longestCPU, task.cpu);
    }
    return all;
}
