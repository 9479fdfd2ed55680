// palette.js - the command palette and the sheet of keys, both made from the core's table of actions.

import {make, refill} from './dom.js';

const KEY_SIGNS = {ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', ' ':
    'Space', Backspace: '⌫'};
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

// "C-ArrowLeft S-n 3=top" as "Ctrl ←, Shift n, 3".
export function keyLabel(keys) {
    return keys.split(' ').map(key => key.replace(/(?<=.)=.+$/, '')
        .replace(/C-(?=.)/, isApple ? '⌘ ' : 'Ctrl ')
        .replace(/S-(?=.)/, 'Shift ').replace(/A-(?=.)/, 'Alt ')
        .replace(/[A-Z][A-Za-z]+$/, name => KEY_SIGNS[name] || name)
        .replace(/ [a-z]$/, letter => letter.toUpperCase())).join(', ');
}

// Fuzzy match: the letters of `wanted` in their order; -1 if one is missing. Adjacent letters and beginnings
// of words score higher.
function fuzzyScore(text, wanted) {
    let score = 0, at = -1;
    const low = text.toLowerCase();
    for (const letter of wanted.toLowerCase()) {
        if (letter === ' ') continue;
        const next = low.indexOf(letter, at + 1);
        if (next < 0) return -1;
        score += next === at + 1 ? 3 : /\W/.test(low[next - 1] || ' ') ? 2 : 0;
        at = next;
    }
    return score - low.length / 100;
}

export function makePalette(view) {
    const input = make('input', {type: 'text', role: 'combobox', 'aria-expanded': 'true',
        'aria-controls': 'flamel-entries', autocomplete: 'off', spellcheck: 'false',
        'aria-label': 'Action'});
    const list = make('ul', {role: 'listbox', id: 'flamel-entries', 'aria-label': 'Actions'});
    const wrong = make('div', {class: 'wrong', role: 'alert'});
    const element = make('dialog', {class: 'palette', 'aria-label': 'Actions'}, input, wrong, list);
    let entries = [], current = 0, asked = null; // the entry whose argument is being typed

    // An action whose argument is one of a few values has an entry for each; one with any other argument asks
    // for it.
    function allEntries() {
        const metrics = view.tools().metrics.map(metric => metric.name);
        return view.actions().flatMap(action => {
            const {name, title, argument, keys, group} = action;
            const one = {title, group, keys, run: name};
            if (!argument) return [one];
            const choices = name === 'metric' ? metrics
                : /^[a-z-]+(\|[a-z-]+)+$/.test(argument) ? argument.split('|') : null;
            if (choices) return choices.map(value => ({...one, title: `${title}: ${value}`,
                run: `${name} ${value}`, keys: keys?.split(' ').filter(key => !/.=\w/.test(key) ||
                    key.endsWith(`=${value}`)).join(' ')}));
            return /NODE|FRAME|COLUMN|\bN\b|\bID\b/.test(argument) ? []
                : [{...one, title: `${title} …`, run: name, argument}];
        });
    }

    function fill() {
        wrong.textContent = '';
        if (asked) {
            entries = /^(apply|operation-edit)/.test(asked.run) ? view.core.query(
                `complete ${input.value}`).items.map(item => ({title: item.title || item.text,
                group: item.note || '', fills: item.text})) : [];
        } else {
            entries = allEntries().map(entry => ({...entry, score: fuzzyScore(
                `${entry.title} ${entry.run}`, input.value)})).filter(entry => entry.score >= 0 ||
                !input.value);
            if (input.value) entries.sort((a, b) => b.score - a.score);
        }
        current = asked ? -1 : 0;
        refill(list, entries.map((entry, i) => make('li', {role: 'option', id: `flamel-entry-${i}`,
            onclick: () => choose(entry)}, make('span', {class: 'cut'}, entry.title),
        make('span', {class: 'muted'}, entry.group), entry.keys && make('kbd', {},
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
            // A completion that ends in ':' needs a name after it; all others are complete.
            input.value = entry.fills;
            fill();
            input.focus();
            if (!entry.fills.endsWith(':')) enter();
        } else if (entry.argument) {
            ask(entry);
        } else {
            element.close();
            view.act(entry.run);
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
            'drag pans, a long press shows details. Drop a file to open it; with Shift, to compare it.'),
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
