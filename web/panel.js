// panel.js - the details of the selected frame, next to the picture; in a narrow window a sheet below it, which
// shows its first lines until it is opened.

import {button, emOf, facts, fraction, make, nameRoom, refill, share, show, sign} from './dom.js';
import {addGlyphs} from './glyphs.js';
import {notesOf} from './share/notes.js';

// The tables of values: of the shown metric, and of others, which have their name above. Their unit is in the
// heading: "716" below "ms".
const COMPARED = [['before', 'before'], ['after', 'after'], ['change', 'change']];
const SHARES = [['of_view', 'of view'], ['of_parent', 'of parent'], ['of_total', 'of total']];

// "82.2 M" of "82.2 M samples", where the unit is in the heading: three columns with words are wider than the panel.
function bare(value, text) {
    return value.unit && text?.endsWith(` ${value.unit}`) ? text.slice(0, -value.unit.length - 1) : text;
}
function valueRows(value, isCompared, totalName = 'total') {
    const columns = isCompared ? COMPARED : [['value'], ...SHARES];
    const line = (name, cells) => columns.every(([key]) => cells[key] == null) ? null
        : make('tr', {}, make('th', {scope: 'row'}, name), columns.map(([key]) =>
            make('td', {title: cells[key + '_exact']}, bare(value, cells[key]) ?? '')));
    return [
        line('self', {value: value.self_number, value_exact: value.self_exact, of_view: value.self_of_view,
            of_total: value.self_of_total, before: value.self_before, after: value.self_after,
            change: value.self_change}),
        line(totalName, {value: value.number, value_exact: value.total_exact, of_view: value.of_view,
            of_parent: value.of_parent, of_total: value.of_total, before: value.total_before,
            after: value.total_after, change: value.total_change}),
    ];
}

// The sum over every place in the tree where the same function is called.
function occurrences({instances, compared}) {
    return instances?.count > 1 && !compared && make('p', {class: 'muted occurrences'},
        `all ${instances.count.toLocaleString('en')} occurrences `, make('b', {}, instances.number),
        ` · ${instances.of_total} of total`);
}

function figures(values, isCompared, hasNames, totalName) {
    const columns = isCompared ? COMPARED : [['value', values[0].shown_unit], ...SHARES];
    const unit = isCompared && !hasNames && values[0].total_after?.endsWith(` ${values[0].unit}`) ? values[0].unit : '';
    const head = make('tr', {}, unit ? make('th', {scope: 'col'}, unit) : make('td', {}), columns.map(([key, title]) =>
        make('th', {scope: 'col'}, key === 'value' && hasNames ? '' : title)));
    return make('table', {class: 'figures'}, make('thead', {}, head), values.map(value => make('tbody', {},
        hasNames && make('tr', {}, make('th', {scope: 'rowgroup', colspan: columns.length + 1, class: 'metric'},
            value.name === value.shown_unit ? value.name : `${value.name}, ${value.shown_unit}`)),
        valueRows(value, isCompared, totalName))));
}

// Other metrics than the shown one: folded where they would take the panel.
function otherFigures(detail, isOpen) {
    const others = detail.values.slice(1);
    if (!others.length) return null;
    const table = figures(others, detail.compared, true);
    return make('section', {}, others.length > 3
        ? make('details', {class: 'others', open: isOpen}, make('summary', {}, `${others.length} other metrics`),
            table)
        : [make('h3', {}, others.length > 1 ? 'Other metrics' : 'Another metric'), table]);
}

// What it costs each thread, and each process where there are several.
function threads(detail) {
    if (!detail.threads?.length) return null;
    const title = detail.unit ? `(${detail.unit})` : '';
    const rest = detail.threads_hidden > 0 && make('tr', {}, make('td', {class: 'muted', colspan: 4},
        `${detail.threads_hidden.toLocaleString('en')} more`));
    const isGrouped = detail.threads.some(one => one.process);
    return make('section', {}, make('h3', {}, isGrouped ? 'Processes and threads' : 'Threads'),
        make('table', {class: 'figures threads'}, make('thead', {}, make('tr', {}, make('td', {}),
            ['self', 'total', '%'].map(name => make('th', {scope: 'col',
                title: name === '%' ? 'of its total in all threads' : `${name} ${title}`}, name)))),
        make('tbody', {}, detail.threads.map(({title, self, total, share, process}) => make('tr',
            {class: process ? 'process' : isGrouped ? 'thread' : null},
            make('th', {scope: 'row', class: 'cut', title}, title),
            [self, total, share].map(text => make('td', {}, text)))), rest)));
}

// Of callers and callees, before more are asked for.
const MOST_SHOWN = 6;

