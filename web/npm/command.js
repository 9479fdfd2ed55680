#!/usr/bin/env node
// The command flamel, in WebAssembly: the same arguments, files and answers as the one for Linux.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { randomBytes } from 'node:crypto';

import { compiledCommand } from './compiled.js';
import { currentFolder, nodeFiles, standardFiles } from './node_files.js';
import { runCommand } from './wasi.js';

function openBrowser(address) {
    const [program, ...words] = process.env.BROWSER ? [process.env.BROWSER]
        : process.platform === 'darwin' ? ['open']
            : process.platform === 'win32' ? ['cmd', '/c', 'start', '""'] : ['xdg-open'];
    const browser = spawn(program, [...words, address], { detached: true, stdio: 'ignore' });
    browser.on('error', () => console.error('flamel: no browser could be started: open the address above'));
    browser.unref();
}

const page = join(tmpdir(), `flamel-${randomBytes(8).toString('hex')}.html`);
const words = process.argv.slice(2);
const { columns, rows } = process.stdout;
process.exitCode = runCommand(compiledCommand(), {
    words: ['flamel', ...words],
    variables: { ...(columns ? { COLUMNS: columns, LINES: rows } : {}), ...process.env, FLAMEL_FOLDER: currentFolder(), FLAMEL_PAGE: page.replaceAll('\\', '/') },
    files: nodeFiles,
    standard: standardFiles(),
});
if (existsSync(page)) {
    const address = pathToFileURL(page).href;
    console.log(address);
    if (!words.includes('--no-open'))
        openBrowser(address);
}
