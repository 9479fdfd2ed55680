// control.js - the reader's actions: zoom, search, links, help; mouse, touch and keys.

const EASE_MS = 120;

// Views to go back to; the pattern of the search, and the filter of a pressed button of the legend;
// which match is selected; the link that the script itself wrote.
const past = [];
let animation = 0;
let pattern = '', matchCase = false, invalid = false;
let keyTest = null, keyButton = null;
let current = -1;
let written = '';

// ---- Selection and zoom -------------------------------------------------------------------------

function keepInSight(item) {
    const top = window.scrollY + HEAD, bottom = window.scrollY + window.innerHeight - footHeight;
    if (item.place.y < top) window.scrollBy(0, item.place.y - top - row);
    else if (item.place.y + row > bottom) window.scrollBy(0, item.place.y + 2 * row - bottom);
}

function select(item) {
    selected = item;
    hovered = null;
    drawPointed();
    updateTexts();
    announce();
    if (item && standalone) keepInSight(item);
}

// The view of a zoom to an item; null: none. Of a merged box that nearly fills the view a part is opened: a
// tenth of the view, around the position of the pointer (0 to 1).
function viewOf(item, at = .5) {
    const {box, last, level} = item, left = boxes.offset[box];
    if (box === 0) return all;
    if (!opens(item)) return null;
    const right = boxes.offset[last] + boxes.total[last], extent = target.right - target.left;
    if (box === last || right - left < extent * .8)
        return {left, right, level, box: box === last ? box : -1};
    const part = extent / 10, wanted = target.left + extent * at - part / 2;
    const start = Math.min(Math.max(wanted, left), right - part);
    return {left: start, right: start + part, level, box: -1};
}

function arrive() {
    view = target;
    draw();
    measure();
    updateTexts();
    announce();
    root.dispatchEvent(new CustomEvent('flamel-settled'));
}

function go(next) {
    const from = view, start = performance.now();
    const still = document.hidden || matchMedia('(prefers-reduced-motion: reduce)').matches;
    function step(now) {
        const left = 1 - Math.min(1, Math.max(0, (now - start) / EASE_MS)), eased = 1 - left ** 3;
        if (left === 0) return arrive();
        view = {
            left: from.left + (next.left - from.left) * eased,
            right: from.right + (next.right - from.right) * eased,
        };
        draw();
        animation = requestAnimationFrame(step);
    }
    cancelAnimationFrame(animation);
    target = next;
    if (still) arrive();
    else animation = requestAnimationFrame(step);
    remember();
}

function zoom(next) {
    if (!next || next.left === target.left && next.right === target.right &&
        next.level === target.level) return;
    past.push(target);
    go(next);
}

// One step back, in any state.
function back() {
    if (helpFrame.isConnected) closeHelp();
    else if (past.length) go(past.pop());
    else if (target !== all) go(all);
    else if (matches || pattern) clearSearch();
    else select(null);
}

// ---- Search -------------------------------------------------------------------------------------

function compile(text) {
    for (const flags of ['u', '']) {
        try {
            return new RegExp(text, flags + (matchCase ? '' : 'i'));
        } catch (malformed) {
            // With "u" more patterns are malformed than without it, for example "\_".
        }
    }
    return null;
}

function findMatches() {
    const expression = pattern ? compile(pattern) : null;
    invalid = pattern !== '' && !expression;
    if (!expression && !keyTest) return null;
    const named = expression ? frames.name.map(name => expression.test(name)) : null;
    const made = new Uint8Array(boxes.count);
    for (let i = 1; i < boxes.count; i++)
        if (boxes.frame[i] >= 0)
            made[i] = (!named || named[boxes.frame[i]]) && (!keyTest || keyTest(i));
    return made;
}

function measure() {
    field.setAttribute('aria-invalid', String(invalid));
    if (!matches) {
        found.textContent = invalid ? 'not a regular expression' : '';
        return;
    }
    const {sum, count} = measureMatches(boxes, matches, target);
    found.textContent = percent(sum, target.right - target.left) +
        (target === all ? '' : ' of this view') + ' \u00b7 ' +
        (current >= 0 ? grouped(current + 1) + ' of ' + grouped(count) :
            grouped(count) + (count === 1 ? ' match' : ' matches'));
}

function search() {
    current = -1;
    matches = findMatches();
    drawSearch();
    measure();
    updateTexts();
    remember();
}

function clearSearch() {
    if (keyButton) keyButton.setAttribute('aria-pressed', 'false');
    keyTest = keyButton = null;
    pattern = field.value = '';
    search();
}

function toggleCase() {
    matchCase = !matchCase;
    caseButton.setAttribute('aria-pressed', String(matchCase));
    search();
}

// The matches in the view from left to right, callers before callees.
function matchList() {
    const list = [];
    for (let i = 1; matches && i < boxes.count; i++)
        if (matches[i] && boxes.level[i] >= target.level && boxes.offset[i] < target.right &&
            boxes.offset[i] + boxes.total[i] > target.left) list.push(i);
    return list.sort((a, b) =>
        boxes.offset[a] - boxes.offset[b] || boxes.level[a] - boxes.level[b]);
}

