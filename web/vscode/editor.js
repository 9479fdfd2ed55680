// The editor of a profile: <flamel-graph> in a webview, which may load only files of the extension.
'use strict';

const path = require('node:path');
const { randomBytes } = require('node:crypto');
const vscode = require('vscode');
const { run } = require('./command');
const { showSource } = require('./source');

/** @typedef {{uri: vscode.Uri, dispose(): void}} Profile */

/** @implements {vscode.CustomReadonlyEditorProvider<Profile>} */
class ProfileEditors {
    /**
     * @param {vscode.ExtensionContext} context
     * @param {import('./lines').LineCosts} lines
     */
    constructor(context, lines) {
        this.media = vscode.Uri.joinPath(context.extensionUri, 'media');
        this.lines = lines;
    }

    /** @param {vscode.Uri} uri */
    openCustomDocument(uri) {
        return { uri, dispose() {} };
    }

    /**
     * @param {Profile} profile
     * @param {vscode.WebviewPanel} panel
     */
    resolveCustomEditor({ uri }, panel) {
        const { webview } = panel;
        const name = path.posix.basename(uri.path);
        const stopped = new AbortController();
        let costs = async () => {};
        webview.options = { enableScripts: true, localResourceRoots: [this.media] };
        const show = async () => {
            try {
                // flamel reads local files itself, and others (of a commit, of another machine) from its standard input.
                const isLocal = uri.scheme === 'file', input = isLocal ? undefined : await vscode.workspace.fs.readFile(uri);
                const file = isLocal ? uri.fsPath : '-';
                const bytes = await run(['convert', '--quiet', '-t', 'flm', '-o', '-', file], { input, signal: stopped.signal });
                await webview.postMessage({ profile: new Uint8Array(bytes), name });
                costs = () => this.lines.take(panel, name, file, input);
                if (panel.active) await costs();
            } catch (error) {
                if (!stopped.signal.aborted) await webview.postMessage({ sentence: messageOf(error) });
            }
        };
        const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.joinPath(uri, '..'), name), true, false, true);
        const listeners = [
            watcher,
            watcher.onDidChange(show),
            // If several profiles are open, lines show the costs of the one that was active last.
            panel.onDidChangeViewState(() => panel.active && this.lines.owner !== panel && costs()),
            webview.onDidReceiveMessage(message => {
                if (message.isReady) return show();
                if (message.file) return showSource(message.file, message.line, uri);
            }),
        ];
        panel.onDidDispose(() => {
            stopped.abort();
            this.lines.clear(panel);
            for (const one of listeners) one.dispose();
        });
        webview.html = this.page(webview);
    }

    /** @param {vscode.Webview} webview */
    page(webview) {
        const nonce = randomBytes(16).toString('base64'), source = webview.cspSource;
        const at = (/** @type {string} */ file) => webview.asWebviewUri(vscode.Uri.joinPath(this.media, file));
        // The element constructs its style sheets; the worker that reads profiles is started from a blob.
        const policy = `default-src 'none'; script-src 'nonce-${nonce}' ${source} 'wasm-unsafe-eval'; worker-src blob:; ` +
            `style-src ${source} 'unsafe-inline'; connect-src ${source} blob:; img-src blob: data:`;
        return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${at('page.css')}">
<title>flamel</title>
</head>
<body>
<p id="sentence" role="alert" hidden></p>
<script type="module" nonce="${nonce}" src="${at('page.js')}" data-module="${at('flamel.wasm')}"></script>
</body>
</html>`;
    }
}

/** @param {unknown} error */
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}

module.exports = { ProfileEditors };
