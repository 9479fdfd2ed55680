// page.js - the page: starts the core and opens the profiles that are embedded in the page or served with it; that of
// a running program is renewed.
//
// The main script is the files of VIEWER in mk/assets.mk, concatenated, each after those it imports from,
// with this file last. src/draw/svg/minify.awk removes the `import` lines and the word `export`, so
// top-level names are unique among all files.

import {AFTER, BEFORE, HAS_CODE, startCore} from './core.js';
import {isEmbedded, isLive, loadEmbedded, loadLive, loadModule} from './load.js';
import {button, make} from './dom.js';
import {makeViewer} from './viewer.js';

const RENEWED_MS = 1000;

// Renews the profile every second, until the program ends: selection, zoom, searches and tables stay. Nothing is asked
// for while nobody sees the page, while it is frozen, and in the view of code, whose lines would move.
function keepLive(viewer, name) {
    const {view} = viewer;
    let isFrozen = false, isOver = false;
    const state = button('', () => {
        isFrozen = !isFrozen;
        update();
    }, {class: 'live', 'aria-live': 'off'});
    viewer.element.querySelector('.tools').prepend(make('span', {class: 'live-place'}, state));
    function update(text = isFrozen ? 'frozen' : 'live') {
        state.textContent = text;
        state.disabled = isOver;
        state.title = isOver ? 'This is what it measured until then' : isFrozen ? 'Renew it every second again'
            : 'Renewed every second: click to freeze';
        state.setAttribute('aria-pressed', String(isFrozen));
    }
    async function renew() {
        if (!isFrozen && document.visibilityState === 'visible' && view.tools().view !== 'code') {
            try {
                const bytes = await loadLive();
                if (!isFrozen) viewer.open(bytes, name, AFTER | HAS_CODE);
            } catch (error) {
                isOver = true;
                view.notify(error.message, true);
                return update('ended');
            }
        }
        setTimeout(renew, RENEWED_MS);
    }
    update();
    setTimeout(renew, RENEWED_MS);
}

async function startPage() {
    const home = document.getElementById('flamel');
    try {
        const module = await loadModule();
        const viewer = makeViewer(home, await startCore(module), module);
        for (const [id, side] of [['before', BEFORE], ['after', AFTER]]) {
            if (!isEmbedded(id)) continue;
            const {name} = document.getElementById(`flamel-${id}`).dataset;
            await viewer.take(async options => (await loadEmbedded(id, options)).bytes, name, side | HAS_CODE);
        }
        if (isEmbedded('after')) viewer.restore();
        else viewer.showState();
        if (isLive()) keepLive(viewer, document.getElementById('flamel-after').dataset.name);
    } catch (error) {
        console.error(error);
        home.replaceChildren(make('p', {class: 'dead', role: 'alert'},
            `The viewer cannot start: ${error.message}`));
    }
}
startPage();
