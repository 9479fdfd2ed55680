// splitter.js - the line between a table and the picture, which is dragged, or moved by the arrow keys. Its place
// is remembered by the browser, for tables in place of the picture and for those beside it.

import {make} from './dom.js';

const SPLIT_KEY = 'flamel-split', SPLIT_FIRST = {table: 0.5, beside: 0.4}, SPLIT_LEAST = 0.15, SPLIT_MOST = 0.85, SPLIT_STEP = 0.02;

// A page that is a file, or stands in another one, may not have any storage.
function rememberedSplits() {
    try {
        return {...SPLIT_FIRST, ...JSON.parse(localStorage.getItem(SPLIT_KEY))};
    } catch {
        return {...SPLIT_FIRST};
    }
}

// `main` holds the table, the splitter and the picture, in this order.
export function makeSplitter(main, changed) {
    const shares = rememberedSplits();
    let kind = 'table';
    const element = make('div', {class: 'splitter', role: 'separator', tabindex: 0, hidden: true,
        'aria-orientation': 'vertical', 'aria-label': 'Width of the table', 'aria-valuemin': SPLIT_LEAST * 100,
        'aria-valuemax': SPLIT_MOST * 100, title: 'Drag, or use the arrow keys; double click: as at first'});

    function set(share) {
        shares[kind] = Math.max(SPLIT_LEAST, Math.min(SPLIT_MOST, share));
        main().style.setProperty('--split', shares[kind]);
        element.setAttribute('aria-valuenow', Math.round(shares[kind] * 100));
        changed();
    }
    function keep() {
        try {
            localStorage.setItem(SPLIT_KEY, JSON.stringify(shares));
        } catch {
            // It holds for this page then.
        }
    }
    element.addEventListener('pointerdown', event => {
        const box = main().getBoundingClientRect();
        const isStacked = getComputedStyle(main()).flexDirection === 'column';
        const move = to => set(isStacked ? (to.clientY - box.top) / box.height
            : (to.clientX - box.left) / box.width);
        element.setPointerCapture(event.pointerId);
        element.onpointermove = move;
        element.onpointerup = element.onpointercancel = () => {
            element.onpointermove = null;
            keep();
        };
        event.preventDefault();
        element.focus({preventScroll: true});
    });
    element.addEventListener('keydown', event => {
        const step = {ArrowLeft: -SPLIT_STEP, ArrowRight: SPLIT_STEP, ArrowUp: -SPLIT_STEP, ArrowDown: SPLIT_STEP}[event.key];
        if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        set(shares[kind] + step);
        keep();
    });
    element.addEventListener('dblclick', () => {
        set(SPLIT_FIRST[kind]);
        keep();
    });
    return {
        element,
        // For a table in place of the picture, or beside it; null hides it.
        show(what) {
            element.hidden = !what;
            if (!what) return;
            kind = what;
            set(shares[kind]);
        },
    };
}
