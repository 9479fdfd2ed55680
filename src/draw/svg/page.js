// page.js - the page: its parts, its texts, and the drawing of one view. control.js decides which
// view. Names only ever become text nodes and attributes.

const SVG = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';
const HEAD = 40, PAD = 8, LABEL_PAD = 4;
const NARROW_PAGE = 560;
const kindNames = ['', 'native', 'kernel', 'inlined', 'jit', 'jit, first tier', 'interpreted',
    'gpu', 'waker', 'label'];
const kindMarks = [0, 0, 1, 2, 3, 3, 4, 5, 6, 0];
const markNames = ['', 'kernel', 'inlined', 'jit', 'interpreted', 'gpu', 'waker', 'appeared',
    'disappeared'];
const TONE_ANCESTOR = 0, TONE_MERGED = 1, TONE_CHANGE = 2, SAME = 3, APPEARED = 7, PAGE_INK = '1';

const root = document.currentScript.parentNode;
const standalone = document.documentElement === root;
const {info, frames, boxes} = decode(root.querySelector('metadata').textContent);
const row = info.row, boxHeight = row > 4 ? row - 1 : row, total = boxes.total[0];
const all = {left: 0, right: total, level: 0, box: 0};

// `view` is drawn, `target` is the view at the end of an animation, otherwise the same. `shown` is
// the list that view.js makes of it; `selected` and `hovered` are its items. `matches` has a byte
// per box while there is a search.
let view = all, target = all, width = 0;
let shown = [], starts = [0], levels = 1;
let selected = null, hovered = null;
let matches = null;
let pageHeight = 0, footHeight = 60, firstRow = 0;

function element(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    made.append(...children);
    return made;
}