function nextMatch(step) {
    const list = matchList();
    if (!list.length) return;
    current = current < 0 ? (step > 0 ? 0 : list.length - 1) :
        (current + step + list.length) % list.length;
    select(findShown(list[current]));
    measure();
}

// ---- Links, as flamegraph.pl's ------------------------------------------------------------------

// ?x=537113&y=10&s=read: the offset of the zoomed frame, in the unit of the metric, and its level; the
// pattern of the search. So a link is valid at any width. w: the width, for a zoom to several frames;
// c=1: case matters.

function remember() {
    if (!standalone) return;
    const parts = new URLSearchParams();
    if (target !== all) {
        parts.set('x', target.left);
        parts.set('y', target.level);
        if (target.box < 0) parts.set('w', target.right - target.left);
    }
    if (pattern) parts.set('s', pattern);
    if (matchCase) parts.set('c', 1);
    written = parts.toString();
    try {
        history.replaceState(null, '', written ? '?' + written : location.pathname);
    } catch (refused) {
        // As some browsers do for files, for which only the part after # may change.
        if (location.hash.slice(1) !== written) location.replace('#' + written);
    }
}

function recall() {
    const hash = standalone ? location.hash.slice(1) : '';
    const parts = new URLSearchParams(hash || (standalone ? location.search : ''));
    const x = Number(parts.get('x')), y = Number(parts.get('y')), w = Number(parts.get('w'));
    const box = parts.has('x') ? boxAt(boxes, y, x) : -1;
    view = target = box <= 0 ? all : w > 0 ?
        {left: x, right: Math.min(total, x + w), level: y, box: -1} :
        viewOf({box, last: box, count: 0, level: y});
    matchCase = parts.get('c') === '1';
    caseButton.setAttribute('aria-pressed', String(matchCase));
    pattern = field.value = parts.has('s') ? parts.get('s') : info.search;
    matches = findMatches();
}

// ---- Help and legend ----------------------------------------------------------------------------

const keys = [
    ['Click', 'zoom to a frame; on one of its callers, zoom out to that'],
    ['Arrows', 'select a neighboring frame'], ['Enter', 'zoom to it'], ['Esc', 'one step back'],
    ['0, Home', 'reset the zoom'], ['/, Ctrl+F', 'search'], ['n, N', 'next match, previous match'],
    ['Ctrl+I', 'match case'], ['Ctrl+C', 'copy the stack and its value'], ['?', 'this list'],
];

function placeHelp() {
    const size = Math.min(width - 2 * PAD, 400);
    helpFrame.setAttribute('x', width - PAD - size);
    helpFrame.setAttribute('width', size);
    helpFrame.setAttribute('height',
        Math.min(help.scrollHeight + 2, window.innerHeight - HEAD - PAD));
}

function openHelp() {
    const list = html('dl', {}), button = html('button', {type: 'button'}, 'Close');
    for (const [key, what] of keys) list.append(html('dt', {}, key), html('dd', {}, what));
    button.addEventListener('click', closeHelp);
    help.replaceChildren(list, button);
    root.append(helpFrame);
    helpFrame.setAttribute('height', 10);
    // Twice: the height depends on the width.
    placeHelp();
    placeHelp();
    button.focus();
}

function closeHelp() {
    helpFrame.remove();
    live.focus({preventScroll: true});
}

function toggleHelp() {
    if (helpFrame.isConnected) closeHelp();
    else openHelp();
}

function addKey(name, tone, mark, test) {
    const sample = element('svg', {width: 16, height: 12, 'aria-hidden': 'true'},
        element('g', {class: 'c' + tone}, element('path', {class: 'k', d: 'M0 0h16v12h-16z'})));
    if (mark)
        sample.append(element('path', {class: 'm' + mark,
            d: mark >= APPEARED ? 'M0 0h16v12h-16z' : 'M0 10.5h16'}));
    const button = html('button', {type: 'button', 'aria-pressed': 'false'}, sample, name);
    button.addEventListener('click', () => {
        const pressed = keyButton !== button;
        if (keyButton) keyButton.setAttribute('aria-pressed', 'false');
        keyButton = pressed ? button : null;
        keyTest = pressed ? test : null;
        button.setAttribute('aria-pressed', String(pressed));
        search();
    });
    legend.append(button);
}

function fillLegend() {
    const warm = info.negate ? -1 : 1;
    if (info.compare)
        for (const [name, sign] of [['grown', 1], [info.significant ? 'not significant' :
            info.noise ? 'same, or noise' : 'same', 0], ['shrunk', -1]])
            addKey(name, TONE_CHANGE + SAME + warm * sign * SAME, 0,
                box => Math.sign(boxes.tone[box] - SAME) === warm * sign);
    markNames.forEach((name, mark) => {
        const sign = mark === APPEARED ? warm : -warm;
        const tone = mark < APPEARED ? TONE_MERGED : TONE_CHANGE + SAME + sign * SAME;
        if (info.marks >> mark & 1) addKey(name, tone, mark, box => markOf(box) === mark);
    });
    if (!legend.firstChild) legend.remove();
}

