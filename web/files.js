// files.js - opening files: dropped, chosen, or embedded in the page; and what is shown
// while it comes, when it does not, and when there is none.

import {button, make, refill, show} from './dom.js';
import {AFTER, BEFORE} from './core.js';
import {loadProfile} from './load.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

function bytesWords(bytes) {
    let unit = 0;
    for (; bytes >= 1000 && unit < 3; unit++) bytes /= 1024;
    return `${unit && bytes < 100 ? bytes.toPrecision(3) : Math.round(bytes)} ${UNITS[unit]}`;
}

export function makeFiles(view, module) {
    const chosen = make('input', {type: 'file', hidden: true, multiple: true,
        'aria-label': 'A profile'});
    const element = make('div', {class: 'state', hidden: true}), ghost = make('div',
        {class: 'drop', hidden: true, 'aria-hidden': 'true'}, make('div', {}, 'Open'),
        make('div', {}, 'Compare with this'));
    let side = AFTER, stop = null, isOpen = false;

    // ---- States -----------------------------------------------------------------------------------

    function tell(title, lines, buttons, isWrong = false) {
        element.setAttribute('role', isWrong ? 'alert' : 'status');
        refill(element, make('h2', {}, title), lines.filter(Boolean).map(line =>
            make('p', {}, line)), make('div', {class: 'buttons'}, buttons));
        show(element, true);
    }
    const openButton = words => button(words, () => choose(AFTER), {class: 'main-button'});

    function tellEmpty() {
        tell('Open a profile', ['Drop a file here: folded stacks, a .flm file, or a page that flamel made. ' +
            'All other formats are read by the command: flamel view FILE.',
        'It is read on this computer; nothing leaves it.'], [openButton('Choose a file …')]);
    }
    function tellError(sentence) {
        view.failed(sentence);
        tell('This cannot be shown', [sentence], [openButton('Choose another file …'),
            isOpen && button('Go on with the open one', () => show(element, false))], true);
    }
    function tellNothing() {
        const status = view.core.query('status');
        tell('There is nothing in it', [status.sentence], [openButton('Choose another file …'),
            view.core.query('chips').operations.length > 0 &&
                button('Without transforms', () => view.act('reset'))]);
    }

    // ---- Opening ----------------------------------------------------------------------------------

    async function take(load, name, where) {
        stop?.abort();
        const {signal} = stop = new AbortController();
        const bar = make('progress', {max: 1, 'aria-label': `Reading ${name}`});
        const words = make('p', {class: 'muted'});
        const timer = setTimeout(() => {
            tell(`Reading ${name}`, [], [bar, button('Stop', () => stop.abort())]);
            element.append(words);
        }, 120);
        const onProgress = (bytes, size) => {
            bar.value = size ? bytes / size : 0;
            words.textContent = size ? `${bytesWords(bytes)} of ${bytesWords(size)}`
                : bytesWords(bytes);
        };
        try {
            const bytes = await load({module, onProgress, signal});
            clearTimeout(timer);
            opened(bytes, name, where);
            return true;
        } catch (error) {
            clearTimeout(timer);
            if (signal.aborted) settle();
            else tellError(error.message || String(error));
            return false;
        }
    }
    function opened(bytes, name, where) {
        view.core.open(where, bytes, name);
        isOpen = true;
        show(element, false);
        view.opened();
    }
    // What stands in the page when nothing is on its way.
    function settle() {
        if (!isOpen) return stop || tellEmpty();
        const {nodes, empty} = view.core.query('status');
        if (empty || nodes === 0) tellNothing();
        else show(element, false);
    }

    const read = (file, where) => take(options => loadProfile(file, file.name, options), file.name,
        where);
    async function readAll(files, where) {
        const [one, other] = files;
        if (!one) return;
        const comes = await read(one, other ? BEFORE : where);
        if (comes && other) await read(other, AFTER);
    }
    function choose(where) {
        side = where;
        chosen.value = '';
        chosen.click();
    }
    chosen.addEventListener('change', () => readAll(Array.from(chosen.files), side));

    // Left half or without Shift: open. Only where a profile is open is there something to compare.
    function listen(target) {
        const has = event => Array.from(event.dataTransfer?.types || []).includes('Files');
        const sideOf = event => isOpen && event.shiftKey ? BEFORE : AFTER;
        let depth = 0;
        target.addEventListener('dragenter', event => {
            if (!has(event)) return;
            depth++;
            show(ghost, true);
        });
        target.addEventListener('dragleave', event => {
            if (has(event) && --depth <= 0) show(ghost, false);
        });
        target.addEventListener('dragover', event => {
            if (!has(event)) return;
            event.preventDefault();
            ghost.dataset.side = String(sideOf(event));
        });
        target.addEventListener('drop', event => {
            if (!has(event)) return;
            event.preventDefault();
            depth = 0;
            show(ghost, false);
            readAll(Array.from(event.dataTransfer.files), sideOf(event));
        });
    }

    return {element, ghost, chosen, listen, take, opened, settle, tellError,
        choose: where => choose(where === 'before' ? BEFORE : AFTER)};
}
