// viewer_live.mjs - `flamel view --live`: what a running program has measured, renewed in the page.

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {after, test} from 'node:test';
import {close, doubleClick, file, finish, folder, open, press, resolved, words} from './page.mjs';

after(() => close().then(() => started.forEach(one => one.kill('SIGKILL'))));
const flamel = path.resolve(process.argv[2]), build = path.dirname(flamel), started = [];

// A program with a scope that is there later: it measures itself until it is killed.
const SOURCE = `#include <flamel/probe.h>
#include <stdio.h>
#include <unistd.h>
static void parse(void) { FLM_FUNC(); usleep(3000); }
static void late(void) { FLM_FUNC(); usleep(3000); }
int main(void)
{
    char byte;
    int is_late = 0;
    FLM_SCOPE("serve");
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0;; i++) {
        FLM_SCOPE("request");
        parse();
        if (is_late) late();
        if (i == 20) puts("ready");
        if (access("late", F_OK) == 0) is_late = 1;
    }
}
`;

function startProgram() {
    const program = `${folder}/live`;
    execFileSync(process.env.CC || 'cc', ['-Iinclude', file('live.c', SOURCE), '-o', program, `-L${build}`,
        '-lflamel-probe']);
    const process_ = spawn(program, [], {cwd: folder, stdio: ['ignore', 'pipe', 'inherit'],
        env: {...process.env, LD_LIBRARY_PATH: build, FLAMEL: 'on'}});
    started.push(process_);
    return new Promise(done => process_.stdout.once('data', () => done(process_)));
}

const rows = page => page.$$eval('.table-top .row', list => list.map(row => row.innerText.replace(/\s+/g, ' ')));
const state = page => page.evaluate(() => decodeURIComponent(location.hash));

test('a running program is renewed, and what was chosen stays', {skip: !existsSync(`${build}/libflamel-probe.so`)}, async () => {
    const program = await startProgram();
    const server = spawn(flamel, ['view', '-q', '--no-open', '--live', program.pid], {stdio: ['ignore', 'pipe', 'inherit']});
    started.push(server);
    const url = await new Promise(done => server.stdout.once('data', data => done(String(data).trim())));
    let renewed = 0, profiles = 0;
    const page = await open(null, {url, before: one => one.route('**/live', route => {
        renewed++;
        if (route.request().postData() === 'profile') profiles++;
        return route.continue();
    })});
    assert.equal(await words(page, '.live'), 'live');
    await doubleClick(page, {level: 2, at: 0.5});
    const zoomed = await state(page), history = await page.evaluate(() => window.history.length);
    assert.match(zoomed, /request|zoom|at=/);
    execFileSync('touch', [`${folder}/late`]);
    const before = renewed;
    while (renewed < before + 3) await page.waitForTimeout(200);
    await resolved(page);
    assert.equal(await state(page), zoomed);
    assert.equal(await page.evaluate(() => window.history.length), history);

    if (process.env.SHOT) await page.screenshot({path: process.env.SHOT});
    // The table has the scope that came later.
    await press(page, '5');
    while (!(await rows(page)).some(row => row.includes('late'))) await page.waitForTimeout(200);
    assert.ok((await rows(page)).some(row => row.includes('parse')));

    // A row that is pressed is clicked, however often the profile is renewed until it is released. Rows may have changed
    // places just before: the one that is pressed is asked.
    const pressedRow = () => page.$eval('.table-top .row:active', row => row.innerText);
    const {x, y, width, height} = await page.locator('.table-top .row', {hasText: 'parse'}).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    const held = await pressedRow(), since = profiles, name = held.trim().split(/\s+/).find(word => /^[a-z]+$/.test(word));
    assert.match(name, /^(parse|late|request|serve)$/);
    // The next profile is asked for, or came just before: then none is, until the release.
    for (let i = 0; i < 25 && profiles === since; i++) await page.waitForTimeout(200);
    await resolved(page);
    assert.equal(await pressedRow(), held);
    await page.mouse.up();
    await resolved(page);
    const selected = page.locator('.table-top .row[aria-selected=true]');
    assert.match(await selected.innerText(), new RegExp(`\\b${name}\\b`));
    while (await selected.innerText() === held) await page.waitForTimeout(200);

    // Beside the picture: what it measures, by sections, and how it went.
    assert.deepEqual((await page.$$eval('.dock-tabs button', all => all.map(one => one.textContent))).slice(0, 4),
        ['Time', 'Memory', 'CPU', 'Locks']);
    const cells = () => page.$$eval('.dock tbody tr', all => all.map(one => one.innerText.replace(/\s+/g, ' ')));
    assert.ok((await cells()).some(row => row.startsWith('late ')));
    await page.click('.dock tbody button >> text=parse');
    assert.match(await words(page, '.dock-chart'), /^parse\s*calls\/s: .* now, .* at most in/);
    assert.ok(await page.$eval('.dock-chart path', path => path.getAttribute('d').split('L').length > 2));
    await page.click('.dock thead button >> text=average');
    assert.equal(await page.$eval('.dock [aria-sort]', one => one.innerText.trim()), 'average ▼');
    await page.click('.dock-tabs >> text=Threads');
    while (!/^live .* sleeping /.test((await cells())[0])) await page.waitForTimeout(200);
    assert.equal(await words(page, '.dock-tabs [aria-selected=true]'), 'Threads');
    await page.click('.dock-tabs >> text=Tasks');
    assert.equal(await words(page, '.dock-tabs [aria-selected=true]'), 'Tasks');
    assert.match(await words(page, '.dock-scroll'), /nothing was measured yet/);

    // Frozen: nothing is asked for.
    await page.click('.live');
    assert.equal(await words(page, '.live'), 'frozen');
    await page.waitForTimeout(300);
    const frozen = renewed;
    await page.waitForTimeout(2200);
    assert.equal(renewed, frozen);
    await page.click('.live');

    program.kill('SIGKILL');
    await page.waitForFunction(() => document.querySelector('.live').textContent === 'ended');
    assert.ok((await rows(page)).some(row => row.includes('late')));
    page.failures = page.failures.filter(one => !/Failed to load resource/.test(one)); // the last answer is an error
    page.requests = [];
    await finish(page, assert);
});
