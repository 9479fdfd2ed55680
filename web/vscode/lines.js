// Shows the cost of each line of the open profile before the line, in the editors of source files.
'use strict';

const vscode = require('vscode');
const { Refused, run } = require('./command');
const { costsOf, share } = require('./costs');
const { commonParts } = require('./paths');

/** @typedef {import('./costs').Cost} Cost */

// Wide enough for "99.9 %", and as tall as a line.
const WIDTH = '6ch';

class LineCosts {
    constructor() {
        /** @type {Map<string, Map<number, Cost>>} by file, with its path in the profile */
        this.files = new Map();
        this.total = 0;
        this.unit = '';
        this.name = '';
        this.isOn = vscode.workspace.getConfiguration('flamel').get('lines', true);
        this.type = vscode.window.createTextEditorDecorationType({
            before: { margin: '0 1ch 0 0', width: WIDTH, color: new vscode.ThemeColor('editor.foreground'), textDecoration: 'none; display: inline-block; text-align: right' },
            overviewRulerLane: vscode.OverviewRulerLane.Right,
        });
        this.asked = 0;
        /** @type {object | undefined} */
        this.owner = undefined;
    }

    /**
     * Shows the costs of this profile, instead of those of another one.
     * @param {object} owner the panel of the profile
     * @param {string} name
     * @param {string} source its path, or - for the input
     * @param {Uint8Array} [input]
     */
    async take(owner, name, source, input) {
        const asked = ++this.asked;
        this.owner = owner;
        let answer;
        try {
            answer = JSON.parse((await run(['annotate', '--quiet', '--lines', '--json', '--rows', '0', source], { input })).toString());
        } catch (error) {
            // A profile without lines has no costs to show.
            if (!(error instanceof Refused)) throw error;
            answer = { lines: [] };
        }
        if (asked !== this.asked) return;
        this.files = costsOf(answer.lines);
        this.total = answer.total ?? 0;
        this.unit = answer.metric?.unit ?? '';
        this.name = name;
        this.update();
    }

    /**
     * Removes the costs of a profile, if they are the ones that are shown.
     * @param {object} owner
     */
    clear(owner) {
        if (owner !== this.owner) return;
        this.asked++;
        this.owner = undefined;
        this.files = new Map();
        this.update();
    }

    toggle() {
        this.isOn = !this.isOn;
        this.update();
    }

    /** @param {readonly vscode.TextEditor[]} editors */
    update(editors = vscode.window.visibleTextEditors) {
        for (const editor of editors) editor.setDecorations(this.type, this.isOn ? this.decorationsOf(editor.document) : []);
    }

    /**
     * @param {vscode.TextDocument} document
     * @returns {vscode.DecorationOptions[]}
     */
    decorationsOf(document) {
        const lines = this.linesOf(document.uri.path);
        if (!lines || !(this.total > 0)) return [];
        const most = Math.max(...[...lines.values()].map(cost => cost.total));
        return Array.from({ length: document.lineCount }, (_, i) => {
            const cost = lines.get(i + 1);
            const range = new vscode.Range(i, 0, i, 0);
            // Lines without a cost get an empty column, so that all code is indented by the same width.
            if (!cost) return { range, renderOptions: { before: { contentText: '\u00a0' } } };
            const heat = Math.round(8 + 47 * cost.self / most);
            return {
                range,
                hoverMessage: this.messageOf(cost),
                renderOptions: { before: {
                    contentText: share(cost.self > 0 ? cost.self : cost.total, this.total),
                    backgroundColor: cost.self > 0 ? `rgba(232, 120, 40, ${heat / 100})` : undefined,
                } },
            };
        });
    }

    /** @param {Cost} cost */
    messageOf(cost) {
        const exact = (/** @type {number} */ value) => `${value.toLocaleString('en')} ${this.unit} (${share(value, this.total)})`;
        const text = new vscode.MarkdownString();
        text.appendText(`self ${exact(cost.self)}, total ${exact(cost.total)}\n${cost.functions.join(', ')}\n${this.name}`);
        return text;
    }

    /**
     * The lines of the profile's file whose path has the most last parts in common with `path`, at least the name.
     * @param {string} path
     */
    linesOf(path) {
        let best = 0, lines;
        for (const [file, found] of this.files) {
            const count = commonParts(file, path);
            if (count > best) [best, lines] = [count, found];
        }
        return lines;
    }
}

module.exports = { LineCosts };
