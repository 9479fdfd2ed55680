// aria.js - the picture for screen readers: a tree of the selected frame, its ancestors, siblings and
// children, which covers the canvas; and a live region that announces what changes.

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
    // Announces a new selection, since not every screen reader follows aria-activedescendant, and every other
    // part of the state that differs from the last announcement. `transforms` are the titles of those that
    // are on.
    let before = {};
    function speak(isSelected, transforms) {
        const {core} = view, {name, views, view: shown} = view.tools(), state = new URLSearchParams(
            core.queryText('state')), {current, searches} = core.query('searches'), status = core.query('status');
        const selected = element.querySelector('[aria-selected=true]')?.textContent;
        const {text, error, frames, total_share: found} = searches[current] || {};
        const total = `${status.total} in ${status.stacks} stacks`;
        const zoom = state.get('zoom') || state.get('x');
        const now = {
            name: [name, `${name}: ${total}`],
            view: [shown, views.find(one => one.name === shown)?.title],
            transforms: [transforms, `${transforms || 'no transforms'}: ${total}`],
            search: [text && [text, found, frames, error].join(), text ? `${text}: ${error || (frames
                ? `${found} in ${frames} frames` : 'no match')}` : 'no search'],
            zoom: [zoom, zoom ? 'zoomed in' : 'zoomed out'],
        };
        const isDifferent = key => (now[key][0] || '') !== (before[key]?.[0] || '');
        const announcement = Object.keys(now).filter(isDifferent)
            .map(key => now[key][1]).concat(isSelected && selected || []).join('. ');
        before = now;
        // A screen reader reads out changes only, so the same sentence twice needs a difference.
        if (announcement)
            voice.textContent = announcement + (announcement === voice.textContent ? '\u00a0' : '');
    }
    return {element, voice, update, speak};
}
