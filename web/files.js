// files.js - opens profiles that are dropped, pasted, chosen or embedded, and shows a message while a profile is read,
// when it cannot be read, when it is empty, when there is none, and when there are several to choose from.

import {button, make, refill, show} from './dom.js';
import {AFTER, BEFORE} from './core.js';
import {carriesProfile, takeChosen, takeDropped} from './dropped.js';
import {loadProfile, loadURL, prepareReaders} from './load.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

function formatBytes(bytes) {
    let unit = 0;
    for (; bytes >= 1000 && unit < 3; unit++) bytes /= 1024;
    return `${unit && bytes < 100 ? bytes.toPrecision(3) : Math.round(bytes)} ${UNITS[unit]}`;
}

export function makeFiles(view, module) {
    const chosen = make('input', {type: 'file', hidden: true, multiple: true,
        'aria-label': 'A profile'});
    const folder = make('input', {type: 'file', hidden: true, webkitdirectory: true, 'aria-label': 'A folder of profiles'});
    const element = make('div', {class: 'state', hidden: true});
    const ghost = make('div', {class: 'drop', hidden: true, 'aria-hidden': 'true'},
        make('div', {}, 'Open'), make('div', {}, 'Compare with this file'));
    let side = AFTER, loading = null, isOpen = false, isAsking = false, listed = [];

    // ---- Messages in place of the picture ---------------------------------------------------------

    function showMessage(title, lines, buttons, isError = false) {
        isAsking = false;
        element.setAttribute('role', isError ? 'alert' : 'status');
        refill(element, make('h2', {}, title), lines.filter(Boolean).map(line =>
            line.nodeType ? line : make('p', {}, line)), make('div', {class: 'buttons'}, buttons));
        show(element, true);
    }
    const openButton = title => button(title, () => choose(AFTER), {class: 'main-button'});
    const backButton = () => isOpen && button('Back to the open profile', () => hideMessage());
    const listButton = () => listed.length > 1 && button(`Back to the ${listed.length} files`, showList);
    function hideMessage() {
        isAsking = false;
        show(element, false);
        view.focusPicture();
    }

    // The formats come from the module: that of a page of one file reads fewer than that of flamel view.
    function showEmpty() {
        const formats = view.core.formats().map(({title, extensions}) => title + (extensions && ` (${extensions})`));
        showMessage('Open a profile', ['Drop files or a folder here, or paste a profile or its address. It stays ' +
            'on this machine.',
            `This page reads: ${formats.join(' · ')} · pages of flamel (.html) · with gzip or zstd`,
            'The command reads all formats: flamel view FILE'], [openButton('Choose a file …'),
            button('Choose a folder …', chooseFolder), button('Open an address …', showAddress)]);
    }
    function showError(sentence, {title, open} = {}) {
        view.emitError(sentence);
        showMessage(title || 'This profile cannot be shown', [sentence], [open, openButton('Choose another file …'),
            listButton(), backButton()], true);
        isAsking = true; // what else changes leaves it there
    }
    function showNothing() {
        const status = view.core.query('status');
        showMessage('Nothing to show', [status.sentence], [openButton('Choose another file …'),
            view.core.query('chips').operations.length > 0 &&
                button('Remove all transforms', () => view.act('reset'))]);
    }

    element.addEventListener('keydown', event => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        hideMessage();
    });

    // ---- Opening ----------------------------------------------------------------------------------

    const unread = name => `${name} cannot be read`;

    // Files that are read, each {load, name}: resolves to [{bytes, name}], or null, and then a message stands there.
    async function readBytes(parts) {
        loading?.abort();
        const {signal} = loading = new AbortController();
        const bar = make('progress', {max: 1}), progress = make('p', {class: 'muted'});
        const onProgress = (bytes, size) => {
            bar.value = size ? bytes / size : 0;
            progress.textContent = size ? `${formatBytes(bytes)} of ${formatBytes(size)}`
                : formatBytes(bytes);
        };
        const all = [];
        let timer = 0, reading = '';
        try {
            for (const {load, name} of parts) {
                reading = name;
                timer = setTimeout(() => {
                    bar.setAttribute('aria-label', `Reading ${name}`);
                    showMessage(`Reading ${name}`, [progress], [bar, button('Cancel', () => loading.abort())]);
                }, 120);
                all.push({bytes: await load({module, onProgress, signal}), name});
                clearTimeout(timer);
            }
            return all;
        } catch (error) {
            clearTimeout(timer);
            if (signal.aborted) showState();
            else showError(error.message || String(error), {title: unread(reading)});
            return null;
        }
    }
    async function take(load, name, where) {
        const [one] = await readBytes([{load, name}]) ?? [];
        if (!one) return false;
        try {
            opened(one.bytes, name, where);
            return true;
        } catch (error) {
            const isRefused = Boolean(where & BEFORE) && isOpen && !error.unread;
            showError(error.message, {title: isRefused ? `${name} cannot be compared with what is open` : unread(name),
                open: isRefused && button('Open it alone', () => take(() => one.bytes, name, AFTER))});
            return false;
        }
    }
    function opened(bytes, name, where) {
        view.core.open(where, bytes, name);
        showOpened();
    }
    function openedBoth(after, before) {
        view.core.openBoth(after, before);
        showOpened();
    }
    function showOpened() {
        isOpen = true;
        listed = [];
        isAsking = false;
        show(element, false);
        view.opened();
    }
    // Shows the picture, or the message that explains why there is none.
    function showState() {
        if (isAsking) return;
        if (!isOpen) return loading || showEmpty();
        const {nodes, empty} = view.core.query('status');
        if (empty || nodes === 0) showNothing();
        else show(element, false);
    }

    const read = ({file, name}, where) => take(options => loadProfile(file, name, options), name, where);
    const readAddress = (address, where) => {
        let name = new URL(address).pathname.split('/').pop() || address;
        try { name = decodeURIComponent(name); } catch { /* as it is written */ }
        return take(options => loadURL(address, name, options), name, where);
    };
    // Two profiles are compared, whatever is shown: the older one is the baseline. Where they cannot be, one is chosen.
    async function compare(one, other) {
        const [before, after] = one.file.lastModified > other.file.lastModified ? [other, one] : [one, other];
        const all = await readBytes([after, before].map(({file, name}) => ({name,
            load: options => loadProfile(file, name, options)})));
        if (!all) return;
        try {
            openedBoth(...all);
        } catch (error) {
            showError(error.message, {title: error.unread ? unread(error.unread) : 'These two cannot be compared'});
        }
    }
    function readAll({files, isFolder, address, text}, where) {
        const profiles = isFolder ? profilesAmong(files) : files;
        listed = profiles?.length > 1 ? profiles : [];
        if (listed.length > 2 || (isFolder && listed.length > 1)) {
            showList();
        } else if (profiles.length === 2) {
            compare(...profiles);
        } else if (profiles.length === 1) {
            read(profiles[0], where);
        } else if (isFolder) {
            showError('There are no files in this folder.');
        } else if (address) {
            readAddress(address, where);
        } else if (text) {
            read({file: new Blob([text]), name: 'pasted text'}, where);
        }
    }
    // A folder has other files too: those whose names say nothing are left out, unless there are no others.
    function profilesAmong(files) {
        const extensions = view.core.formats().flatMap(one => one.extensions.split(' ')).filter(Boolean);
        const all = [...extensions, '.flm', '.html', '.data', '.perf', '.script'];
        const some = files.filter(({name}) => all.some(one => name.toLowerCase().replace(/\.(gz|zst)$/, '').endsWith(one)));
        return (some.length > 0 ? some : files).sort((a, b) => a.name.localeCompare(b.name, undefined, {numeric: true}));
    }
    const guardedRead = (taken, where) => Promise.resolve(taken).then(all => readAll(all, where))
        .catch(error => showError(error.message));

    // ---- Questions --------------------------------------------------------------------------------

    // Several files: one is opened, or two are compared.
    function showList() {
        const ticked = new Set();
        const both = button('Compare the two', () => compare(...ticked), {disabled: true});
        const list = make('ul', {class: 'file-list'}, listed.map(one => make('li', {},
            make('input', {type: 'checkbox', 'aria-label': `Compare ${one.name}`, onchange: event => {
                if (event.target.checked) ticked.add(one);
                else ticked.delete(one);
                both.disabled = ticked.size !== 2;
            }}),
            button([make('span', {class: 'cut'}, one.name), make('span', {class: 'muted'}, formatBytes(one.file.size))],
                () => read(one, AFTER), {title: one.name}))));
        showMessage(`${listed.length} files`, ['Open one, or tick two to compare them.', list], [both, backButton()]);
        isAsking = true;
        list.querySelector('button').focus();
    }
    function showAddress() {
        const field = make('input', {type: 'url', required: true, size: 60, placeholder: 'https://example.org/app.flm',
            'aria-label': 'The address of a profile'});
        const form = make('form', {class: 'buttons', onsubmit: event => {
            event.preventDefault();
            readAddress(field.value, AFTER);
        }}, field, make('button', {class: 'main-button'}, 'Open'));
        showMessage('Open an address', ['The server has to allow pages of other sites to read it ' +
            '(Access-Control-Allow-Origin).', form], [backButton()]);
        isAsking = true;
        field.focus();
    }
    function chooseFolder() {
        folder.value = '';
        prepareReaders(module);
        folder.click();
    }
    folder.addEventListener('change', () => guardedRead(takeChosen(folder), AFTER));

    function choose(where) {
        side = where;
        prepareReaders(module);
        chosen.value = '';
        chosen.click();
    }
    chosen.addEventListener('change', () => guardedRead(takeChosen(chosen), side));

    // Dropping with Shift compares with the open profile, if there is one.
    // `pasting`: where what is pasted arrives.
    function listen(target, pasting) {
        const hasFiles = event => carriesProfile(event.dataTransfer);
        const sideOf = event => isOpen && event.shiftKey ? BEFORE : AFTER;
        let depth = 0;
        target.addEventListener('dragenter', event => {
            if (!hasFiles(event)) return;
            if (!depth++) prepareReaders(module);
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
            guardedRead(takeDropped(event.dataTransfer), sideOf(event));
        });
        pasting.addEventListener('paste', event => {
            if (event.composedPath()[0].matches?.('input, textarea')) return;
            event.preventDefault();
            guardedRead(takeDropped(event.clipboardData), AFTER);
        });
    }

    return {element, ghost, inputs: [chosen, folder], listen, take, opened, openedBoth, showState, showError, chooseFolder, showAddress,
        choose: where => choose(where === 'before' ? BEFORE : AFTER)};
}
