// menu.js - the menu of the selected frame: what the core says is possible, opened by the other button, a long
// press, or a key; with the keys of a menu.

import {button, make, refill} from './dom.js';

const EDGE_PX = 4;

export function makeMenu(view) {
    const element = make('div', {class: 'menu context-menu', popover: 'manual', role: 'menu', tabindex: -1});
    const items = () => Array.from(element.querySelectorAll('[role=menuitem]'));

    function close() {
        document.removeEventListener('pointerdown', outside, true);
        if (!element.matches(':popover-open')) return;
        element.hidePopover();
        view.focusPicture();
    }
    const outside = event => !event.composedPath().includes(element) && close();

    // Where the pointer is, or below what the menu is of, as far as the window has room.
    function place(x, y) {
        const {width, height} = element.getBoundingClientRect();
        element.style.left = `${Math.max(EDGE_PX, Math.min(x, innerWidth - width - EDGE_PX))}px`;
        element.style.top = `${Math.max(EDGE_PX, Math.min(y, innerHeight - height - EDGE_PX))}px`;
    }
    function open(where) {
        const menu = view.core.query('menu');
        element.setAttribute('aria-label', menu.title || 'Menu');
        refill(element, menu.title && make('h2', {class: 'cut', title: menu.title, 'aria-hidden': 'true'}, menu.title),
            menu.items.map((item, i) => [
                i > 0 && item.section !== menu.items[i - 1].section && make('hr'),
                button([make('span', {}, item.title), item.keys && make('kbd', {}, view.keyLabel(item.keys)
                    .split(', ')[0])], () => { close(); view.act(item.action); },
                {role: 'menuitem', tabindex: -1, 'data-action': item.action}),
            ]));
        element.showPopover();
        const {x, y} = where || view.placeOnPage(menu);
        place(x, y);
        document.addEventListener('pointerdown', outside, true);
        items()[0]?.focus();
    }

    element.addEventListener('keydown', event => {
        const all = items(), at = all.indexOf(event.target.getRootNode().activeElement);
        const typed = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey &&
            all.concat(all).findIndex((item, i) => i > at && item.textContent.toLowerCase().startsWith(
                event.key.toLowerCase()));
        const to = {ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1}[event.key] ??
            (typed === false || typed < 0 ? null : typed);
        if (event.key === 'Escape' || event.key === 'Tab') close();
        else if (to != null) all[to % all.length]?.focus();
        else return;
        event.preventDefault();
    });
    element.addEventListener('contextmenu', event => event.preventDefault());
    return {element, open, close};
}
