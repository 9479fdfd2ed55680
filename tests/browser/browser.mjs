// browser.mjs - what the tests in a browser share: pictures, pages, and what is on them.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';

const require = createRequire(path.join(process.env.NODE_MODULES, 'package.json'));
const {chromium} = require('playwright-core');
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const flamel = process.argv[2];
const folder = mkdtempSync(path.join(tmpdir(), 'flamel-browser-'));

export const browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

export async function close() {
    await browser.close();
    rmSync(folder, {recursive: true});
}

let made = 0;

// A picture of folded stacks: where the file is.
export function picture(folded, ...options) {
    const input = path.join(folder, 'in.folded'), output = path.join(folder, `${++made}.svg`);
    writeFileSync(input, folded);
    execFileSync(flamel, ['convert', '-q', input, '-o', output, ...options]);
    return output;
}

export function text(file) {
    return readFileSync(file, 'utf8');
}

// A page that fails the test when a script does, and that knows what it asked the network for.
export async function open(file, {query = '', still = false, motion = 'reduce', width = 1200,
    height = 700, ...options} = {}) {
    const context = await browser.newContext({
        viewport: {width, height}, javaScriptEnabled: !still, reducedMotion: motion, ...options,
    });
    const page = await context.newPage();
    page.failures = [];
    page.requests = [];
    page.on('pageerror', error => page.failures.push(String(error.stack)));
    page.on('dialog', dialog => {
        page.failures.push('a dialog: ' + dialog.message());
        dialog.dismiss();
    });
    page.on('request', request => page.requests.push(request.url()));
    await page.goto('file://' + file + query);
    return page;
}

// The labels: {text, x, y, end, ink}, in the window's coordinates.
export function labels(page) {
    return page.$$eval('.labels text', texts => texts.map(text => {
        const place = text.getBoundingClientRect();
        return {
            text: text.textContent, x: place.left, end: place.right, y: place.top + place.height / 2,
            ink: getComputedStyle(text).fill, group: text.parentNode.getAttribute('class'),
        };
    }));
}

export async function label(page, name) {
    const found = (await labels(page)).find(one => one.text === name);
    if (!found) throw new Error(`no label '${name}' in: ` +
        (await labels(page)).map(one => one.text).join(', '));
    return found;
}

export async function click(page, name) {
    const {x, y} = await label(page, name);
    await page.mouse.click(x + 3, y);
}

export async function hover(page, name) {
    const {x, y} = await label(page, name);
    await page.mouse.move(x + 3, y);
}

export function details(page) {
    return page.$eval('.details', element =>
        Array.from(element.children, child => child.textContent).join(' | '));
}

export function found(page) {
    return page.$eval('.count', element => element.textContent);
}

// What stands in the address bar: page.url() learns of changes only a moment later.
export function link(page) {
    return page.evaluate(() => location.href);
}
