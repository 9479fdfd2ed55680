// Converts launch configurations to commands.
'use strict';

const path = require('node:path');

/** @typedef {{label: string, argv: string[], cwd?: string, env?: Record<string, string>}} Target */

/**
 * The words of a command line, split as a shell does: 'a "b c" d' has three.
 * @param {string} text
 */
function wordsOf(text) {
    return [...text.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))+/g)].map(([word]) =>
        word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
            double?.replace(/\\(.)/g, '$1') ?? single ?? escaped));
}

/**
 * Replaces ${...} of launch configurations; variables that have no value here are left as they are.
 * @param {string} text
 * @param {string} root the workspace folder
 * @param {string | undefined} file
 */
function expand(text, root, file) {
    /** @type {Record<string, string | undefined>} */
    const values = {
        workspaceFolder: root, workspaceRoot: root, cwd: root, file, fileDirname: file && path.dirname(file),
        fileBasename: file && path.basename(file), fileBasenameNoExtension: file && path.parse(file).name,
        relativeFile: file && path.relative(root, file),
    };
    return text.replace(/\$\{(env:)?(\w+)\}/g, (whole, isEnv, name) =>
        (isEnv ? process.env[name] ?? '' : values[name]) ?? whole);
}

/**
 * A launch configuration as a command; undefined if it starts no program.
 * @param {any} one
 * @param {string} root the workspace folder
 * @param {string | undefined} file
 * @returns {Target | undefined}
 */
function targetOfLaunch(one, root, file) {
    if (one.request !== 'launch' || !(one.program || one.module)) return undefined;
    const fill = (/** @type {string} */ text) => expand(String(text), root, file);
    const command = /python|debugpy/.test(one.type) ? [one.python ?? 'python3'].flat().concat(one.module ? ['-m', one.module] : [one.program])
        : /node/.test(one.type) ? [one.runtimeExecutable ?? 'node', ...one.runtimeArgs ?? [], one.program] : [one.program];
    const args = typeof one.args === 'string' ? wordsOf(one.args) : one.args ?? [];
    const pairs = Array.isArray(one.environment)
        ? one.environment.map((/** @type {{name: string, value: string}} */ { name, value }) => [name, value]) : Object.entries(one.env ?? {});
    return {
        label: one.name,
        argv: [...command, ...args].map(fill),
        cwd: one.cwd ? fill(one.cwd) : root,
        env: Object.fromEntries(pairs.map((/** @type {[string, string]} */ [name, value]) => [name, fill(value)])),
    };
}

module.exports = { targetOfLaunch, wordsOf };
