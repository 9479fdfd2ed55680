// made.mjs - the files that the tests of the viewer open, in whatever browser: pages of one file, and profiles.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const flamel = process.argv[2];
export const folder = mkdtempSync(path.join(tmpdir(), 'flamel-page-'));

let made = 0;

export function file(name, text) {
    const where = path.join(folder, name);
    writeFileSync(where, text);
    return where;
}

// A page of folded stacks, or of none: where the file is.
export function pageOf(folded, ...options) {
    const input = file(`in${++made}.folded`, folded), output = path.join(folder, `${made}.html`);
    try {
        execFileSync(flamel, ['convert', '-q', input, '-o', output, ...options], {stdio: 'pipe'});
    } catch (error) {
        if (!/built without the viewer/.test(error.stderr)) throw error;
        console.log(String(error.stderr).trim());
        process.exit(77);
    }
    return output;
}

export function converted(text, extension) {
    const input = file(`in${++made}.txt`, text), output = path.join(folder, `${made}.${extension}`);
    execFileSync(flamel, ['convert', '-q', input, '-o', output]);
    return output;
}

// What stands in most tests: 100 samples, four levels.
//
//     all 100
//     idle 15 | main 85
//               | parse 40           | write 40
//               | lex 10   | read 30 |
//               | read 10  |         |
export const SMALL = 'main;parse;read 30\nmain;parse;lex;read 10\nmain;write 40\nmain 5\nidle 15\n';
export const MAIN = {level: 1, at: 0.5}, IDLE = {level: 1, at: 0.05}, PARSE = {level: 2, at: 0.3},
    LEX = {level: 3, at: 0.2}, READ = {level: 3, at: 0.4}, WRITE = {level: 2, at: 0.7},
    ALL = {level: 0, at: 0.5};

export function removeFolder() {
    rmSync(folder, {recursive: true});
}
