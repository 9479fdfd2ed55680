// Runs the command flamel: the one that is installed or, where there is none, the WebAssembly build that comes with the
// extension. Either is a process of its own, so that a large profile does not block the other extensions.
'use strict';

const { execFile } = require('node:child_process');
const path = require('node:path');
const vscode = require('vscode');

const BUNDLED = path.join(__dirname, 'wasm', 'command.js');
const MOST_BYTES = 2 ** 31 - 1;

/**
 * @typedef {object} Command
 * @property {string} program
 * @property {string[]} argv the arguments that come before those of flamel
 * @property {boolean} isNative
 */

/** @type {Map<string, Promise<Command>>} */
const found = new Map();

/** @returns {Command} */
function bundled() {
    return { program: process.execPath, argv: [BUNDLED], isNative: false };
}

/**
 * The command to run. In a workspace that is not trusted it is the one of the extension, whatever the settings say.
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
            // `flamel` of the package for npm cannot record.
            resolve({ program, argv: [], isNative: !/^WebAssembly/m.test(output) });
        });
    });
}

/** Looks for the command again: the settings have changed, or the workspace is trusted now. */
function forget() {
    found.clear();
}

/** flamel failed; the message is what it wrote. */
class Refused extends Error {}

/**
 * Runs flamel with these arguments; resolves to its standard output.
 * @param {string[]} argv
 * @param {{input?: Uint8Array, signal?: AbortSignal}} [options]
 * @returns {Promise<Buffer>}
 */
async function run(argv, { input, signal } = {}) {
    const command = await findCommand();
    return new Promise((resolve, reject) => {
        const child = execFile(command.program, [...command.argv, ...argv], {
            encoding: 'buffer', maxBuffer: MOST_BYTES, signal, windowsHide: true,
            // In VS Code for desktops process.execPath is Electron, which is node if this is set.
            env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
        }, (error, output, messages) => {
            if (!error) return resolve(output);
            const sentence = messages.toString().trim().replace(/^flamel: /, '');
            reject(signal?.aborted ? error : new Refused(sentence || error.message));
        });
        // A command that refuses its input may end before it has read all of it: EPIPE.
        child.stdin?.on('error', () => {});
        child.stdin?.end(input);
    });
}

module.exports = { findCommand, forget, run, Refused };
