// page.js - the page: starts the core and opens the profiles that are embedded in the page or served with it; that of
// a running program is renewed by live.js, and that of a store is asked for by serve.js, which only their pages have.
//
// The main script is the files of VIEWER in mk/assets.mk, concatenated, each after those it imports from,
// with this file last. src/draw/svg/minify.awk removes the `import` lines and the word `export`, so
// top-level names are unique among all files.

import {AFTER, BEFORE, HAS_CODE, startCore} from './core.js';
import {button, choice, fillChoice, make, refill, released, sign} from './dom.js';
import {isEmbedded, isOfStore, liveURL, loadEmbedded, loadModule} from './load.js';
import {flamelRemoveFirst} from './start.js';
import {makeViewer} from './viewer.js';

async function startPage() {
    const home = document.getElementById('flamel');
    try {
        const module = await loadModule();
        const viewer = makeViewer(home, await startCore(module), module);
        if (isOfStore()) {
            globalThis.flamelServe({viewer, make, button, refill, sign, choice, fillChoice, released});
            return;
        }
        for (const [id, side] of [['before', BEFORE], ['after', AFTER]]) {
            if (!isEmbedded(id)) continue;
            const {name} = document.getElementById(`flamel-${id}`).dataset;
            await viewer.take(async options => (await loadEmbedded(id, options)).bytes, name, side | HAS_CODE);
        }
        if (isEmbedded('after')) viewer.restore();
        else viewer.showState();
        const url = liveURL();
        if (url) globalThis.flamelLive({viewer, url, name: document.getElementById('flamel-after').dataset.name,
            side: AFTER | HAS_CODE, make, button, refill, released});
    } catch (error) {
        console.error(error);
        flamelRemoveFirst();
        home.replaceChildren(make('p', {class: 'dead', role: 'alert'},
            `The viewer cannot start: ${error.message}`));
    }
}
startPage();
