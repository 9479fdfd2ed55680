// Registers what the extension adds to VS Code: editors for profiles, costs of lines, recording.
'use strict';

const vscode = require('vscode');
const { forget } = require('./command');
const { ProfileEditors } = require('./editor');
const { LineCosts } = require('./lines');
const { record } = require('./record');

/** @param {vscode.ExtensionContext} context */
function activate(context) {
    const lines = new LineCosts(), editors = new ProfileEditors(context, lines);
    // Keeps zoom and selection of an editor while it is hidden.
    const options = { webviewOptions: { retainContextWhenHidden: true } };
    context.subscriptions.push(
        ...['flamel.profile', 'flamel.any'].map(type => vscode.window.registerCustomEditorProvider(type, editors, options)),
        vscode.commands.registerCommand('flamel.record', record),
        vscode.commands.registerCommand('flamel.toggleLines', () => lines.toggle()),
        vscode.commands.registerCommand('flamel.open', (/** @type {vscode.Uri | undefined} */ uri) => {
            const chosen = uri ?? vscode.window.activeTextEditor?.document.uri;
            if (chosen) vscode.commands.executeCommand('vscode.openWith', chosen, 'flamel.any');
        }),
        vscode.window.onDidChangeVisibleTextEditors(visible => lines.update(visible)),
        vscode.workspace.onDidChangeConfiguration(event => event.affectsConfiguration('flamel') && forget()),
        vscode.workspace.onDidGrantWorkspaceTrust(forget),
        lines.type,
    );
}

module.exports = { activate };
