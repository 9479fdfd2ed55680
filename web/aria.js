// aria.js - the picture for those who do not see it: a tree of the selected frame, its parents,
// siblings and children, over the canvas; and a voice for what happens.

import {make} from './dom.js';

export function makeAria(view) {
    const element = make('div', {class: 'surface', role: 'tree', tabindex: 0,
        'aria-label': 'Flame graph'});
    const voice = make('div', {class: 'unseen', 'aria-live': 'polite', role: 'log'});

    function makeItem(row) {
        return make('div', {
            role: 'treeitem', id: `flamel-item-${row.node}`, class: 'unseen',
            'aria-level': row.level + 1, 'aria-setsize': row.set_size, 'aria-posinset': row.position,
            'aria-selected': String(Boolean(row.on)),
            'aria-expanded': row.open == null ? null : String(row.open),
            onclick: event => {
                event.stopPropagation();
                view.act(row.on ? 'zoom-selected' : `select ${row.node}`);
            },
        }, [row.title, row.total && `${row.total}, ${row.total_share}`, row.self && `self ${row.self}`]
            .filter(Boolean).join(', '));
    }

    function update() {
        const {rows} = view.core.query('aria');
        const on = rows.find(row => row.on);
        element.replaceChildren(...rows.map(makeItem));
        if (on) element.setAttribute('aria-activedescendant', `flamel-item-${on.node}`);
        else element.removeAttribute('aria-activedescendant');
    }
    // What was selected is said: not every reader follows aria-activedescendant. And what else is not as
    // it was before. The same words twice are said twice: a reader speaks what changes.
    let before = {};
    function speak(isSelected, on) {
        const {core} = view, {name, views, view: shown} = view.tools(), state = new URLSearchParams(
            core.queryText('state')), {current, searches} = core.query('searches'), status = core.query('status');
        const selected = element.querySelector('[aria-selected=true]')?.textContent;
        const {text, error, frames, total_share: found} = searches[current] || {};
        const total = `${status.total} in ${status.stacks} stacks`;
        const zoom = state.get('zoom') || state.get('x');
        const now = {
            name: [name, `${name}: ${total}`],
            view: [shown, views.find(one => one.name === shown)?.title],
            on: [on, `${on || 'no transforms'}: ${total}`],
            search: [text && [text, found, frames, error].join(), text ? `${text}: ${error || (frames
                ? `${found} in ${frames} frames` : 'no match')}` : 'no search'],
            zoom: [zoom, zoom ? 'zoomed in' : 'all is shown'],
        };
        const words = Object.keys(now).filter(key => (now[key][0] || '') !== (before[key]?.[0] || ''))
            .map(key => now[key][1]).concat(isSelected && selected || []).join('. ');
        before = now;
        if (words) voice.textContent = words === voice.textContent ? words + '\u00a0' : words;
    }
    return {element, voice, update, speak};
}
