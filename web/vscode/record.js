// Records a program: that of a launch configuration, the file in the editor, or a command that the user types.
'use strict';

const path = require('node:path');
const vscode = require('vscode');
const { findCommand } = require('./command');
const { targetOfLaunch, wordsOf } = require('./launch');

/** @typedef {import('./launch').Target} Target */

// The interpreter of each language.
/** @type {Record<string, string>} */
const INTERPRETERS = { python: 'python3', javascript: 'node', ruby: 'ruby', php: 'php', shellscript: 'bash', perl: 'perl', lua: 'lua' };

/** @returns {Target[]} the programs to choose from, the most likely first */
function targets() {
    const document = vscode.window.activeTextEditor?.document;
    const file = document?.uri.scheme === 'file' ? document.uri.fsPath : undefined;
    /** @type {Target[]} */
    const found = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
        /** @type {unknown[]} */
        const configurations = vscode.workspace.getConfiguration('launch', folder.uri).get('configurations', []);
        for (const one of configurations) {
            const target = targetOfLaunch(one, folder.uri.fsPath, file);
            if (target) found.push(target);
        }
    }
    const interpreter = document && INTERPRETERS[document.languageId];
    if (file && interpreter) found.push({ label: path.basename(file), argv: [interpreter, file] });
    return found;
}

/** @returns {Promise<Target | undefined>} */
async function chooseTarget() {
    const items = targets().map(target => ({ label: target.label, description: target.argv.join(' '), target }));
    const another = { label: 'Another command…', description: '', target: undefined };
    const chosen = items.length ? await vscode.window.showQuickPick([...items, another], { placeHolder: 'What is recorded?' }) : another;
    if (!chosen || chosen.target) return chosen?.target;
    const text = await vscode.window.showInputBox({ prompt: 'The command to record', placeHolder: './app --size 10' });
    const argv = wordsOf(text ?? '');
    return argv.length ? { label: argv[0], argv } : undefined;
}

/** Records in a terminal, so that the program can be used, and opens the recording when it ends. */
async function record() {
    const command = await findCommand();
    if (!command.isNative) {
        vscode.window.showErrorMessage('Recording takes flamel for Linux: install it, or give its path in the setting flamel.path. ' +
            'Profiles of other profilers open without it.');
        return;
    }
    const target = await chooseTarget();
    if (!target) return;
    const folder = vscode.workspace.workspaceFolders?.[0];
    const cwd = target.cwd ?? folder?.uri.fsPath ?? path.dirname(vscode.window.activeTextEditor?.document.uri.fsPath ?? '.');
    const output = path.join(cwd, 'flamel.flm');
    const execution = new vscode.ProcessExecution(command.program, [...command.argv, 'record', '-o', output, '--', ...target.argv],
        { cwd, env: target.env });
    const task = new vscode.Task({ type: 'flamel', label: target.label }, vscode.TaskScope.Workspace, `record ${target.label}`, 'flamel', execution);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
    const started = await vscode.tasks.executeTask(task), since = Date.now();
    const ended = vscode.tasks.onDidEndTaskProcess(async event => {
        if (event.execution !== started) return;
        ended.dispose();
        // The exit status is that of the program, so it does not say whether there is a recording.
        const uri = vscode.Uri.file(output);
        const { mtime } = await vscode.workspace.fs.stat(uri).then(stat => stat, () => ({ mtime: 0 }));
        if (mtime >= since - 2000) await vscode.commands.executeCommand('vscode.openWith', uri, 'flamel.profile');
    });
}

module.exports = { record };
