// chips.js - the row below the tools, hidden while it is empty: transforms, searches, the options of a
// comparison, and its legend.

import {button, choice, fileName, fillChoice, make, refill, show, sign} from './dom.js';

const KINDS = ['text', 'regex', 'fuzzy'], SCOPES = ['name', 'file', 'module', 'all'];
const WIDTHS = [['after', 'width: after'], ['before', 'width: before'], ['max', 'width: larger'],
    ['sum', 'width: sum']].map(([name, title]) => ({name, title}));
const DELTAS = [{name: 'self', title: 'color: self'}, {name: 'subtree', title: 'color: subtree'}];
const NORMALIZE = [{name: 'none', title: 'not normalized'}, {name: 'total', title: 'normalized to equal totals'},
    {name: 'duration', title: 'normalized to equal durations'}];
const COLORS = [{name: 'red-blue', title: 'red and blue'}, {name: 'green-red', title: 'green and red'}];

export function makeChips(view) {
    const operations = make('div', {class: 'chip-group', role: 'group', 'aria-label': 'Transforms'});
    const searches = make('div', {class: 'chip-group', role: 'group', 'aria-label': 'Searches'});
    const compare = make('div', {class: 'chip-group', role: 'group', 'aria-label': 'Comparison'});
    const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'Legend'});
    const add = button('+ transform', () => view.editOperation(), {class: 'add'});
    // Undo and redo, with their keys.
    const steps = ['undo', 'redo'].map((name, i) => {
        const {title, keys} = view.actionNamed(name);
        return sign('↶↷'[i], `${title} (${view.keyLabel(keys)})`, () => view.act(name), {class: 'step', 'data-key': name});
    });
    const summary = make('div', {class: 'muted summary'});
    const element = make('section', {class: 'chips', hidden: true,
        'aria-label': 'Transforms, searches and comparison'}, make('div', {class: 'chip-row'}, compare,
        operations, add, ...steps, searches, make('span', {class: 'gap'}), legend), summary);

    // ---- Transforms -------------------------------------------------------------------------------

    // Labels and time ranges are titled as in the menu of time and threads.
    function titleOf({text, title}) {
        const [, key, values] = /^label:(.+?)=(.*)/.exec(text) || [];
        return key ? `${key} ${values.replaceAll(',', ', ')}` : text.startsWith('time:')
            ? `time ${view.core.query('tracks').selected?.text || text.slice(5)}` : title;
    }

    let dragged = -1, shown = [];
    function operationChip(operation, i) {
        return make('span', {
            class: 'chip' + (operation.on ? '' : ' is-off'), draggable: 'true',
            title: [operation.note, operation.text, operation.removed_exact].filter(Boolean).join('\n'),
            ondragstart: event => { dragged = i; event.dataTransfer.setData('text/plain',
                operation.text); },
            ondragover: event => dragged >= 0 && event.preventDefault(),
            ondrop: event => {
                if (dragged < 0) return;
                event.preventDefault();
                event.stopPropagation();
                if (dragged !== i) view.act(`operation-move ${dragged} ${i}`);
                dragged = -1;
            },
            ondragend: () => { dragged = -1; },
        },
        button(operation.title, () => view.act(`operation-toggle ${i}`), {
            'aria-pressed': String(operation.on), 'data-key': `operation-${i}`,
            'aria-label': `${operation.title}, on or off`,
            ondblclick: () => view.editOperation(i, operation.text),
            onkeydown: event => chipKey(event, operation, i),
        }),
        operation.note ? make('span', {class: 'wrong'}, 'matches nothing')
            : operation.removed && make('span', {class: 'muted'}, `−${operation.removed}`),
        sign('×', `Remove ${operation.title}`,
            () => view.act(`operation-remove ${i}`), {'data-key': `operation-remove-${i}`}));
    }
    function chipKey(event, operation, i) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (step && (event.ctrlKey || event.metaKey)) view.act(`operation-move ${i} ${i + step}`);
        else if (event.key === 'F2') view.editOperation(i, operation.text);
        else if (event.key === 'Delete' || event.key === 'Backspace')
            view.act(`operation-remove ${i}`);
        else return;
        event.preventDefault();
    }

    // ---- Searches ---------------------------------------------------------------------------------

    const functionCount = count => `${count.toLocaleString('en')} ${count === 1 ? 'function' : 'functions'}`;
    function searchChip(search, i, isCurrent) {
        const chip = make('span', {class: 'chip' + (search.on === false ? ' is-off' : ''),
            title: search.error || `total ${search.total}, self ${search.self}`},
        make('i', {class: 'swatch'}),
        button(search.text, () => view.act(`search-toggle ${i}`), {
            'aria-pressed': String(search.on !== false), 'data-key': `search-${i}`}),
        !search.error && make('span', {class: 'muted'},
            `${search.total_share} · self ${search.self_share}${search.view_share &&
                search.view_share !== search.total_share ? ` · ${search.view_share} of view` : ''}`),
        !search.error && isCurrent && button(functionCount(search.functions), () => view.showMatches(), {
            class: 'plain', 'data-key': 'matches', 'aria-expanded': String(view.hasMatches())}),
        isCurrent && smallChoice('Kind of search', KINDS, search.kind, 'search-kind'),
        isCurrent && smallChoice('Where to search', SCOPES, search.scope, 'search-scope'),
        isCurrent && sign('Aa', 'Match case', () => view.act('search-case'), {
            'aria-pressed': String(Boolean(search.case)), 'data-key': 'search-case'}),
        isCurrent && sign('+', 'Keep this search and start another', () => view.act('search-add'),
            {'data-key': 'search-add'}),
        sign('×', `Remove the search ${search.text}`, () => view.act(`search-remove ${i}`),
            {'data-key': `search-remove-${i}`}));
        if (search.color) chip.style.setProperty('--swatch', search.color);
        return chip;
    }
    function smallChoice(title, items, current, action) {
        const select = choice(title, value => view.act(`${action} ${value}`), {'data-key': action});
        fillChoice(select, items, current);
        return select;
    }

    // ---- Two profiles -----------------------------------------------------------------------------

    function switchButton(title, action, isOn) {
        return button(title, () => view.act(action), {class: 'switch', 'aria-pressed': String(isOn),
            'data-key': action});
    }
    // The legend switches the parts of the difference on and off; rarely used options are in the menu.
    function comparison({width, color, relative}) {
        return [smallChoice('Width', WIDTHS, width, 'width'),
            smallChoice('Color', DELTAS, color, 'delta'),
            switchButton('relative', 'relative', relative)];
    }
    function comparisonMenu({normalize, normalized, palette, ...tools}) {
        return [make('h3', {}, 'Comparison'),
            make('div', {class: 'buttons'},
                smallChoice('Normalize', NORMALIZE, normalize || (normalized ? 'total' : 'none'),
                    'normalize'),
                smallChoice('Colors', COLORS, palette, 'change-colors'),
                switchButton('Side by side', 'side-by-side', tools.side_by_side),
                switchButton('Color noise', 'noise', tools.noise),
                button('Blink', () => view.act('blink')), button('Swap', () => view.act('swap')))];
    }

    function legendItem(item, i) {
        const swatch = make('i', {class: 'swatch', 'data-texture': item.texture || null});
        if (item.color) swatch.style.setProperty('--swatch', view.isDark() && item.dark || item.color);
        const content = [swatch, fileName(item.title), item.share && make('span', {class: 'muted'}, item.share)];
        const part = view.tools().comparison?.parts.find(({name}) => `parts ${name}` === item.action);
        return item.action ? button(content, () => view.act(item.action), {class: 'plain',
            'aria-pressed': part ? String(part.on) : null, title: item.note || item.title,
            'data-key': `legend-${i}`})
            : make('span', {class: 'legend-item', title: item.note || item.title}, content);
    }

    function update() {
        const {core} = view;
        const chips = core.query('chips'), searchState = core.query('searches'), key = core.query('legend');
        const {comparison: compared} = view.tools();
        const searchesShown = searchState.searches.filter(search => search.text);
        shown = chips.operations.map(operation => ({...operation, title: titleOf(operation)}));
        refill(operations, shown.map(operationChip));
        refill(searches, searchState.searches.map((search, i) => search.text &&
            searchChip(search, i, i === searchState.current)));
        refill(compare, compared ? comparison(compared) : []);
        // Other colors than those of changes are in the status line.
        refill(legend, compared && key.items.some(item => item.action) ? key.items.map(legendItem) : []);
        refill(summary, compared ? [compared.verdict && make('b', {}, compared.verdict),
            [compared.verdict && ' · ', compared.summary].filter(Boolean).join('')] : '');
        summary.title = compared ? [compared.color_key, compared.parts_summary].filter(Boolean).join('\n') : '';
        view.setLegend(compared ? comparisonMenu(compared) : key.items.map(legendItem));
        [chips.can_undo, chips.can_redo].forEach((can, i) => {
            steps[i].disabled = !can;
            show(steps[i], chips.can_undo || chips.can_redo);
        });
        show(element, Boolean(shown.length || searchesShown.length || compared || chips.can_redo));
        view.updateSearch(searchState);
    }
    return {element, update,
        titles: () => shown.filter(({on}) => on).map(({title}) => title).join(', ')};
}
