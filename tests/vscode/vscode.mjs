// The extension in VS Code, which runs as a server and is shown by Chromium: vscode.mjs FLAMEL EXTENSION SERVER
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

const [flamel, extension, server] = process.argv.slice(2);
const { chromium } = createRequire(path.join(process.env.NODE_MODULES, 'package.json'))('playwright-core');
const folder = mkdtempSync(path.join(tmpdir(), 'flamel-vscode-')), work = path.join(folder, 'work');
const keeps = process.env.SCREENSHOTS;
let browser, page, running, requests = [];

// A program in a language that needs no compiler, and a profile with its lines, recorded on another machine.
const PROGRAM = `def slow(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def fast(n):
    return n * 2

if __name__ == '__main__':
    for round in range(60):
        slow(100000)
        fast(round)
`;
const PROFILE = {
    nodes: [
        { id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, children: [2] },
        { id: 2, callFrame: { functionName: 'main', scriptId: '1', url: 'file:///elsewhere/src/app.py', lineNumber: 9, columnNumber: 0 }, children: [3],
            positionTicks: [{ line: 12, ticks: 1 }] },
        { id: 3, callFrame: { functionName: 'slow', scriptId: '1', url: 'file:///elsewhere/src/app.py', lineNumber: 0, columnNumber: 0 },
            positionTicks: [{ line: 4, ticks: 2 }, { line: 3, ticks: 1 }] },
    ],
    startTime: 0, endTime: 4000, samples: [2, 3, 3, 3], timeDeltas: [1000, 1000, 1000, 1000],
};

async function freePort() {
    const listener = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => listener.once('listening', resolve));
    const { port } = listener.address();
    await new Promise(resolve => listener.close(resolve));
    return port;
}

async function start(settings) {
    await stop();
    mkdirSync(path.join(folder, 'data/data/Machine'), { recursive: true });
    writeFileSync(path.join(folder, 'data/data/Machine/settings.json'), JSON.stringify({
        'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', ...settings,
    }));
    const port = await freePort();
    running = spawn(process.execPath, ['out/server-main.js', '--host', '127.0.0.1', '--port', String(port), '--without-connection-token',
        '--accept-server-license-terms', '--server-data-dir', path.join(folder, 'data'), '--extensions-dir', path.join(folder, 'extensions')],
    { cwd: server, stdio: 'ignore', env: { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env.PATH}` } });
    for (let i = 0; i < 100; i++) {
        if (await fetch(`http://127.0.0.1:${port}/version`).then(({ ok }) => ok, () => false)) break;
        await new Promise(resolve => setTimeout(resolve, 200));
    }
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(30_000);
    requests = [];
    page.context().on('request', request => requests.push(request.url()));
    await page.goto(`http://127.0.0.1:${port}/?folder=${work}`);
    await page.locator('.monaco-workbench').waitFor();
    await page.getByText('Yes, I trust the authors').click();
    // What an extension opens is known when its host has started.
    await eventually('the extension is not there', async () => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('F1');
        await page.locator('.quick-input-widget input').first().fill('>flamel: Record');
        await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Record a Program' }).waitFor({ timeout: 2000 });
        return true;
    });
    await page.keyboard.press('Escape');
}

async function stop() {
    await page?.close();
    if (running?.exitCode !== null || running.signalCode) return;
    const ended = new Promise(resolve => running.once('exit', resolve));
    running.kill();
    await ended;
}

