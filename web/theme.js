// theme.js - light or dark, forced colors and motion: as the page around shows them, passed to the
// core, which paints the picture with its own tones.

import {make} from './dom.js';
import {viewerStyle} from './style.js';

const sheets = new Map();

// A style in the document or shadow root that `root` is in: constructed, so that no policy of the page
// needs to allow it, and made once.
export function addStyle(root, text) {
    const place = root.getRootNode();
    if (!sheets.has(text)) {
        const made = new CSSStyleSheet();
        made.replaceSync(text);
        sheets.set(text, made);
    }
    const sheet = sheets.get(text);
    if (!place.adoptedStyleSheets.includes(sheet)) place.adoptedStyleSheets.push(sheet);
}

export function addViewerStyle(root) {
    addStyle(root, viewerStyle);
}

function colorNumber(words) {
    const [red, green, blue] = (words.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
    return red << 16 | green << 8 | blue;
}

// Calls `told` once, and again whenever something changes.
export function watchTheme(view, root, told) {
    const probe = make('i', {class: 'probe', 'aria-hidden': 'true'});
    root.append(probe);
    const queries = ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)',
        '(forced-colors: active)', 'print'].map(query => matchMedia(query));
    const [, still, forced, print] = queries;
    let dark = false;
    function tell() {
        const style = getComputedStyle(probe);
        const page = colorNumber(style.backgroundColor);
        const brightness = (page >> 16) * 0.3 + (page >> 8 & 255) * 0.6 + (page & 255) * 0.1;
        dark = brightness < 128 && !print.matches;
        view.core.theme({
            dark, still: still.matches, forced: forced.matches,
            text: colorNumber(style.color), page, accent: colorNumber(style.outlineColor),
            mark: colorNumber(style.borderTopColor),
        });
        told();
    }
    for (const query of queries) query.addEventListener('change', tell);
    tell();
    return {isDark: () => dark, close() {
        queries.forEach(query => query.removeEventListener('change', tell));
    }};
}
