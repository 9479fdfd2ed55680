// print.js - the view on paper: while the page is printed, a picture that is laid out for the width of the paper takes
// the place of the window; a table gets the size of the paper, and as many rows as it has room for. Both are in light
// colors, and fit one page. Code is text, on as many pages as it takes.

import {make} from './dom.js';

// What A4 and Letter both have within margins of 10 mm, in CSS pixels. A picture that is too high for landscape at
// its own size is in portrait, and one that is too high for that is laid out wider, and then made smaller.
const LONG = 980, SHORT = 718;

export function watchPrint(view, root, theme, fillTables) {
    const paper = make('div', {class: 'paper', 'aria-hidden': 'true'});
    const sheet = new CSSStyleSheet();
    root.append(paper);
    document.adoptedStyleSheets.push(sheet);

    function draw(width) {
        const text = view.core.queryText(`export svg ${width}`);
        // The page's policy refuses attributes with styles; page.css has this one.
        const {documentElement: svg} = new DOMParser().parseFromString(text.replace(/ style="[^"]*"/, ''),
            'image/svg+xml');
        return {svg, width, height: Number(svg.getAttribute('height'))};
    }
    function printTable() {
        const {name, view: shown, views} = view.tools();
        paper.replaceChildren(make('h2', {}, `${name} · ${views.find(one => one.name === shown).title}`));
        root.classList.add('is-paper');
        Object.assign(root.style, {width: `${SHORT}px`, height: `${LONG}px`});
        sheet.replaceSync('@page{size:portrait;margin:10mm}');
        fillTables();
    }
    function printCode() {
        const {name} = view.tools();
        paper.replaceChildren(make('h2', {}, name), make('pre', {}, view.core.queryText('export code')));
        sheet.replaceSync('@page{size:landscape;margin:10mm}');
    }
    function printPicture() {
        let room = {width: LONG, height: SHORT, name: 'landscape'}, picture = draw(LONG);
        if (picture.height > room.height) {
            room = {width: SHORT, height: LONG, name: 'portrait'};
            picture = draw(SHORT);
        }
        if (picture.height > room.height) picture = draw(Math.ceil(SHORT * picture.height / LONG));
        const {svg, width, height} = picture;
        const scale = Math.min(room.width / width, room.height / height);
        svg.setAttribute('width', width * scale);
        svg.setAttribute('height', height * scale);
        sheet.replaceSync(`@page{size:${room.name};margin:10mm}`);
        paper.replaceChildren(svg);
    }
    function before() {
        const {name, view: shown, views} = view.tools();
        if (!name) return; // a message is printed as it is
        root.style.colorScheme = 'light';
        theme.update();
        const one = views.find(one => one.name === shown);
        if (shown === 'code') printCode();
        else if (one.table && !one.beside) printTable();
        else printPicture();
    }
    function after() {
        paper.replaceChildren();
        sheet.replaceSync('');
        root.classList.remove('is-paper');
        Object.assign(root.style, {colorScheme: '', width: '', height: ''});
        theme.update();
        fillTables();
    }
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
}
