// firefox.mjs - Firefox as it is installed, by WebDriver BiDi: commands and events as JSON over the WebSocket that
// `firefox --remote-debugging-port` opens (https://w3c.github.io/webdriver-bidi). playwright drives a Firefox of its
// own only.

import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';

const require = createRequire(path.join(process.env.NODE_MODULES, 'package.json'));
const WebSocket = require('ws');
const profile = mkdtempSync(path.join(tmpdir(), 'flamel-firefox-'));

// Nothing is asked of the network, and nothing moves.
const PREFERENCES = {
    'app.normandy.enabled': false, 'app.update.enabled': false, 'browser.shell.checkDefaultBrowser': false,
    'browser.safebrowsing.malware.enabled': false, 'browser.safebrowsing.phishing.enabled': false,
    'browser.safebrowsing.downloads.enabled': false, 'browser.topsites.contile.enabled': false,
    'datareporting.policy.dataSubmissionEnabled': false, 'extensions.update.enabled': false,
    'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
    'services.settings.server': 'data:,', 'toolkit.telemetry.server': 'data:,', 'ui.prefersReducedMotion': 1,
    'browser.aboutwelcome.enabled': false, 'termsofuse.bypassNotification': true,
};
writeFileSync(path.join(profile, 'user.js'), Object.entries(PREFERENCES).map(([name, value]) =>
    `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));

// ---- The connection -----------------------------------------------------------------------------

const firefox = spawn(process.env.FIREFOX, ['--headless', '--no-remote', '--profile', profile,
    '--remote-debugging-port=0', 'about:blank'], {stdio: ['ignore', 'ignore', 'pipe'],
    env: {...process.env, HOME: profile}});
const address = await new Promise((resolve, reject) => {
    let said = '';
    firefox.stderr.on('data', chunk => {
        said += chunk;
        const [, found] = said.match(/BiDi listening on (ws:\S+)/) ?? [];
        if (found) resolve(found);
    });
    firefox.on('exit', code => reject(new Error(`firefox ended with ${code}: ${said}`)));
    firefox.on('error', reject);
});
const socket = new WebSocket(`${address}/session`);
await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
});
const waiting = new Map(), listeners = [];
let last = 0;
socket.on('message', data => {
    const message = JSON.parse(data), waiter = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'event') listeners.forEach(listener => listener(message));
    else if (message.type === 'error') waiter?.reject(new Error(`${waiter.method}: ${message.message}`));
    else waiter?.resolve(message.result);
});

function command(method, params = {}) {
    return new Promise((resolve, reject) => {
        waiting.set(++last, {resolve, reject, method});
        socket.send(JSON.stringify({id: last, method, params}));
    });
}
await command('session.new', {capabilities: {}});
await command('session.subscribe', {events: ['log.entryAdded', 'network.beforeRequestSent']});

export async function close() {
    await command('browser.close').catch(() => {});
    if (firefox.exitCode === null) await new Promise(resolve => firefox.on('exit', resolve));
    rmSync(profile, {recursive: true, maxRetries: 5});
}

// ---- A page -------------------------------------------------------------------------------------

const KEYS = {Enter: '\uE007', Escape: '\uE00C', Shift: '\uE008', Control: '\uE009', Tab: '\uE004', Backspace: '\uE003',
    ArrowUp: '\uE013', ArrowDown: '\uE015', ArrowLeft: '\uE012', ArrowRight: '\uE014'};
const codeOf = key => KEYS[key] ?? key;

class Page {
    failures = [];
    requests = [];

    constructor(context) {
        this.context = context;
        listeners.push(({method, params}) => {
            if ((params.source?.context ?? params.context) !== context) return;
            if (method === 'log.entryAdded' && params.level === 'error') this.failures.push(params.text);
            if (method === 'network.beforeRequestSent' && /^https?:/.test(params.request.url))
                this.requests.push(params.request.url);
        });
    }

    // Calls a function with values in the page, and returns its value or that of its promise.
    async evaluate(work, ...values) {
        const {result, exceptionDetails} = await command('script.evaluate', {target: {context: this.context},
            expression: `(async () => JSON.stringify(await (${work})(...${JSON.stringify(values)})))()`,
            awaitPromise: true});
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return result.value === undefined ? undefined : JSON.parse(result.value);
    }

    // Waits until the function returns something that is true, and returns it.
    async until(work, ...values) {
        for (let i = 0; i < 200; i++) {
            const value = await this.evaluate(work, ...values);
            if (value) return value;
            await new Promise(resolve => setTimeout(resolve, 50));
        }
        throw new Error(`this did not happen: ${work}`);
    }

    text(selector) {
        return this.evaluate(selector => {
            const element = document.querySelector(selector);
            return element && element.getClientRects().length > 0 &&
                element.innerText.replace(/\s+/g, ' ').trim();
        }, selector);
    }

    // Until the text of what is visible matches.
    async sees(selector, pattern) {
        let text = null;
        for (let i = 0; i < 100; i++) {
            text = await this.text(selector);
            if (text && pattern.test(text)) return text;
            await new Promise(resolve => setTimeout(resolve, 50));
        }
        throw new Error(`${selector} is not ${pattern}: ${text}`);
    }

    // The middle of an element, that of a button also by its name.
    middle(selector, name = null) {
        return this.until((selector, name) => {
            for (const element of document.querySelectorAll(selector)) {
                const {x, y, width, height} = element.getBoundingClientRect();
                const isNamed = name === null || element.innerText.trim() === name ||
                    element.getAttribute('aria-label') === name;
                if (width > 0 && isNamed) return {x: x + width / 2, y: y + height / 2};
            }
            return null;
        }, selector, name);
    }

    pointer(actions) {
        return command('input.performActions', {context: this.context, actions: [
            {type: 'pointer', id: 'mouse', parameters: {pointerType: 'mouse'}, actions}]});
    }
    move({x, y}) {
        return this.pointer([{type: 'pointerMove', x: Math.round(x), y: Math.round(y)}]);
    }
    click({x, y}, {times = 1, button = 0} = {}) {
        const press = [{type: 'pointerDown', button}, {type: 'pointerUp', button}];
        return this.pointer([{type: 'pointerMove', x: Math.round(x), y: Math.round(y)},
            ...Array.from({length: times}, () => press).flat()]);
    }
    async clickOn(selector, name) {
        await this.click(await this.middle(selector, name));
    }
    async wheel({x, y}, deltaY) {
        await command('input.performActions', {context: this.context, actions: [{type: 'wheel', id: 'wheel',
            actions: [{type: 'scroll', x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY}]}]});
    }

    // Keys one after another; "Control+z" holds one.
    async press(...keys) {
        for (const key of keys) {
            const parts = (key.length > 1 ? key.split('+') : [key]).map(codeOf);
            await command('input.performActions', {context: this.context, actions: [{type: 'key', id: 'keys', actions: [
                ...parts.map(value => ({type: 'keyDown', value})),
                ...parts.reverse().map(value => ({type: 'keyUp', value}))]}]});
        }
    }
    type(text) {
        return this.press(...text);
    }

    async choose(selector, ...files) {
        const {result} = await command('script.evaluate', {target: {context: this.context}, awaitPromise: false,
            expression: `document.querySelector(${JSON.stringify(selector)})`});
        await command('input.setFiles', {context: this.context, element: {sharedId: result.sharedId}, files});
    }

    async print() {
        const {data} = await command('browsingContext.print', {context: this.context, background: true});
        return Buffer.from(data, 'base64');
    }

    close() {
        return command('browsingContext.close', {context: this.context});
    }
}

export async function open(url, {width = 1200, height = 700} = {}) {
    const {context} = await command('browsingContext.create', {type: 'tab'});
    const page = new Page(context);
    await command('browsingContext.setViewport', {context, viewport: {width, height}});
    await command('browsingContext.navigate', {context, url, wait: 'complete'});
    await page.until(() => document.querySelector('.stage[data-settled=true], .state:not([hidden])') !== null);
    return page;
}
