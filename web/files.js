// files.js - opens profiles that are dropped, chosen or embedded, and shows a message while a profile is read,
// when it cannot be read, when it is empty, and when there is none.

import {button, make, refill, show} from './dom.js';
import {AFTER, BEFORE} from './core.js';
import {loadProfile} from './load.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

function formatBytes(bytes) {
    let unit = 0;
    for (; bytes >= 1000 && unit < 3; unit++) bytes /= 1024;
    return `${unit && bytes < 100 ? bytes.toPrecision(3) : Math.round(bytes)} ${UNITS[unit]}`;
}

export function makeFiles(view, module) {
    const chosen = make('input', {type: 'file', hidden: true, multiple: true,
        'aria-label': 'A profile'});
    const element = make('div', {class: 'state', hidden: true});
    const ghost = make('div', {class: 'drop', hidden: true, 'aria-hidden': 'true'},
        make('div', {}, 'Open'), make('div', {}, 'Compare with this file'));
    let side = AFTER, loading = null, isOpen = false;

    // ---- Messages in place of the picture ---------------------------------------------------------

    function showMessage(title, lines, buttons, isError = false) {
        element.setAttribute('role', isError ? 'alert' : 'status');
        refill(element, make('h2', {}, title), lines.filter(Boolean).map(line =>
            make('p', {}, line)), make('div', {class: 'buttons'}, buttons));
        show(element, true);
    }
    const openButton = title => button(title, () => choose(AFTER), {class: 'main-button'});

    // The formats come from the module: that of a page of one file reads fewer than that of flamel view.
    function showEmpty() {
        const formats = view.core.formats().map(({title, extensions}) => title + (extensions && ` (${extensions})`));
        showMessage('Open a profile', ['Drop a file here. It is read in this browser, and not uploaded.',
            `This page reads: ${formats.join(' · ')} · pages of flamel (.html)`,
            'The command reads all formats: flamel view FILE'], [openButton('Choose a file …')]);
    }
    function showError(sentence) {
        view.emitError(sentence);
        showMessage('This profile cannot be shown', [sentence], [openButton('Choose another file …'),
            isOpen && button('Back to the open profile', () => show(element, false))], true);
    }
    function showNothing() {
        const status = view.core.query('status');
        showMessage('Nothing to show', [status.sentence], [openButton('Choose another file …'),
            view.core.query('chips').operations.length > 0 &&
                button('Remove all transforms', () => view.act('reset'))]);
    }

    // ---- Opening ----------------------------------------------------------------------------------

    async function take(load, name, where) {
        loading?.abort();
        const {signal} = loading = new AbortController();
        const bar = make('progress', {max: 1, 'aria-label': `Reading ${name}`});
        const progress = make('p', {class: 'muted'});
        const timer = setTimeout(() => {
            showMessage(`Reading ${name}`, [], [bar, button('Cancel', () => loading.abort())]);
            element.append(progress);
        }, 120);
        const onProgress = (bytes, size) => {
            bar.value = size ? bytes / size : 0;
            progress.textContent = size ? `${formatBytes(bytes)} of ${formatBytes(size)}`
                : formatBytes(bytes);
        };
        try {
            const bytes = await load({module, onProgress, signal});
            clearTimeout(timer);
            opened(bytes, name, where);
            return true;
        } catch (error) {
            clearTimeout(timer);
            if (signal.aborted) showState();
            else showError(error.message || String(error));
            return false;
        }
    }
    function opened(bytes, name, where) {
        view.core.open(where, bytes, name);
        isOpen = true;
        show(element, false);
        view.opened();
    }
    // Shows the picture, or the message that explains why there is none.
    function showState() {
        if (!isOpen) return loading || showEmpty();
        const {nodes, empty} = view.core.query('status');
        if (empty || nodes === 0) showNothing();
        else show(element, false);
    }

    const read = (file, where) => take(options => loadProfile(file, file.name, options), file.name,
        where);
    async function readAll(files, where) {
        const [one, other] = files;
        if (!one) return;
        const isRead = await read(one, other ? BEFORE : where);
        if (isRead && other) await read(other, AFTER);
    }
    function choose(where) {
        side = where;
        chosen.value = '';
        chosen.click();
    }
    chosen.addEventListener('change', () => readAll(Array.from(chosen.files), side));

    // Dropping with Shift compares with the open profile, if there is one.
    function listen(target) {
        const hasFiles = event => Array.from(event.dataTransfer?.types || []).includes('Files');
        const sideOf = event => isOpen && event.shiftKey ? BEFORE : AFTER;
        let depth = 0;
        target.addEventListener('dragenter', event => {
            if (!hasFiles(event)) return;
            depth++;
            show(ghost, true);
        });
        target.addEventListener('dragleave', event => {
            if (hasFiles(event) && --depth <= 0) show(ghost, false);
        });
        target.addEventListener('dragover', event => {
            if (!hasFiles(event)) return;
            event.preventDefault();
            ghost.dataset.side = String(sideOf(event));
        });
        target.addEventListener('drop', event => {
            if (!hasFiles(event)) return;
            event.preventDefault();
            depth = 0;
            show(ghost, false);
            readAll(Array.from(event.dataTransfer.files), sideOf(event));
        });
    }

    return {element, ghost, chosen, listen, take, opened, showState, showError,
        choose: where => choose(where === 'before' ? BEFORE : AFTER)};
}
