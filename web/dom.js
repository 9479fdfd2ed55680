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
        make('th', {scope: 'row'}, name), make('td', {}, value))));
}

export function button(label, onclick, attributes) {
    return make('button', {type: 'button', onclick, ...attributes}, label);
}

// A button with an icon or a symbol: `title` is its name, for the tooltip and for screen readers.
export function sign(label, title, onclick, attributes) {
    return button(label, onclick, {title, 'aria-label': title, ...attributes});
}

// Replaces the children. A focused child with a data-key passes the focus to the new child with the same key.
// A long name without its middle: what it begins with, and the function at its end.
export function shortName(name, most) {
    return name.length <= most ? name : `${name.slice(0, most >> 1)} … ${name.slice(-(most >> 1))}`;
}

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
