// page.js - the page: starts the core, opens what came with the page, and shows it. The whole script
// is these files, one after the other (see VIEWER in the Makefile), without comments, without the lines
// that begin with `import `, and without the word `export ` at the beginning of a line: so names are
// unique among all of them.
//
//     style.js (page.css as a text) worker load dom core letters canvas theme tooltip panel tables tools
//     search chips palette status aria hash export files viewer page

import {AFTER, BEFORE, startCore} from './core.js';
import {isEmbedded, loadEmbedded, loadModule} from './load.js';
import {make} from './dom.js';
import {makeViewer} from './viewer.js';

async function startPage() {
    const home = document.getElementById('flamel');
    try {
        const module = await loadModule();
        const viewer = makeViewer(home, await startCore(module), module);
        for (const [id, side] of [['before', BEFORE], ['after', AFTER]]) {
            if (!isEmbedded(id)) continue;
            const {name} = document.getElementById(`flamel-${id}`).dataset;
            await viewer.take(async options => (await loadEmbedded(id, options)).bytes, name, side);
        }
        if (isEmbedded('after')) viewer.restore();
        else viewer.settle();
    } catch (error) {
        console.error(error);
        home.replaceChildren(make('p', {class: 'dead', role: 'alert'},
            `The viewer cannot start: ${error.message}`));
    }
}
startPage();
