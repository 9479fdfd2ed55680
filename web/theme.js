// theme.js - passes the color scheme, forced colors and reduced motion of the page to the core, which paints
// the picture with its own colors for them; and the scheme that the user chose.

import {make} from './dom.js';
import {viewerStyle} from './style.js';

const sheets = new Map();

// Adds a style to the document or shadow root that `root` is in. It is a constructed style sheet, which
// needs no permission in the page's policy, and is made once for all viewers.
export function addStyle(root, text) {
    const scope = root.getRootNode();
    if (!sheets.has(text)) {
        const made = new CSSStyleSheet();
        made.replaceSync(text);
        sheets.set(text, made);
    }
    const sheet = sheets.get(text);
    if (!scope.adoptedStyleSheets.includes(sheet)) scope.adoptedStyleSheets.push(sheet);
}

export function addViewerStyle(root) {
    addStyle(root, viewerStyle);
}

// "rgb(1, 2, 3)" as 0x010203.
function colorNumber(color) {
    const [red, green, blue] = (color.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
    return red << 16 | green << 8 | blue;
}

const THEME_KEY = 'flamel-theme';

// A browser may refuse to store anything for a file.
function storedTheme(name) {
    try {
        if (name) localStorage.setItem(THEME_KEY, name);
        return localStorage.getItem(THEME_KEY);
    } catch {
        return null;
    }
}

// Passes the theme to the core and calls `onChange`: now, and whenever it changes. `isPage`: the viewer is all of
// the page, and remembers what was chosen.
export function watchTheme(view, root, onChange, isPage) {
    const probe = make('i', {class: 'probe', 'aria-hidden': 'true'});
    root.append(probe);
    const queries = ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)',
        '(forced-colors: active)', 'print'].map(query => matchMedia(query));
    const [, still, forced, print] = queries;
    let dark = false, chosen = isPage && storedTheme() || 'system';
    function apply() {
        root.dataset.theme = chosen;
        if (isPage) document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen;
    }
    function choose(name) {
        chosen = name;
        if (isPage) storedTheme(name);
        apply();
        update();
    }
    function update() {
        const style = getComputedStyle(probe);
        const page = colorNumber(style.backgroundColor);
        const brightness = (page >> 16) * 0.3 + (page >> 8 & 255) * 0.6 + (page & 255) * 0.1;
        dark = brightness < 128 && !print.matches;
        view.core.theme({
            dark, still: still.matches, forced: forced.matches,
            text: colorNumber(style.color), page, accent: colorNumber(style.outlineColor),
            mark: colorNumber(style.borderTopColor),
        });
        onChange();
    }
    for (const query of queries) query.addEventListener('change', update);
    apply();
    update();
    return {isDark: () => dark, chosen: () => chosen, choose, update, close() {
        queries.forEach(query => query.removeEventListener('change', update));
    }};
}
