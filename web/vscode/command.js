// The command flamel: the one of this machine, or, where there is none, the one in WebAssembly that comes with the
// extension, which runs in a process of its own so that a large profile holds nothing up.
'use strict';

const { execFile } = require('node:child_process');
const path = require('node:path');
const vscode = require('vscode');

const BUNDLED = path.join(__dirname, 'wasm', 'command.js');
const MOST_BYTES = 2 ** 31 - 1;

/**
 * @typedef {object} Command
 * @property {string} program
 * @property {string[]} words what comes first
 * @property {boolean} isNative
 */

/** @type {Map<string, Promise<Command>>} */
const found = new Map();

/** @returns {Command} */
function bundled() {
    return { program: process.execPath, words: [BUNDLED], isNative: false };
}

/**
 * The one to use. Nothing of a workspace that is not trusted is run.
 * @returns {Promise<Command>}
 */
function findCommand() {
    const program = vscode.workspace.isTrusted
        ? vscode.workspace.getConfiguration('flamel').get('path', 'flamel').trim() : '';
    let command = found.get(program);
    if (!command) {
        command = probe(program);
        found.set(program, command);
    }
    return command;
}

/**
 * @param {string} program
 * @returns {Promise<Command>}
 */
function probe(program) {
    return new Promise(resolve => {
        if (!program) return resolve(bundled());
        execFile(program, ['--version'], { timeout: 20_000 }, (error, output) => {
            const isFlamel = !error && output.startsWith('flamel ');
            if (!isFlamel) return resolve(bundled());
            // The package of npm is flamel, too, and records nothing.
            resolve({ program, words: [], isNative: !/^WebAssembly/m.test(output) });
        });
    });
}

/** Settings have changed, or a command was installed. */
function forget() {
    found.clear();
}

/** What flamel refuses: its sentence. */
class Refused extends Error {}

/**
 * `flamel WORDS`: what it prints.
 * @param {string[]} words
 * @param {{input?: Uint8Array, signal?: AbortSignal}} [options]
 * @returns {Promise<Buffer>}
 */
async function run(words, { input, signal } = {}) {
    const command = await findCommand();
    return new Promise((resolve, reject) => {
        const child = execFile(command.program, [...command.words, ...words], {
            encoding: 'buffer', maxBuffer: MOST_BYTES, signal, windowsHide: true,
            // Electron is node where this is set.
            env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
        }, (error, output, messages) => {
            if (!error) return resolve(output);
            const sentence = messages.toString().trim().replace(/^flamel: /, '');
            reject(signal?.aborted ? error : new Refused(sentence || error.message));
        });
        // A command that refuses what it is given may have ended before it has read it all.
        child.stdin?.on('error', () => {});
        child.stdin?.end(input);
    });
}

module.exports = { findCommand, forget, run, Refused };