// ---- Mouse, touch and keys ----------------------------------------------------------------------

function isInBar(event) {
    return event.target.namespaceURI === XHTML;
}

function xOf(event) {
    return event.clientX - root.getBoundingClientRect().left - PAD;
}

function itemUnder(event) {
    const y = event.clientY - root.getBoundingClientRect().top;
    return isInBar(event) ? null : itemAt(shown, starts, levelAt(y), xOf(event));
}

function point(item) {
    if (item === hovered) return;
    hovered = item;
    live.classList.toggle('can-zoom', item !== null && opens(item));
    drawPointed();
    showDetail();
}

function click(event) {
    if (isInBar(event)) return;
    const item = itemUnder(event);
    live.focus({preventScroll: true});
    select(item);
    if (item) zoom(viewOf(item, xOf(event) / (width - 2 * PAD)));
}

// The frame next to, above or below the selected one.
function neighbor(key) {
    const index = shown.indexOf(selected), level = selected.level;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
        const next = shown[index + (key === 'ArrowLeft' ? -1 : 1)];
        return next && next.level === level ? next : null;
    }
    if ((key === 'ArrowUp') === info.inverted)
        return level > 0 ? findShown(boxes.parent[selected.box]) : null;
    const above = selected.count ? [] : shown.slice(starts[level + 1], starts[level + 2])
        .filter(item => boxes.parent[item.box] === selected.box);
    return above.reduce((widest, item) => !widest || item.x1 - item.x0 > widest.x1 - widest.x0 ?
        item : widest, null);
}

function step(key) {
    const next = selected ? neighbor(key) : findShown(Math.max(0, target.box)) || shown[0];
    if (next) select(next);
}

function stackText(item) {
    const names = [];
    for (let box = item.count ? boxes.parent[item.box] : item.box; box > 0; box = boxes.parent[box])
        names.unshift(nameOf(box).replace(/;/g, ':'));
    return names.join(';') + ' ' + item.total;
}

function copy(event) {
    const item = hovered || selected;
    if (!item || isInBar(event) || String(getSelection())) return;
    event.clipboardData.setData('text/plain', stackText(item));
    event.preventDefault();
}

// The action of a key; false: it has none.
function press(event) {
    const {key} = event, control = event.ctrlKey || event.metaKey, inField = event.target === field;
    if (control ? key === 'f' : key === '/' && !inField) {
        field.focus();
        field.select();
    } else if (control && key === 'i') toggleCase();
    else if (key === 'F3' || control && key === 'g') nextMatch(event.shiftKey ? -1 : 1);
    else if (control || event.altKey) return false;
    else if (key === 'Escape' && inField) {
        clearSearch();
        live.focus({preventScroll: true});
    } else if (key === 'Escape') back();
    else if (inField) {
        if (key !== 'Enter') return false;
        nextMatch(event.shiftKey ? -1 : 1);
    } else if (key === '?') toggleHelp();
    else if (key === 'n' || key === 'N') nextMatch(key === 'N' ? -1 : 1);
    else if (key === '0' || key === 'Home') zoom(all);
    else if (isInBar(event)) return false;
    else if (key.startsWith('Arrow')) step(key);
    else if (key === 'Enter' && selected) zoom(viewOf(selected));
    else return false;
    return true;
}

function resize() {
    width = Math.max(120, standalone ? document.documentElement.clientWidth || window.innerWidth :
        root.getBoundingClientRect().width);
    if (width >= NARROW_PAGE && found.parentNode !== head) head.insertBefore(found, field);
    draw();
    updateTexts();
    if (helpFrame.isConnected) placeHelp();
}

function listen() {
    root.addEventListener('pointermove', event => point(itemUnder(event)));
    root.addEventListener('pointerleave', () => point(null));
    root.addEventListener('click', click);
    live.addEventListener('focus', () => {
        // Focus by keyboard shows a selection: the zoomed frame, or the root.
        if (!selected && live.matches(':focus-visible')) step('');
    });
    field.addEventListener('input', () => {
        pattern = field.value;
        search();
    });
    caseButton.addEventListener('click', toggleCase);
    resetButton.addEventListener('click', () => zoom(all));
    helpButton.addEventListener('click', toggleHelp);
    (standalone ? window : root).addEventListener('keydown', event => {
        if (press(event)) event.preventDefault();
    });
    document.addEventListener('copy', copy);
    window.addEventListener('resize', resize);
    if (!standalone) return;
    window.addEventListener('scroll', pinBars, {passive: true});
    window.addEventListener('hashchange', () => {
        if (location.hash.slice(1) === written) return;
        recall();
        arrive();
    });
}

function start() {
    root.querySelector('.still').remove();
    root.removeAttribute('viewBox');
    root.setAttribute('width', '100%');
    root.style.setProperty('--font', family);
    root.append(live, headFrame, footFrame);
    fillLegend();
    recall();
    resize();
    measure();
    announce();
    listen();
    // The browser's own correction of the scroll position, added to that of arrange(), goes on until the top.
    if (standalone) root.style.overflowAnchor = 'none';
    if (standalone && !info.inverted) window.scrollTo(0, pageHeight);
    pinBars();
}

start();
