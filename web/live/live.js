// live.js - what only the page of a running program has (flamel view --live): the profile is renewed, and tables
// of what the program measures stand beside the picture, with a chart of each rate over the last minutes.
//
// It is a script of its own, in that page alone, so that a page of one file does not carry it. page.js calls it with
// the viewer and what it uses of the other scripts.

globalThis.flamelLive = ({viewer, name, side, url, make, button, refill, released}) => {
    const RENEWED_MS = 1000, KEPT_MS = 5 * 60 * 1000, MOST_ROWS = 100;
    const {view} = viewer, dockStyle = new CSSStyleSheet();
    let isFrozen = false, isOver = false, isOpen = true, tab = null, found = null, selected = null;
    const sorts = new Map(), histories = new Map();

    dockStyle.replaceSync(`
.flamel .live-place { flex: none }
.flamel .tools .file { flex: none; max-width: 24em }
.flamel .live { padding: 0 8px; border-color: var(--accent); color: var(--accent) }
.flamel .live[aria-pressed=true], .flamel .live:disabled { border-color: var(--line); color: var(--muted) }
.flamel .live-row { flex: 1; min-height: 0; display: flex; flex-direction: column }
.flamel .dock { flex: none; height: 42%; min-height: 0; display: flex; flex-direction: column; background: var(--panel);
    border-top: 1px solid var(--line) }
.flamel .dock.is-closed { height: auto }
.flamel .dock.is-closed > :not(.dock-bar) { display: none }
.flamel .dock-bar { flex: none; display: flex; align-items: center; gap: 2px; padding: 3px 12px; min-height: 34px;
    border-bottom: 1px solid var(--line) }
.flamel .dock.is-closed .dock-bar { border: 0 }
.flamel .dock-tabs { flex: 1; display: flex; gap: 2px; overflow-x: auto; scrollbar-width: none }
.flamel .dock-tabs button { flex: none; color: var(--muted); padding: 3px 10px }
.flamel .dock-tabs [aria-selected=true] { color: var(--accent); background: var(--chip) }
.flamel .dock-tabs .is-empty { opacity: .6 }
.flamel .dock-chart { flex: none; padding: 8px 12px 6px; border-bottom: 1px solid var(--line); display: flex; gap: 12px;
    align-items: center }
.flamel .dock-chart svg { flex: 1; min-width: 0; height: 56px; display: block; border-bottom: 1px solid var(--line) }
.flamel .dock-chart div { flex: 0 1 26em; min-width: 8em; overflow: hidden }
.flamel .dock-chart b { font-weight: 500; display: block }
.flamel .dock-scroll { flex: 1; min-height: 0; overflow: auto; overscroll-behavior: contain;
    background: linear-gradient(to left, var(--panel) 16px, transparent) right / 40px 100% no-repeat local,
        linear-gradient(to left, var(--line), transparent) right / 20px 100% no-repeat var(--panel) }
.flamel .dock-scroll p { padding: 12px }
.flamel .dock table { width: auto; min-width: 100% }
.flamel .dock th, .flamel .dock td { padding: 2px 10px; text-align: right; white-space: nowrap; font-weight: 400 }
.flamel .dock td { height: 24px; border-bottom: 1px solid var(--line) }
.flamel .dock thead th { position: sticky; top: 0; z-index: 1; background: var(--panel); padding: 0 2px }
.flamel .dock thead button { color: var(--muted); font-size: 12px; padding: 2px 8px; white-space: nowrap }
.flamel .dock .drawn { padding: 0 8px; font-size: 12px }
.flamel .dock thead [aria-sort] button { color: var(--accent) }
.flamel .dock tbody th { position: sticky; left: 0; background: var(--panel); text-align: left; padding: 0 2px;
    border-bottom: 1px solid var(--line); height: 24px }
.flamel .dock thead th:first-child { left: 0; z-index: 2; text-align: left }
.flamel .dock tbody button { display: block; width: 100%; max-width: min(44em, 38vw); min-height: 24px; padding: 0 10px;
    text-align: left; border-radius: 3px }
.flamel .dock .text { text-align: left; color: var(--muted) }
.flamel .dock .rate { color: var(--accent) }
.flamel .dock .spark { width: 120px; height: 18px; display: block }
.flamel .dock path { fill: none; stroke: var(--accent); stroke-width: 1.25; vector-effect: non-scaling-stroke;
    stroke-linejoin: round }
.flamel .dock .area { fill: var(--accent); stroke: none; opacity: .14 }
@container (min-width: 1700px) {
    .flamel .live-row { flex-direction: row }
    .flamel .live-row > .main { flex: 1 1 56% }
    .flamel .dock { flex: 0 1 44%; height: auto; min-width: 0; border: 0; border-left: 1px solid var(--line) }
    .flamel .dock.is-closed { flex: none; align-self: flex-start }
    .flamel .dock tbody button { max-width: 24em }
}
@container (max-width: 700px) {
    .flamel .dock { height: 46% }
    .flamel .dock-bar { padding: 3px 6px }
    .flamel .dock .spark { width: 70px }
    .flamel .dock td:has(> .spark), .flamel .dock th:has(> .drawn) { display: none }
    .flamel .dock tbody button { max-width: 46vw }
    .flamel .dock-chart { flex-direction: column; align-items: stretch; gap: 2px }
    .flamel .dock-chart div { flex: none }
    .flamel .dock-chart svg { flex: none; height: 40px }
}
.flamel { container-type: inline-size }
@media print { .flamel .dock { display: none } }
`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, dockStyle];

    // ---- What the server says ---------------------------------------------------------------------

    async function ask(what) {
        const response = await fetch(url, {method: 'POST', body: what}).catch(() => {
            throw new Error('there is no answer: is flamel view still running?');
        });
        if (!response.ok) throw new Error(await response.text() || `the server says ${response.status}`);
        return response;
    }

    // ---- Histories ----------------------------------------------------------------------------------

    // Of a rate, of a value as it is, and of the length of a queue; of sums and means they tell little.
    const hasHistory = column => column.rate || column.name === 'last' || column.name === 'length';
    const keyOf = (section, row, column) => [section.name, row.key, column.name].join('\n');

    function remember({at, sections}) {
        const least = at - KEPT_MS;
        for (const section of sections) for (const row of section.rows) section.columns.forEach((column, i) => {
            if (!hasHistory(column) || row.values[i] == null) return;
            const key = keyOf(section, row, column), points = histories.get(key) ?? [];
            points.push([at, row.values[i], row.cells[i]]);
            while (points[0][0] < least) points.shift();
            histories.set(key, points);
        });
        for (const [key, points] of histories) if (points.at(-1)[0] < least) histories.delete(key);
    }

    // The column that a section is drawn by: the one that it is sorted by, or the first that has a history.
    function drawnColumn(section) {
        const sorted = section.columns.find(column => column.name === sorts.get(section.name)?.name);
        return sorted && hasHistory(sorted) ? sorted : section.columns.find(column => column.name === 'last') ??
            section.columns.find(hasHistory);
    }

    // "calls/s", "total now": a column with a rate follows the column of its sum, and is named after it.
    const labelOf = (section, column) => {
        const sum = section.columns[section.columns.indexOf(column) - 1]?.title;
        return column.rate && sum ? sum + (column.title === 'now' ? ' now' : column.title) : column.title || column.name;
    };

    const svg = (tag, attributes, ...children) => {
        const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
        for (const key in attributes) made.setAttribute(key, attributes[key]);
        made.append(...children);
        return made;
    };
    // Of the last five minutes, or as long as there are points; from 0, or from the least where that is below.
    function chart(points, attributes) {
        const WIDTH = 300, HEIGHT = 40;
        const made = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', ...attributes});
        if (!points || points.length < 2) return made;
        const first = points[0][0], last = points.at(-1)[0], span = Math.max(last - first, 30000);
        const values = points.map(([, value]) => value);
        const bottom = Math.min(...values, 0), top = Math.max(...values, bottom + 1e-9), height = top - bottom;
        const line = points.map(([at, value]) => `${(WIDTH - (last - at) / span * WIDTH).toFixed(1)} ${
            (1 + (top - value) / height * (HEIGHT - 2)).toFixed(1)}`).join('L');
        const start = (WIDTH - (last - first) / span * WIDTH).toFixed(1);
        made.append(svg('path', {class: 'area', d: `M${start} ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z`}),
            svg('path', {d: `M${line}`}));
        return made;
    }

    // ---- The dock -----------------------------------------------------------------------------------

    const tabs = make('div', {class: 'dock-tabs', role: 'tablist', 'aria-label': 'What it measures'});
    const fold = button('▾', () => {
        isOpen = !isOpen;
        dock.classList.toggle('is-closed', !isOpen);
        fold.textContent = isOpen ? '▾' : '▴';
        fold.title = isOpen ? 'Close the tables' : 'Open the tables';
        fold.setAttribute('aria-label', fold.title);
        fold.setAttribute('aria-expanded', String(isOpen));
    }, {class: 'square', title: 'Close the tables', 'aria-label': 'Close the tables', 'aria-expanded': 'true'});
    const drawn = make('div', {class: 'dock-chart', hidden: true});
    const scroll = make('div', {class: 'dock-scroll', role: 'tabpanel'});
    const dock = make('section', {class: 'dock', 'aria-label': 'Live tables'},
        make('div', {class: 'dock-bar'}, tabs, fold), drawn, scroll);
    const main = viewer.element.querySelector('.main'), row = make('div', {class: 'live-row'});
    main.replaceWith(row);
    row.append(main, dock);
    // Keys are those of the viewer but where something of the dock takes them.
    dock.addEventListener('keydown', event => {
        if (event.target.role === 'tab' && /^Arrow(Left|Right)$/.test(event.key)) {
            const all = [...tabs.children], at = all.indexOf(event.target) + (event.key === 'ArrowLeft' ? -1 : 1);
            all.at(at % all.length).click();
            tabs.querySelector('[aria-selected=true]').focus();
        }
        if (/^(Arrow|Page|Home|End)/.test(event.key)) event.stopPropagation();
    });

    function updateTabs(shown) {
        refill(tabs, found.sections.map(section => button(section.title, () => {
            tab = section.name;
            selected = null;
            scroll.scrollTo(0, 0);
            update();
        }, {role: 'tab', 'data-key': section.name, 'aria-selected': String(section === shown),
            tabindex: section === shown ? 0 : -1, class: section.rows.length ? null : 'is-empty'})));
    }
    function sortedRows(section) {
        const {name, isReversed} = sorts.get(section.name) ?? {};
        const at = section.columns.findIndex(column => column.name === name);
        if (at < 0 && name !== '') return section.rows;
        const order = name === '' ? (a, b) => a.name.localeCompare(b.name)
            : (a, b) => (b.values[at] ?? -Infinity) - (a.values[at] ?? -Infinity);
        const rows = [...section.rows].sort(order);
        return isReversed ? rows.reverse() : rows;
    }
    function heading(section, column, title) {
        const sort = sorts.get(section.name), isSorted = sort?.name === column;
        return make('th', {scope: 'col', 'aria-sort': isSorted ? (sort.isReversed ? 'ascending' : 'descending') : null},
            button(title + (isSorted ? sort.isReversed ? ' ▲' : ' ▼' : ''), () => {
                sorts.set(section.name, {name: column, isReversed: isSorted && !sort.isReversed});
                update();
            }, {'data-key': `sort ${column}`}));
    }
    function updateTable(section) {
        if (!section.rows.length) return refill(scroll, make('p', {class: 'muted'}, section.sentence));
        const column = drawnColumn(section), rows = sortedRows(section);
        const head = make('tr', {}, heading(section, '', section.heading), column && make('th', {scope: 'col',
            class: 'text'}, make('span', {class: 'drawn'}, labelOf(section, column))),
        section.columns.map(({name, title}) => heading(section, name, title || name)));
        const body = rows.slice(0, MOST_ROWS).map(one => make('tr', {},
            make('th', {scope: 'row'}, button(one.name, () => {
                selected = selected === one.key ? null : one.key;
                update();
            }, {class: 'cut', title: one.name, 'data-key': one.key, 'aria-pressed': String(one.key === selected)})),
            column && make('td', {class: 'text'}, chart(histories.get(keyOf(section, one, column)),
                {class: 'spark', 'aria-hidden': 'true'})),
            section.columns.map(({rate, text}, i) => make('td', {class: text ? 'text' : rate ? 'rate' : null},
                one.cells[i]))));
        const {scrollTop, scrollLeft} = scroll, more = section.more + Math.max(0, rows.length - MOST_ROWS);
        refill(scroll, make('table', {}, make('thead', {}, head), make('tbody', {}, body)),
            more > 0 && make('p', {class: 'muted'}, `${more.toLocaleString('en')} more`));
        scroll.scrollTo(scrollLeft, scrollTop);
    }
    // The selected row, larger.
    function updateChart(section) {
        const one = section.rows.find(row => row.key === selected), column = one && drawnColumn(section);
        drawn.hidden = !column;
        if (!column) return;
        const points = histories.get(keyOf(section, one, column)) ?? [];
        const most = points.reduce((a, b) => b[1] > a[1] ? b : a, points[0]);
        const seconds = points.length > 1 ? Math.round((points.at(-1)[0] - points[0][0]) / 1000) : 0;
        const span = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
        refill(drawn, make('div', {}, make('b', {class: 'cut', title: one.name}, one.name),
            make('span', {class: 'muted'}, points.length > 1 ? `${labelOf(section, column)}: ${points.at(-1)[2]} now, ${
                most[2]} at most in ${span}` : 'its history begins now')),
        chart(points, {role: 'img', 'aria-label': `${labelOf(section, column)} of the last ${span}`}));
    }
    function update() {
        // Until one is chosen it is the first with rows: a program without scopes has none in the first.
        const section = found.sections.find(one => one.name === tab) ??
            found.sections.find(one => one.rows.length) ?? found.sections[0];
        if (section.rows.length) tab = section.name;
        updateTabs(section);
        updateChart(section);
        updateTable(section);
    }

    // ---- Every second -------------------------------------------------------------------------------

    // Selection, zoom, searches and tables stay. Nothing is asked for while nobody sees the page, while it is frozen;
    // and no profile in the view of code, whose lines would move.
    const state = button('', () => {
        isFrozen = !isFrozen;
        updateState();
    }, {class: 'live', 'aria-live': 'off'});
    viewer.element.querySelector('.tools').prepend(make('span', {class: 'live-place'}, state));
    function updateState(text = isFrozen ? 'frozen' : 'live') {
        state.textContent = text;
        state.disabled = isOver;
        state.title = isOver ? 'This is what it measured until then' : isFrozen ? 'Renew it every second again'
            : `Renewed every second: click to freeze${found ? `\n${found.status}` : ''}`;
        state.setAttribute('aria-pressed', String(isFrozen));
    }
    async function renew() {
        if (!isFrozen && document.visibilityState === 'visible') {
            try {
                const sections = await (await ask('sections')).json();
                if (!isFrozen) {
                    found = {...sections, at: performance.now()};
                    remember(found);
                    update();
                    updateState();
                }
                if (view.tools().view !== 'code') {
                    const bytes = new Uint8Array(await (await ask('profile')).arrayBuffer());
                    await released(); // what is pressed acts on the rows that were seen
                    if (!isFrozen) viewer.open(bytes, name, side);
                }
            } catch (error) {
                isOver = true;
                view.notify(error.message, true);
                return updateState('ended');
            }
        }
        setTimeout(renew, RENEWED_MS);
    }
    updateState();
    renew();
};
