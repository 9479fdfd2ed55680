// Every page of the site, opened as a file: pages.mjs FLAMEL SITE. No script fails, no request goes to a network, links have a
// target, nothing is wider than the window, graphs are drawn, and axe reports no violation.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { axeSource, browser, close } from '../browser/browser.mjs';

const site = path.resolve(process.argv[3]), names = readdirSync(site).filter(name => name.endsWith('.html'));
const keeps = process.env.SCREENSHOTS;
after(close);

async function look(name, { width = 1366, colorScheme = 'light' } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.failures = [];
    page.on('pageerror', error => page.failures.push(error.stack));
    page.on('console', message => message.type() === 'error' && page.failures.push(message.text()));
    page.on('request', request => /^(file|blob|data):/.test(request.url()) || page.failures.push(`asks for ${request.url()}`));
    await page.goto(`file://${site}/${name}`);
    return page;
}

// Scrolls to each graph of a page, and waits until it is drawn.
async function drawGraphs(page) {
    const graphs = page.locator('.graph');
    for (let i = 0; i < await graphs.count(); i++) {
        await graphs.nth(i).scrollIntoViewIfNeeded();
        await page.locator('.graph').nth(i).and(page.locator('[data-drawn]')).waitFor({ timeout: 30_000 });
    }
    return graphs.count();
}

test('links and files of pages exist', async () => {
    assert.ok(names.includes('index.html') && names.length > 40, `${names.length} pages`);
    const ids = new Map(names.map(name => [name, new Set([...readFileSync(`${site}/${name}`, 'utf8').matchAll(/\sid="(.*?)"/g)].map(([, id]) => id))]));
    let links = 0;
    for (const name of names) {
        for (const [, target] of readFileSync(`${site}/${name}`, 'utf8').matchAll(/\s(?:href|src)="(.*?)"/g)) {
            if (/^https?:/.test(target)) continue;
            const [file, id] = target.split('#');
            assert.ok(!file || existsSync(path.join(site, file)), `${name}: ${target}`);
            assert.ok(!id || ids.get(file || name).has(decodeURIComponent(id)), `${name}: ${target}`);
            links++;
        }
    }
    assert.ok(links > 1000, `${links} links`);
});

test('each page, in a window of each width', async () => {
    const page = await look('index.html');
    for (const name of names) {
        await page.goto(`file://${site}/${name}`);
        for (const width of [390, 1366, 1920]) {
            await page.setViewportSize({ width, height: 900 });
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width}`);
        }
        assert.ok(await page.locator('main h1').first().isVisible(), `${name} has no heading`);
        assert.deepEqual(page.failures, [], name);
    }
    await page.context().close();
});

test('graphs are drawn, light and dark, and answer queries', async () => {
    let count = 0;
    for (const name of names.filter(one => readFileSync(`${site}/${one}`, 'utf8').includes('class="graph"')))
        for (const [width, colorScheme] of [[390, 'light'], [1366, 'dark'], [1920, 'light'], [1366, 'light']]) {
            const page = await look(name, { width, colorScheme });
            count += await drawGraphs(page);
            const titles = await page.evaluate(() => [...document.querySelectorAll('flamel-graph')].map(graph => graph.query('tools').name));
            assert.ok(titles.length > 0 && titles.every(Boolean), `${name}: ${titles}`);
            assert.deepEqual(page.failures, [], name);
            if (keeps) await page.screenshot({ path: `${keeps}/${name}-${width}-${colorScheme}.png` });
            await page.context().close();
        }
    assert.ok(count > 8, `${count} graphs`);
});

test('the search finds each page by its title, and options of manual pages', async () => {
    const page = await look('index.html');
    const field = page.getByRole('searchbox'), results = page.locator('[role=search] a');
    const find = async words => {
        await field.fill(words);
        await page.locator('[role=search] [role=status]').filter({ hasText: /result/ }).waitFor();
        return results.evaluateAll(links => links.map(link => link.getAttribute('href')));
    };
    for (const [title, address] of await page.locator('nav details a').evaluateAll(links => links.map(link => [link.textContent, link.getAttribute('href')]))) {
        const found = await find(title);
        assert.ok(found.slice(0, 5).some(href => href.split('#')[0] === address), `${title}: ${found.slice(0, 5)}`);
    }
    assert.equal((await find('--require-mde'))[0], 'flamel-gate.1.html#require-mde');
    assert.deepEqual(await find('no-page-has-this-word'), []);

    // By keys alone, on a page of each kind; words that were found are marked.
    for (const name of ['index.html', 'ci.html', 'top_table.c.html', 'flamel-top.1.html']) {
        await page.goto(`file://${site}/${name}`);
        await page.keyboard.press('/');
        await page.keyboard.type('winsorized noise');
        await results.first().waitFor();
        assert.deepEqual(page.failures, [], name);
    }
    const marked = await page.locator('[role=search] mark').allTextContents();
    assert.ok(marked.length > 0 && marked.every(text => /^(winsorized|noise)$/i.test(text)), `${marked}`);
    assert.ok(await page.locator('nav details').isHidden());
    const href = await results.first().getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`file://${site}/${href}`);
    await page.keyboard.press('/');
    await page.keyboard.type('x');
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('nav details').isVisible() && await results.count() === 0);
    await page.context().close();
});

test('axe reports no violation', async () => {
    for (const name of ['index.html', 'flamel-gate.1.html', 'ci.html', 'top_table.c.html'])
        for (const colorScheme of ['light', 'dark']) {
            const page = await look(name, { colorScheme });
            await drawGraphs(page);
            await page.getByRole('searchbox').fill('gate');
            await page.locator('[role=search] a').first().waitFor();
            await page.evaluate(axeSource);
            const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa'] }));
            assert.deepEqual(violations.map(({ id, nodes }) => `${name} ${colorScheme} ${id}: ${nodes[0].html}`), []);
            await page.context().close();
        }
});
