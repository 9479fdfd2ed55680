// dom.js - elements from JavaScript. Names and files are data: they only ever become text nodes and
// the values of attributes.

// An element; attributes that are functions are listeners (onclick), false and null are left out.
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

export function button(label, onclick, attributes) {
    return make('button', {type: 'button', onclick, ...attributes}, label);
}

// A button that is a sign: `title` is its name, also for those who do not see the sign.
export function sign(label, title, onclick, attributes) {
    return button(label, onclick, {title, 'aria-label': title, ...attributes});
}

// New children; where the focus was in an old one with a data-key, it is in the new one with it.
export function refill(parent, ...children) {
    const focused = parent.getRootNode().activeElement;
    const key = focused && focused !== parent && parent.contains(focused) && focused.dataset.key;
    parent.replaceChildren(...children.flat(2).filter(child => child != null && child !== false &&
        child !== ''));
    if (!key) return;
    const again = Array.from(parent.querySelectorAll('[data-key]')).find(one =>
        one.dataset.key === key);
    if (again) again.focus({preventScroll: true});
}

// A choice of {name, title}: the select, and what it shows.
export function choice(title, onchange, attributes) {
    const made = make('select', {title, 'aria-label': title, ...attributes,
        onchange: () => onchange(made.value)});
    return made;
}

export function fillChoice(select, items, current) {
    const words = items.map(item => typeof item === 'string' ? {name: item} : item);
    const same = select.options.length === words.length && words.every((item, i) =>
        select.options[i].value === String(item.name) &&
        select.options[i].text === String(item.title ?? item.name));
    if (!same)
        select.replaceChildren(...words.map(item =>
            make('option', {value: item.name}, String(item.title ?? item.name))));
    if (current != null) select.value = current;
}

export function show(element, visible) {
    if (element.hidden === visible) element.hidden = !visible;
}

// How long a share is drawn, in its own unit, for a style that asks for --share.
export function share(element, part) {
    element.style.setProperty('--share', Math.max(0, Math.min(1, part || 0)));
    return element;
}

// "18.2 %" as 0.182.
export function fraction(words) {
    return typeof words === 'number' ? words : parseFloat(words) / 100 || 0;
}