export function makePanel(view) {
    const body = make('div', {class: 'panel-body'});
    const matches = make('div', {class: 'panel-matches', hidden: true});
    const toggle = sign('', 'More of this frame', () => view.showDetails(!isTall()),
        {class: 'grip', 'aria-expanded': 'false'});
    const element = make('aside', {class: 'panel', 'aria-label': 'Details', hidden: true}, toggle,
        sign('×', 'Close the details', close, {class: 'close'}), matches, body);

    const isTall = () => element.classList.contains('is-tall');
    function setTall(tall) {
        element.classList.toggle('is-tall', tall);
        toggle.setAttribute('aria-expanded', String(tall));
    }
    function close() {
        if (!matches.hidden) return view.showMatches(false);
        view.act('escape');
        view.focusPicture();
    }

    // A list of `items`, which may be only some of `count` frames. The number of the others is shown at the
    // end, or in the middle of the list. `most`: so many are shown until the others are asked for.
    const wholeLists = {};
    function frames(title, all, count = all?.length, isMiddle = false, most = Infinity) {
        if (!all || !all.length) return null;
        const items = wholeLists[title] ? all : all.slice(0, most);
        const more = Number(String(count).replaceAll(',', '')) - items.length;
        const moreText = `${more.toLocaleString('en')} more`;
        const rest = more > 0 && make('li', {class: 'muted'}, all.length > items.length
            ? button(moreText, () => { wholeLists[title] = true; update(); }, {'data-key': `${title} more`})
            : moreText);
        const hasShare = items.some(item => item.share != null);
        const half = isMiddle ? items.length >> 1 : items.length;
        const list = items.map((item, i) => make('li', {}, share(button(
                [make('span', {class: 'cut'}, item.shown ?? item.title),
                    hasShare && make('span', {class: 'number'}, item.share ?? '')],
                () => view.act(item.node == null ? `select-frame ${item.frame}` : `select ${item.node}`),
                {onpointerenter: () => view.point(item.node == null ? `hover-frame ${item.frame}`
                    : `hover-node ${item.node}`),
                    onpointerleave: () => view.point('hover-none'), title: item.value ? `${item.title}: ${item.value}` : item.title,
                    'data-key': title + i}), fraction(item.share))));
        return make('section', {}, make('h3', {}, title), make('ul', {class: 'frames'},
            list.slice(0, half), rest, list.slice(half)));
    }

    // Those with a short title are always shown.
    function actions(all) {
        const one = item => button(item.button || item.title, () => view.act(item.action), {'data-key': item.action,
            title: item.keys ? `${item.title} (${view.keyLabel(item.keys)})` : item.title});
        return make('section', {class: 'actions'}, all.filter(item => item.button).map(one),
            make('details', {}, make('summary', {}, 'More'), all.filter(item => !item.button).map(one)));
    }

    // Names have the width of the panel, or what numbers leave of it.
    const NUMBER_EM = 4.6, GAP_PX = 10;
    let isWhole = false, named = '', width = 0;
    function ask() {
        width = body.clientWidth;
        const ask = () => view.core.query(`detail ${nameRoom(body, width)} ${nameRoom(body, width - GAP_PX -
            NUMBER_EM * emOf(body))}`);
        const detail = ask();
        return addGlyphs(view.core) ? ask() : detail;
    }
    new ResizeObserver(() => body.clientWidth !== width && update()).observe(element);
    function update() {
        // It is not seen beside code (page.css), which does not wait for it; another view asks again.
        if (view.tools().view === 'code') return;
        const detail = ask();
        const isOpen = where => Boolean(body.querySelector(where)?.open);
        const wasOpen = isOpen('.actions details'), hadOthers = isOpen('.others');
        if (detail) {
            const name = detail.title || detail.name, short = detail.shown ?? name;
            if (named !== detail.name) isWhole = false;
            named = detail.name;
            const title = make('h2', {title: detail.name, class: isWhole ? 'is-whole' : null,
                tabindex: isWhole ? 0 : null}, isWhole ? name : short); // it scrolls
            const whole = short !== name && button('Whole name', () => {
                isWhole = !isWhole;
                update();
            }, {class: 'whole', 'data-key': 'whole-name', 'aria-expanded': String(isWhole)});
            const where = [detail.file && (detail.line ? `${detail.file}:${detail.line}` : detail.file)];
            refill(body,
                title, whole,
                make('div', {class: 'muted'}, [detail.module, detail.kind].filter(Boolean).join(' · ')),
                where[0] && make('div', {class: 'muted'}, detail.link
                    ? make('a', {href: safeLink(detail.link), target: '_blank', rel: 'noopener',
                        onclick: event => view.isShown(detail) && event.preventDefault()}, where[0]) : where[0]),
                detail.address && make('div', {class: 'muted mono'}, detail.address),
                facts(detail.moment),
                figures(detail.values.slice(0, 1), detail.compared, false, detail.moment?.length ? 'duration' : 'total'),
                occurrences(detail),
                detail.note && make('p', {class: 'note'}, detail.note),
                notesOf(view, detail),
                detail.moment?.length > 0 && detail.callers_count > 0 && make('p', {class: 'muted'},
                    `Callers, callees and threads: by ${view.tools().metric}, at all times`),
                detail.merged && frames(`${detail.merged.count} narrow frames, ${detail.merged.share}`,
                    detail.merged.items, detail.merged.count),
                frames('Callers', detail.callers, detail.callers_count, false, MOST_SHOWN),
                frames('Callees', detail.calls, detail.calls_count, false, MOST_SHOWN),
                otherFigures(detail, hadOthers), !detail.merged && actions(detail.actions), threads(detail),
                frames('Stack', detail.stack, detail.stack?.length + detail.stack_hidden, true));
            if (wasOpen) body.querySelector('.actions details').open = true;
        }
        show(body, Boolean(detail));
        view.panelWanted(Boolean(detail) || !matches.hidden);
    }

    // Shows the list of the functions that the current search matches, above the details; null hides it.
    function setMatches(list) {
        refill(matches, list ? [make('h3', {}, 'Matches'), list] : []);
        show(matches, Boolean(list));
        view.panelWanted(!body.hidden || Boolean(list));
    }

    show(body, false);
    function openSource() {
        const detail = view.core.query('detail'), link = detail?.link && safeLink(detail.link);
        if (detail?.file && view.isShown(detail)) return;
        if (link) window.open(link, '_blank', 'noopener');
        else view.notify(detail?.file ? `${detail.file}${detail.line ? ':' + detail.line : ''}`
            : 'the profile has no source file for this frame');
    }
    return {element, update, openSource, setTall, setMatches, hasMatches: () => !matches.hidden,
        hasDetail: () => !body.hidden};
}

// The link of the source template, unless it would run a script.
function safeLink(link) {
    return /^(javascript|data|vbscript):/i.test(link.trim()) ? null : link;
}
