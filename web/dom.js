// dom.js - makes elements. Names from profiles only ever become text nodes and values of attributes,
// never markup.

// An element. Attributes that are functions are listeners (onclick); those that are false or null are
// left out.
export function make(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const key in attributes) {
        const value = attributes[key];
        if (typeof value === 'function') made.addEventListener(key.slice(2), value);
        else if (value !== false && value != null) made.setAttribute(key, value === true ? '' : value);
    }
    made.append(...children.flat(2).filter(child => child != null && child !== false && child !== ''));
    return made;
}

// A table of {name, value}; null where there are none.
export function facts(items) {
    return items?.length > 0 && make('table', {class: 'facts'}, items.map(({name, value}) => make('tr', {},
        make('th', {scope: 'row'}, name), make('td', {}, make('span', {}, value)))));
}

export function button(label, onclick, attributes) {
    return make('button', {type: 'button', onclick, ...attributes}, label);
}

// A button with an icon or a symbol: `title` is its name, for the tooltip and for screen readers.
export function sign(label, title, onclick, attributes) {
    return button(label, onclick, {title, 'aria-label': title, ...attributes});
}

// The end of a path: "libc.so.6".
export const fileName = path => path.replace(/.*\/(?=.)/, '');

// What is pressed, by a pointer or by the space bar, from then until its click. A browser makes no click where
// something else has taken the place of what was pressed, so what would take it waits until the release: the last
// change of each parent, by parent. Selects open a list of their own, after which no release may come.
const SPACE = ' ';
let pressed = null, pressedBy = null; // a pointer's number, or SPACE
const waiting = new Map();
const waiters = [];

function press(event) {
    const target = event.composedPath()[0], byPointer = event.type === 'pointerdown';
    if (byPointer ? target.closest?.('select, input') : event.key !== SPACE || !target.matches?.('button, summary')) return;
    pressed = target;
    pressedBy = byPointer ? event.pointerId : SPACE;
}
function release() {
    pressed = pressedBy = null;
    const all = [...waiting.values()];
    waiting.clear();
    const failures = [];
    for (const change of all)
        try {
            change();
        } catch (failure) {
            failures.push(failure);
        }
    for (const done of waiters.splice(0)) done();
    if (failures.length) throw failures[0];
}
// When nothing is pressed, after its click.
export const released = () => pressed ? new Promise(done => waiters.push(done)) : Promise.resolve();

if (typeof addEventListener === 'function') {
    const isOurs = event => pressed && pressedBy === (event.pointerId ?? event.key);
    for (const type of ['pointerdown', 'keydown']) addEventListener(type, press, true);
    // The click comes next, in the same task: what it does is not to be undone by what waited.
    for (const type of ['pointerup', 'keyup']) addEventListener(type, event => isOurs(event) && setTimeout(release), true);
    for (const type of ['pointercancel', 'dragend']) addEventListener(type, release, true);
    addEventListener('blur', release); // of the window: that of an element does not come up to it
    addEventListener('pointermove', event => isOurs(event) && !event.buttons && event.pointerType === 'mouse' && release(), true);
    addEventListener('click', () => { pressed = null; }, true);
}

// Whether something in `parent` is pressed: then `change`, which would replace it, is called when it is released.
export function isHeld(parent, change) {
    if (!pressed || pressed === parent || !parent.contains(pressed)) {
        waiting.delete(parent);
        return false;
    }
    waiting.set(parent, change);
    return true;
}

// Puts the children of `fresh` in the place of those of `old`, without moving `kept`, somewhere in it: `again` is its
// new form, as deep in `fresh`.
function replaceAround(old, fresh, kept, again) {
    const inside = Array.from(old.childNodes).find(child => child.contains(kept));
    const others = Array.from(fresh.childNodes), at = others.findIndex(child => child.contains(again));
    for (const child of Array.from(old.childNodes)) if (child !== inside) child.remove();
    inside.before(...others.slice(0, at));
    inside.after(...others.slice(at + 1));
    if (inside === kept) {
        fillChoice(kept, Array.from(again.options, ({value, text}) => ({name: value, title: text})), again.value);
        return;
    }
    // The page's policy has no styles in attributes: only scripts may set them.
    const copied = one => Array.from(one.attributes).filter(({name}) => name !== 'style');
    for (const {name} of copied(inside)) inside.removeAttribute(name);
    for (const {name, value} of copied(others[at])) inside.setAttribute(name, value);
    inside.style.cssText = others[at].style.cssText;
    replaceAround(inside, others[at], kept, again);
}
function depthBelow(parent, child) {
    let depth = 0;
    for (; child && child !== parent; child = child.parentNode) depth++;
    return depth;
}

// Replaces the children, when none of them is pressed. A focused child with a data-key passes the focus to the new child
// with the same key; a select stays, since its list may be open, and would close.
export function refill(parent, ...children) {
    if (isHeld(parent, () => refill(parent, ...children))) return;
    const focused = parent.getRootNode().activeElement;
    const key = focused && focused !== parent && parent.contains(focused) && focused.dataset.key;
    const list = children.flat(2).filter(child => child != null && child !== false && child !== '');
    if (key && focused.options) {
        const fresh = make('div', {}, list), again = withKey(fresh, key);
        if (again?.options && depthBelow(fresh, again) === depthBelow(parent, focused)) {
            replaceAround(parent, fresh, focused, again);
            return;
        }
    }
    parent.replaceChildren(...list);
    if (key) withKey(parent, key)?.focus({preventScroll: true});
}
const withKey = (parent, key) => Array.from(parent.querySelectorAll('[data-key]')).find(one => one.dataset.key === key);

// A select, which fillChoice fills with options: names, or {name, title}.
export function choice(title, onchange, attributes) {
    const made = make('select', {title, 'aria-label': title, ...attributes,
        onchange: () => onchange(made.value)});
    return made;
}

export function fillChoice(select, items, current) {
    const options = items.map(item => typeof item === 'string' ? {name: item} : item);
    const same = select.options.length === options.length && options.every((item, i) =>
        select.options[i].value === String(item.name) &&
        select.options[i].text === String(item.title ?? item.name));
    if (!same)
        select.replaceChildren(...options.map(item =>
            make('option', {value: item.name}, String(item.title ?? item.name))));
    if (current != null) select.value = current;
}

export function show(element, visible) {
    if (element.hidden === visible) element.hidden = !visible;
}

// Sets --share, by which the style draws a bar: 0 to 1.
export function share(element, part) {
    element.style.setProperty('--share', Math.max(0, Math.min(1, part || 0)));
    return element;
}

export const emOf = element => parseFloat(getComputedStyle(element).fontSize) || 13;

// A width for names, for a query: in hundredths of the font size, less what letters between pixels take.
export const nameRoom = (element, px) => Math.max(0, Math.floor(100 * (px - 2) / emOf(element)));

// "18.2 %" as 0.182.
export function fraction(percent) {
    return typeof percent === 'number' ? percent : parseFloat(percent) / 100 || 0;
}
