// palette.js - the command palette and the sheet of keys, both made from the core's table of actions.

import {make, refill} from './dom.js';

const KEY_SIGNS = {ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', ' ':
    'Space', Backspace: '⌫'};
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

// "C-ArrowLeft C-Z S-n 3=top" as "Ctrl ←, Ctrl Shift Z, Shift n, 3". A capital alone says that Shift is held;
// behind Ctrl letters are capitals on keyboards and in other programs, so there it is said.
export function keyLabel(keys) {
    return keys.split(' ').map(key => key.replace(/(?<=.)=.+$/, '')
        .replace(/C-(?=[A-Z]$)/, 'C-S-')
        .replace(/C-(?=.)/, isApple ? '⌘ ' : 'Ctrl ')
        .replace(/S-(?=.)/, 'Shift ').replace(/A-(?=.)/, 'Alt ')
        .replace(/[A-Z][A-Za-z]+$/, name => KEY_SIGNS[name] || name)
        .replace(/ [a-z]$/, letter => letter.toUpperCase())).join(', ');
}

// What the page does, and the core knows nothing of: by the words that people try.
function matches(words, text) {
    const typed = text.toLowerCase().split(/\s+/).filter(word => word && !/^(an?|with)$/.test(word));
    return typed.length > 0 && typed.every(part => words.split(' ').some(word => word.startsWith(part)));
}
const pageEntries = view => [
    ['Open a file …', 'open file load import another choose', () => view.openFiles()],
    ['Compare with a file …', 'compare file open diff difference baseline before', () => view.openFiles('before')],
    ['Open a folder …', 'open folder directory files', () => view.files().chooseFolder()],
    ['Open an address …', 'open address url link fetch http', () => view.files().showAddress()],
    ['Print', 'print paper', () => print()],
].map(([title, words, run]) => ({title, words, run, group: 'Page'}));

export function makePalette(view) {
    const input = make('input', {type: 'text', role: 'combobox', 'aria-expanded': 'true',
        'aria-controls': 'flamel-entries', autocomplete: 'off', spellcheck: 'false',
        'aria-label': 'Action'});
    const list = make('ul', {role: 'listbox', id: 'flamel-entries', 'aria-label': 'Actions'});
    const wrong = make('div', {class: 'wrong', role: 'alert'});
    const element = make('dialog', {class: 'palette', 'aria-label': 'Actions'}, input, wrong, list);
    let entries = [], current = 0, asked = null; // the entry whose argument is being typed

    function fill() {
        wrong.textContent = '';
        if (asked) {
            entries = /^(apply|operation-edit)/.test(asked.run) ? view.core.query(
                `complete ${input.value}`).items.map(item => ({title: item.title || item.text,
                group: item.note || '', fills: item.text})) : [];
        } else {
            entries = [...pageEntries(view).filter(({words}) => matches(words, input.value)),
                ...view.core.query(`palette ${input.value}`).items.map(({action, ...entry}) => ({...entry, run: action}))];
        }
        current = asked ? -1 : 0;
        refill(list, entries.map((entry, i) => make('li', {role: 'option', id: `flamel-entry-${i}`, class: entry.fills && 'fills',
            'aria-disabled': entry.otherwise ? 'true' : null, title: entry.otherwise,
            onclick: () => choose(entry)}, make('span', {class: 'cut'}, entry.title),
        make('span', {class: 'muted cut'}, entry.otherwise || entry.group), entry.keys && make('kbd', {},
            keyLabel(entry.keys)))));
        mark();
    }
    function mark() {
        Array.from(list.children).forEach((item, i) => {
            item.setAttribute('aria-selected', String(i === current));
            if (i === current) item.scrollIntoView({block: 'nearest'});
        });
        if (current >= 0 && entries.length) input.setAttribute('aria-activedescendant',
            `flamel-entry-${current}`);
        else input.removeAttribute('aria-activedescendant');
    }
    function choose(entry) {
        if (entry.fills) {
            // A completion that ends in ':' or '=' needs a name after it; all others are complete.
            input.value = entry.fills;
            fill();
            input.focus();
            if (!/[:=]$/.test(entry.fills)) enter();
        } else if (entry.otherwise) {
            wrong.textContent = entry.otherwise;
        } else if (entry.argument) {
            ask(entry);
        } else {
            element.close();
            if (entry.words) entry.run();
            else view.act(entry.run);
        }
    }
    function ask(entry) {
        asked = entry;
        input.value = entry.text || '';
        input.placeholder = `${entry.title.replace(/ …$/, '')}: ${entry.argument || ''}`;
        fill();
    }
    function enter() {
        if (!asked) return entries[current] && choose(entries[current]);
        if (current >= 0 && entries[current].fills !== input.value) return choose(entries[current]);
        wrong.textContent = view.tryAct(`${asked.run} ${input.value}`.trim()) || '';
        if (!wrong.textContent) element.close();
    }

    input.addEventListener('input', fill);
    input.addEventListener('keydown', event => {
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step && entries.length) {
            current = (current + step + entries.length) % entries.length;
            mark();
        } else if (event.key === 'Enter' && !event.isComposing) {
            enter();
        } else {
            return;
        }
        event.preventDefault();
    });
    element.addEventListener('click', event => event.target === element && element.close());
    element.addEventListener('close', () => view.focusPicture());

    return {
        element,
        open(entry = null) {
            asked = null;
            input.value = '';
            input.placeholder = 'Search actions';
            if (!element.open) element.showModal();
            if (entry) ask(entry);
            else fill();
            input.focus();
        },
    };
}

export function makeHelp(view) {
    const body = make('div', {class: 'key-groups'});
    const element = make('dialog', {class: 'help', 'aria-label': 'Keys'},
        make('form', {method: 'dialog'}, make('button', {class: 'close', 'aria-label': 'Close'}, '×')),
        make('h2', {}, 'Keys'), body,
        make('p', {class: 'muted'}, 'Click selects, double click zooms. Wheel and pinch zoom, ' +
            'drag pans, a right click or a long press opens a menu. Drop a file to open it; with Shift, to compare it.'),
        make('h2', {}, 'Terms'),
        make('p', {class: 'muted'}, 'Self: the weight of a function alone (perf: Self, pprof: flat). Total: with ' +
            'everything that it calls (perf: Children, pprof: cum). Inverted: leaf first, the callers of each ' +
            'function below it. Merged frames: neighbors too narrow to draw, as one gray box with their sum. ' +
            'The glossary of flamel has all terms: docs/glossary.md.'));
    element.addEventListener('click', event => event.target === element && element.close());
    element.addEventListener('close', () => view.focusPicture());
    return {
        element,
        open() {
            const actions = view.actions().filter(action => action.keys);
            const choices = ({keys}) => keys.includes('=', 1) && /\w=\w/.test(keys)
                ? `: ${Array.from(keys.matchAll(/\w=(\w+)/g), ([, word]) => word).join(', ')}` : '';
            const groups = Array.from(new Set(actions.map(action => action.group)));
            refill(body, groups.map(group => make('section', {}, make('h3', {}, group), make('dl', {},
                actions.filter(action => action.group === group).map(action => make('div', {},
                    make('dt', {}, keyLabel(action.keys).split(', ').map(key =>
                        make('kbd', {}, key))), make('dd', {}, action.title + choices(action))))))));
            if (!element.open) element.showModal();
        },
    };
}