before(async () => {
    mkdirSync(path.join(work, 'src'), { recursive: true });
    mkdirSync(path.join(folder, 'bin'));
    writeFileSync(path.join(work, 'src/app.py'), PROGRAM);
    writeFileSync(path.join(work, 'app.cpuprofile'), JSON.stringify(PROFILE));
    writeFileSync(path.join(work, 'stacks.json'), '[]');
    copyFileSync('tests/data/folded/perf-node.folded', path.join(work, 'node.folded'));
    writeFileSync(path.join(work, 'damaged.flm'), 'this is no profile');
    execFileSync(process.execPath, ['out/server-main.js', '--accept-server-license-terms', '--server-data-dir', path.join(folder, 'data'),
        '--extensions-dir', path.join(folder, 'extensions'), '--install-extension', extension], { cwd: server, stdio: 'pipe' });
    browser = await chromium.launch({ executablePath: process.env.BROWSER || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
});
after(async () => {
    await stop();
    await browser?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

// ---- What a user does ----------------------------------------------------------------------------

async function command(title) {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').first().fill(`>${title}`);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click();
}

// In the explorer, as a double click does.
async function openFile(name) {
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first().dblclick();
}

// The frame of the webview that shows a profile, when it does.
async function graph(name, wanted = frame => frame.evaluate(shown => {
    const element = document.querySelector('flamel-graph');
    return !element?.hidden && element?.query('tools')?.name === shown;
}, name)) {
    for (let i = 0; i < 600; i++) {
        for (const frame of page.frames()) if (await wanted(frame).catch(() => false)) return frame;
        await page.waitForTimeout(200);
    }
    await picture(`no-${name}`);
    throw new Error(`${name} is not shown`);
}

async function picture(name) {
    if (keeps) await page.screenshot({ path: path.join(keeps, `${name}.png`) });
}

async function eventually(what, ask) {
    for (let i = 0; i < 300; i++) {
        if (await ask().catch(() => false)) return;
        await page.waitForTimeout(200);
    }
    await picture('failed');
    assert.fail(what);
}

// ---- What is expected ----------------------------------------------------------------------------

const annotations = () => page.evaluate(() => [...document.querySelectorAll('.view-line')].flatMap(line => [...line.querySelectorAll('[class*="ced-"]')]
    .map(one => getComputedStyle(one, '::before').content.replace(/["\\]/g, '').trim()).filter(text => /%/.test(text))));

async function profileAndLines() {
    await openFile('app.cpuprofile');
    const frame = await graph('app.cpuprofile');
    assert.equal(await frame.evaluate(() => document.querySelector('flamel-graph').query('top 0 3').rows[0].title), 'slow');
    await picture('profile');
    // The frame leads to its line, in a file that is elsewhere here.
    await frame.evaluate(() => {
        const graph = document.querySelector('flamel-graph');
        graph.act('search slow');
        graph.act('next-match');
        graph.act('open-source');
    });
    await eventually('the source is not shown', () => page.locator('.editor-group-container .tab.active', { hasText: 'app.py' }).isVisible());
    await eventually('its line is not', async () => /^Ln 1,/.test(await page.locator('#status\\.editor\\.selection').innerText()));
    await eventually('lines have no costs', async () => (await annotations()).includes('66.7 %'));
    assert.deepEqual((await annotations()).sort(), ['33.3 %', '66.7 %']);
    await picture('lines');
    await command('flamel: Show or Hide the Costs of Lines');
    await eventually('costs stay', async () => (await annotations()).length === 0);
    await command('flamel: Show or Hide the Costs of Lines');
}

test('without flamel: profiles of every format, the source, costs of lines', async () => {
    await start({ 'flamel.path': '/nonexistent/flamel' });
    await profileAndLines();
    await openFile('node.folded');
    await graph('node.folded');
    await openFile('damaged.flm');
    const frame = await graph('damaged.flm', one => one.evaluate(() => document.getElementById('sentence')?.textContent.length > 0));
    assert.match(await frame.evaluate(() => document.getElementById('sentence').textContent), /damaged\.flm/);
    await picture('damaged');
    await command('flamel: Record a Program');
    await eventually('recording without flamel says nothing', () => page.locator('.notification-toast', { hasText: 'takes flamel' }).isVisible());
    const others = requests.filter(url => !/^(http:\/\/127\.0\.0\.1|blob:|data:|https:\/\/[^/]*vscode-(cdn|resource|webview))/.test(url));
    assert.deepEqual(others.filter(url => /flamel|profile/.test(url)), [], 'the network is asked');
    await stop();
});

test('with flamel: a program is recorded, and opens', async t => {
    const native = path.join(folder, 'bin/flamel');
    writeFileSync(native, `#!/bin/sh\nexec ${flamel} "$@"\n`, { mode: 0o755 });
    try {
        execFileSync(native, ['record', '-q', '-o', path.join(folder, 'allowed.flm'), '--', 'true'], { stdio: 'pipe' });
    } catch {
        return t.skip('nothing may be recorded here');
    }
    if (!existsSync(path.join(server, 'node_modules/node-pty/build/Release/pty.node'))) return t.skip('there is no terminal: node-pty was not compiled');
    await start({ 'flamel.path': native });
    await profileAndLines();
    await page.locator('.tab', { hasText: 'app.py' }).first().click();
    await command('flamel: Record a Program');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'python3' }).first().click({ timeout: 60_000 }).catch(async error => {
        await picture('targets');
        throw error;
    });
    const frame = await graph('flamel.flm');
    await eventually('the recording has no Python', () => frame.evaluate(() =>
        document.querySelector('flamel-graph').query('top 0 20').rows.some(row => /slow/.test(row.title))));
    await picture('recorded');
    await stop();
});
