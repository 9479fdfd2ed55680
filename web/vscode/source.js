// Finds and shows source files that a profile names. A profile from another machine has the paths of that machine.
'use strict';

const path = require('node:path');
const vscode = require('vscode');
const { closest } = require('./paths');

/**
 * @param {string} file its path in the profile
 * @param {vscode.Uri} profile
 * @returns {Promise<vscode.Uri | undefined>}
 */
async function findSource(file, profile) {
    if (/^file:\/\//.test(file)) file = vscode.Uri.parse(file).fsPath;
    const candidates = path.isAbsolute(file) ? [profile.with({ path: vscode.Uri.file(file).path })] : [];
    if (!path.isAbsolute(file)) {
        for (const folder of vscode.workspace.workspaceFolders ?? []) candidates.push(vscode.Uri.joinPath(folder.uri, file));
        candidates.push(vscode.Uri.joinPath(profile, '..', file));
    }
    for (const uri of candidates) {
        try {
            await vscode.workspace.fs.stat(uri);
            return uri;
        } catch {
            // There is no such file: the next one is tried.
        }
    }
    const name = file.split(/[\\/]/).pop() ?? '';
    const found = await vscode.workspace.findFiles(`**/${name.replace(/[[\]{}*?]/g, '?')}`, '**/node_modules/**', 100);
    const index = closest(file, found.map(uri => uri.path));
    return index === undefined ? undefined : found[index];
}

/**
 * Shows a line of a file that a profile names, in an editor next to the profile.
 * @param {string} file
 * @param {number | undefined} line
 * @param {vscode.Uri} profile
 */
async function showSource(file, line, profile) {
    const uri = await findSource(file, profile);
    if (!uri) {
        vscode.window.showWarningMessage(`flamel: ${file} was not found, and the workspace has no file of that name, or several`);
        return;
    }
    const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, selection: new vscode.Range(at, at) });
}

module.exports = { showSource };