function html(name, attributes, ...children) {
    const made = document.createElementNS(XHTML, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    made.append(...children);
    return made;
}

// ---- The parts ----------------------------------------------------------------------------------

const layers = {};
for (const name of ['boxes', 'found', 'marks', 'outlines', 'same', 'labels'])
    layers[name] = element('g', {class: name, 'aria-hidden': 'true'});
layers.boxes.setAttribute('stroke-width', boxHeight);
layers.found.setAttribute('stroke-width', boxHeight);
layers.labels.setAttribute('font-size', info.font);
layers.focus = element('g', {});
const treeItems = ['a', 'b'].map(end => element('g', {id: 'flamel-item-' + end, role: 'treeitem'}));
const live = element('g', {
    class: 'live', tabindex: 0, role: 'tree', 'aria-label': info.title +
        ': arrow keys go from frame to frame, Enter zooms, Escape goes back',
}, ...Object.values(layers), treeItems[0]);

const resetButton = html('button', {type: 'button', hidden: ''}, 'Reset zoom');
const field = html('input', {
    type: 'text', placeholder: 'Search', 'aria-label': 'Search by regular expression',
    spellcheck: 'false', autocomplete: 'off',
});
const caseButton = html('button', {
    type: 'button', 'aria-pressed': 'false', title: 'Match case (Ctrl+I)',
    'aria-label': 'Match case',
}, 'Aa');
const found = html('span', {class: 'count', role: 'status'});
const helpButton = html('button', {type: 'button', title: 'Keys (?)', 'aria-label': 'Keys'}, '?');
const head = html('div', {class: 'head'}, html('b', {title: info.title}, info.title),
    html('i', {title: info.subtitle}, info.subtitle), resetButton, found, field, caseButton,
    helpButton);

const detailName = html('b', {}), detailParts = html('span', {});
const legend = html('div', {class: 'keys', role: 'group', 'aria-label': 'Legend'});
const status = html('div', {class: 'status-line'});
const foot = html('div', {class: 'foot'},
    html('div', {class: 'details'}, detailName, detailParts),
    html('div', {class: 'last'}, status, legend));
if (info.notes)
    foot.append(html('div', {class: 'notes', role: 'region', 'aria-label': 'Notes', tabindex: 0},
        ...info.notes.map(note => html('div', {}, note))));
const help = html('div', {class: 'help', role: 'dialog', 'aria-label': 'Keys'});

const headFrame = element('foreignObject', {x: 0, y: 0, height: HEAD});
const footFrame = element('foreignObject', {x: 0, y: 0});
const helpFrame = element('foreignObject', {});
headFrame.append(head);
footFrame.append(foot);
helpFrame.append(help);

const family = getComputedStyle(root).fontFamily;
const ruler = makeRuler(family, info.font);

// ---- Properties and names of boxes --------------------------------------------------------------

function nameOf(box) {
    if (box === 0) return 'all';
    return frames.name[boxes.frame[box]] || '(no name)';
}

function markOf(box) {
    if (!info.compare) return kindMarks[frames.kind[boxes.frame[box]]];
    return boxes.change[box] && APPEARED - 1 + boxes.change[box];
}

function isAncestor(item) {
    return item.level < target.level;
}

function toneOf(item) {
    if (isAncestor(item)) return TONE_ANCESTOR;
    if (item.count) return TONE_MERGED;
    return info.compare ? TONE_CHANGE + boxes.tone[item.box] :
        frames.tone[boxes.frame[item.box]];
}

function valueText(value) {
    const product = value * info.factor, full = exact(product, info.unit);
    return isScaled(info.unit) && product ? quantity(product, info.unit) + ' (' + full + ')' : full;
}

// As in text/comparison_summary.c.
function changeText(box) {
    const before = boxes.before[box] * info.factor, after = boxes.after[box] * info.factor;
    const scaled = before * info.scale, change = after - scaled, unit = info.unit;
    const same = Math.abs(change) <= (info.scale === 1 ? 0 : 1e-12 * Math.max(scaled, after));
    const sign = change > 0 && !same ? '+' : '', shown = same ? 0 : change;
    if (info.compare === 'signed') return sign + exact(shown, unit);
    return exact(before, unit) + ' before' +
        (info.scale === 1 ? '' : ' (normalized ' + quantity(scaled, unit) + ')') + ', ' +
        exact(after, unit) + ' after: ' + sign +
        (info.scale === 1 ? exact(shown, '') : quantity(shown, unit)) +
        (scaled > 0 ? ' (' + (after === 0 ? 'gone' : sign + percent(shown, scaled)) + ')' :
            after > 0 ? ' (new)' : '') +
        (!boxes.noise[box] ? '' : info.significant ? ', not significant' : ', too few samples to tell');
}

// Whether the frames of a merged box are in the file, so that a zoom shows them.
function opens(item) {
    return item.count === 0 || item.last > item.box || boxes.frame[item.box] >= 0;
}

function describe(item) {
    const details = [], {box, count} = item;
    details.push(info.compare && !count ? changeText(box) : valueText(item.total));
    details.push(percent(item.total, total) + ' of total');
    if (target !== all && item.level >= target.level)
        details.push(percent(item.total, target.right - target.left) + ' of this view');
    if (count) {
        details.push(opens(item) ? 'zoom in to see them' :
            'not in this file: a smaller minwidth keeps them');
        return {name: '+' + grouped(count) + (count === 1 ? ' frame' : ' frames') +
            ' too narrow to draw', details};
    }
    const frame = boxes.frame[box], {module, file, line, kind, unsymbolized} = frames;
    details.push('self ' + percent(boxes.self[box], total));
    if (module[frame]) details.push(module[frame]);
    if (file[frame]) details.push(file[frame] + (line[frame] ? ':' + line[frame] : ''));
    if (kindNames[kind[frame]]) details.push(kindNames[kind[frame]]);
    if (unsymbolized[frame]) details.push('no symbol');
    return {name: (info.nameType ? info.nameType + ' ' : '') + nameOf(box), details};
}

// ---- Positions ----------------------------------------------------------------------------------

function yOf(level) {
    return firstRow + (info.inverted ? level : levels - 1 - level) * row;
}

function levelAt(y) {
    const fromTop = Math.floor((y - firstRow) / row);
    return info.inverted ? fromTop : levels - 1 - fromTop;
}

// On whole pixels of the screen, with a gap after every box that is wide enough for one.
function place(item) {
    const pixels = window.devicePixelRatio || 1;
    const x0 = Math.round(item.x0 * pixels) / pixels, x1 = Math.round(item.x1 * pixels) / pixels;
    const gap = x1 - x0 >= 3 ? 1 : 0;
    return {x: PAD + x0, y: yOf(item.level), width: Math.max(x1 - x0 - gap, .4)};
}

// The bars stay at the edges of the window while the page is scrolled.
function pinBars() {
    const from = standalone ? Math.max(0, window.scrollY) : 0;
    const to = standalone ? Math.min(pageHeight, from + window.innerHeight) : pageHeight;
    headFrame.setAttribute('y', from);
    footFrame.setAttribute('y', to - footHeight);
    helpFrame.setAttribute('y', from + HEAD + 4);
}

// The page is as high as its levels need, and in a window of its own at least as high as that.
// Flame graphs grow upwards: when the height changes, the visible part keeps its distance from the
// bottom.
function arrange() {
    const content = levels * row, before = pageHeight, scrolled = window.scrollY;
    pageHeight = HEAD + PAD + content + PAD + footHeight;
    if (standalone) pageHeight = Math.max(pageHeight, window.innerHeight);
    firstRow = info.inverted ? HEAD + PAD : pageHeight - footHeight - PAD - content;
    root.setAttribute('height', pageHeight);
    for (const frame of [headFrame, footFrame]) frame.setAttribute('width', width);
    footFrame.setAttribute('height', footHeight);
    if (standalone && !info.inverted && before && before !== pageHeight)
        window.scrollTo(window.scrollX, Math.max(0, scrolled + pageHeight - before));
    pinBars();
}

// ---- Drawing ------------------------------------------------------------------------------------

// Groups a list by a key, in the order in which keys first occur.
function group(items, keyOf, valueOf) {
    const lists = new Map();
    for (const item of items) {
        const key = keyOf(item), value = valueOf(item);
        if (!lists.has(key)) lists.set(key, []);
        lists.get(key).push(value);
    }
    return lists;
}

// A group per tone, with one path of its wide and one of its narrow boxes, as in still_picture.c.
function drawBoxes(layer, items) {
    const isWide = item => item.place.width >= 8 && boxHeight >= 8;
    const made = [];
    for (const wide of [true, false]) {
        const paths = group(items.filter(item => isWide(item) === wide), toneOf,
            ({place: {x, y, width: size}}) => wide ? rectangle(x, y, size, boxHeight, 2) :
                'M' + x + ' ' + (y + boxHeight / 2) + 'h' + size);
        for (const [tone, list] of paths)
            made.push(element('g', {class: 'c' + tone},
                element('path', {class: wide ? 'w' : 'n', d: list.join('')})));
    }
    layer.replaceChildren(...made);
}

function drawMarks() {
    const marked = shown.filter(item => !item.count && item.place.width >= 3 && !isAncestor(item) &&
        markOf(item.box));
    const paths = group(marked, item => markOf(item.box), ({box, place: {x, y, width: size}}) =>
        markOf(box) >= APPEARED ? rectangle(x, y, size, boxHeight, 0) :
            'M' + (x + 1) + ' ' + (y + boxHeight - 1.5) + 'h' + (size - 2));
    layers.marks.replaceChildren(...Array.from(paths, ([mark, list]) =>
        element('path', {class: 'm' + mark, d: list.join('')})));
}

function labelOf(item, room) {
    if (item.box === 0) return 'all';
    if (!item.count) {
        const frame = boxes.frame[item.box], depth = info.depths?.[item.box];
        const suffix = depth ? ' \u00d7' + depth : '', left = room - ruler.width(suffix, room);
        const name = depth && left > 0 && label(frames, frame, left, ruler);
        return name ? name + suffix : label(frames, frame, room, ruler);
    }
    const count = '+' + grouped(item.count), both = count + ', ' + percent(item.total, total);
    return [both, count].find(text => ruler.width(text, room) <= room) || '';
}

function isMatch(item) {
    for (let i = item.box; i <= item.last; i++) if (matches[i]) return true;
    return false;
}

function drawLabels() {
    const roomOf = item => item.place.width - 2 * LABEL_PAD;
    const inkOf = item => matches && !isMatch(item) ? PAGE_INK : info.inks[toneOf(item)];
    const texts = group(shown.filter(item => roomOf(item) >= info.font * 1.2), inkOf,
        item => element('text', {
            x: item.place.x + LABEL_PAD, y: item.place.y + boxHeight / 2 + info.font * .35,
        }, labelOf(item, roomOf(item))));
    layers.labels.replaceChildren(...Array.from(texts, ([ink, list]) =>
        element('g', {class: 'i' + ink}, ...list.filter(text => text.textContent))));
}

function drawOutlines(layer, name, items) {
    const path = items.map(({place: p}) => outlineOf(p.x, p.y, p.width, boxHeight)).join('');
    layer.replaceChildren(...(path ? [element('path', {class: name, d: path})] : []));
}

function drawMatches() {
    const items = matches ? shown.filter(isMatch) : [];
    live.classList.toggle('dim', matches !== null);
    drawBoxes(layers.found, items);
    drawOutlines(layers.outlines, 'outline', items);
}

// Boxes that do not match are faded, with text in the color of the page.
function drawSearch() {
    drawMatches();
    drawLabels();
}

// Outlines the other occurrences of the function under the pointer, and the selection.
function drawPointed() {
    const item = hovered || selected;
    const name = item && !item.count && item.box > 0 ? nameOf(item.box) : null;
    drawOutlines(layers.same, 'same', name === null ? [] : shown.filter(other =>
        !other.count && other.box > 0 && nameOf(other.box) === name));
    drawOutlines(layers.focus, 'focus', selected ? [selected] : []);
}

// The item of a box in the list that is shown now: itself, or the merged box that it is in.
function findShown(box) {
    for (let i = starts[boxes.level[box]]; i < starts[boxes.level[box] + 1]; i++)
        if (shown[i].box <= box && box <= shown[i].last) return shown[i];
    return null;
}

function draw() {
    shown = show(boxes, view, width - 2 * PAD);
    starts = levelStarts(shown);
    levels = starts.length - 1;
    arrange();
    for (const item of shown) item.place = place(item);
    selected = selected && findShown(selected.box);
    hovered = null;
    drawBoxes(layers.boxes, shown);
    drawMarks();
    drawSearch();
    drawPointed();
}

// ---- Texts --------------------------------------------------------------------------------------

function showDetail() {
    const item = hovered || selected || (target.box > 0 ? findShown(target.box) : null);
    const {name, details} = item ? describe(item) :
        {name: '', details: ['Click a frame to zoom, / searches, ? lists the keys']};
    detailName.textContent = name;
    detailName.title = name;
    detailParts.textContent = details.join(' \u00b7 ');
}

function showStatus() {
    const merged = shown.filter(item => item.count), parts = info.status.slice();
    const mergedTotal = merged.reduce((sum, item) => sum + item.total, 0);
    parts[2] = 'drawn ' + grouped(shown.length - merged.length);
    parts[3] = 'merged ' + grouped(merged.length) + ' (' +
        percent(mergedTotal, view.right - view.left) + ')';
    status.replaceChildren(...(width < NARROW_PAGE ? [found] : []),
        ...parts.filter(part => part).map(part => html('span', {}, part)));
}

// Updates all texts of the page; they may wrap, and then the bar at the bottom is higher.
function updateTexts() {
    showDetail();
    showStatus();
    resetButton.hidden = target === all;
    const height = Math.ceil(foot.getBoundingClientRect().height) || 60;
    if (height !== footHeight) {
        footHeight = height;
        draw();
    }
}

// For screen readers, the selected frame is an item of the tree: one of two in turn, so that each
// change is announced.
function announce() {
    const item = selected || shown[0];
    if (!item) return;
    treeItems.reverse();
    const {name, details} = describe(item);
    treeItems[0].setAttribute('aria-label', name + ', ' + details.join(', '));
    treeItems[0].setAttribute('aria-level', item.level + 1);
    treeItems[0].setAttribute('aria-selected', String(item === selected));
    treeItems[1].remove();
    live.append(treeItems[0]);
    if (selected) live.setAttribute('aria-activedescendant', treeItems[0].id);
    else live.removeAttribute('aria-activedescendant');
}
