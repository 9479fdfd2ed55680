// panel.js - the details of the selected frame, next to the picture; in a narrow window a sheet below it, which
// shows its first lines until it is opened.

import {button, facts, fraction, make, refill, share, shortName, show, sign} from './dom.js';

// Of a name: what takes three lines.
const PANEL_LETTERS = 96;

// Buttons that are always shown; MORE_ACTIONS are behind "More".
const FIRST_ACTIONS = {focus: 'Focus', hide: 'Hide', sandwich: 'Sandwich', 'copy-stack': 'Copy stack',
    'open-source': 'Open source'};
const MORE_ACTIONS = ['zoom-selected', 'hide-module', 'drop', 'drop-subtree', 'keep', 'prune',
    'collapse-direct', 'collapse-any', 'copy-name', 'copy-folded', 'copy-link'];

// The table of values. Their unit is in the heading: "716 M" below "samples".
function figures(detail) {
    const [first] = detail.values, unitOf = value => value.total?.endsWith(` ${value.unit}`)
        ? value.unit : '';
    const columns = detail.compared ? [['before', 'before'], ['after', 'after'], ['change', 'change']]
        : [['value', first ? unitOf(first) : ''], ['of_view', 'of view'], ['of_parent', 'of parent'],
            ['of_total', 'of total']];
    const head = make('tr', {}, make('td', {}), columns.map(([, title]) =>
        make('th', {scope: 'col'}, title)));
    const bare = (text, unit) => unit && text?.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1)
        : text ?? '';
    const line = (name, cells, value, attributes) => columns.every(([key]) => cells[key] == null) ? null
        : make('tr', attributes, make('th', {scope: 'row'}, name), columns.map(([key]) =>
            make('td', {title: cells[key + '_exact']}, bare(cells[key], value.unit))));
    const rows = detail.values.flatMap((value, i) => {
        const attributes = {class: i === 0 ? null : 'other'};
        return [
            i > 0 && make('tr', attributes, make('th', {scope: 'rowgroup', colspan: columns.length + 1,
                class: 'metric'}, value.name)),
            line(detail.moment?.length ? 'duration' : 'total', {value: value.total, value_exact: value.total_exact,
                of_view: value.of_view, of_parent: value.of_parent, of_total: value.of_total,
                before: value.total_before, after: value.total_after, change: value.total_change},
            value, attributes),
            line('self', {value: value.self, value_exact: value.self_exact,
                of_view: value.self_of_view, of_total: value.self_of_total, before: value.self_before,
                after: value.self_after, change: value.self_change},
            value, attributes),
            i === 0 && occurrences(),
        ];
    });
    // The sum over every place in the tree where the same function is called.
    function occurrences() {
        const {instances} = detail;
        return instances && instances.count > 1 && line(
            `all ${instances.count.toLocaleString('en')} occurrences`, {value: instances.total,
                of_view: instances.of_view, of_total: instances.of_total}, first);
    }
    return make('table', {class: 'figures'}, make('thead', {}, head),
        make('tbody', {}, rows.filter(Boolean)));
}

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
    // end, or in the middle of the list.
    function frames(title, items, count = items?.length, isMiddle = false) {
        if (!items || !items.length) return null;
        const more = Number(String(count).replaceAll(',', '')) - items.length;
        const rest = more > 0 && make('li', {class: 'muted'}, `${more.toLocaleString('en')} more`);
        const half = isMiddle ? items.length >> 1 : items.length;
        const list = items.map((item, i) => make('li', {}, share(button(
                [make('span', {class: 'cut'}, item.title), make('span', {class: 'number'},
                    item.share ?? '')],
                () => view.act(`select ${item.node}`),
                {onpointerenter: () => view.point(`hover-node ${item.node}`),
                    onpointerleave: () => view.point('hover-none'), title: item.value ? `${item.title}: ${item.value}` : item.title,
                    'data-key': title + i}), fraction(item.share))));
        return make('section', {}, make('h3', {}, title), make('ul', {class: 'frames'},
            list.slice(0, half), rest, list.slice(half)));
    }

    function actionButton(name) {
        const action = view.actionNamed(name);
        return action && button(FIRST_ACTIONS[name] || action.title, () => view.act(name), {
            'data-key': name,
            title: action.keys ? `${action.title} (${view.keyLabel(action.keys)})` : action.title});
    }

    function actions(detail) {
        const first = Object.keys(FIRST_ACTIONS).filter(name => name !== 'open-source' || detail.file);
        return make('section', {class: 'actions'}, first.map(actionButton),
            make('details', {}, make('summary', {}, 'More'), MORE_ACTIONS.map(actionButton)));
    }

    let isWhole = false, named = '';
    function update() {
        const detail = view.core.query('detail');
        const wasOpen = body.querySelector('details')?.open;
        if (detail) {
            const name = detail.title || detail.name, short = shortName(name, PANEL_LETTERS);
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
                    ? make('a', {href: safeLink(detail.link), target: '_blank', rel: 'noopener'},
                        where[0]) : where[0]),
                detail.address && make('div', {class: 'muted mono'}, detail.address),
                facts(detail.moment),
                figures(detail),
                detail.note && make('p', {class: 'note'}, detail.note),
                detail.merged && frames(`${detail.merged.count} narrow frames, ${detail.merged.share}`,
                    detail.merged.items, detail.merged.count),
                detail.sure && make('section', {}, make('h3', {}, 'Significance'),
                    make('table', {class: 'facts'}, detail.sure.map(({name, value}) => make('tr', {},
                        make('th', {scope: 'row'}, name), make('td', {}, value))))),
                frames('Calls', detail.calls, detail.calls_count),
                frames('Called by', detail.callers, detail.callers_count),
                !detail.merged && actions(detail), frames('Stack', detail.stack,
                    detail.stack?.length + detail.stack_hidden, true));
            if (wasOpen) body.querySelector('details').open = true;
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
