// tables.js - tables of any length: only the visible rows exist, and they are requested when they are scrolled
// into view. One is the top table, one the call tree, one lists the functions that a search matches.

import {isRightClick} from './canvas.js';
import {fraction, make, refill, share} from './dom.js';

const ROW_PX = 24, SPARE_ROWS = 8;
// Browsers limit the height of an element to about 33 million pixels. In a longer table, a pixel of the
// scrollbar stands for several rows.
const MAX_HEIGHT_PX = 15e6;

const numberColumn = (key, title, sort) => ({key, title, sort, isNumber: true});
const shareColumn = (key, title) => ({key, title, isNumber: true, isShare: true});
const beforeColumns = [numberColumn('before', 'Before'), numberColumn('change', 'Change', 'change')];

const SHAPES = {
    top: {
        label: 'Functions', role: 'grid', query: 'top',
        columns: [numberColumn('self', 'Self', 'self'), shareColumn('self_share', '% self'),
            numberColumn('total', 'Total', 'total'), shareColumn('total_share', '% total'), ...beforeColumns,
            {key: 'title', title: 'Function', sort: 'name', isName: true, isNumber: false},
            {key: 'module', title: 'Module', sort: 'module', isModule: true,
                isNumber: false}],
    },
    tree: {
        label: 'Call tree', role: 'treegrid', query: 'tree',
        columns: [numberColumn('total', 'Total', 'total'), shareColumn('total_share', '% total'),
            numberColumn('self', 'Self', 'self'), ...beforeColumns,
            {key: 'title', title: 'Function', sort: 'name', isName: true, isNumber: false},
            {key: 'module', title: 'Module', isModule: true}],
    },
    list: {
        label: 'Matching functions', role: 'grid', query: 'list',
        columns: [{key: 'title', title: 'Function', isName: true}, shareColumn('total_share', '% total')],
    },
};

// Widths of columns, and the order in which they are dropped where there is no room for all. The name and
// the column that the table is sorted by always stay. The panel and the tooltip have the values of the others.
const NAME_EM = 12, GAP_EM = 0.8;
const emOf = column => column.isName ? NAME_EM : column.isModule ? 14 : column.isShare ? 5.5 : 7;
const OPTIONAL = ['module', 'self_share', 'before', 'total_share', 'self', 'total'];

export function makeTable(view, shapeName) {
    const shape = SHAPES[shapeName];
    const head = make('div', {class: 'table-head', role: 'row', 'aria-rowindex': 1});
    const rows = make('div', {class: 'table-rows', role: 'presentation'});
    const spacer = make('div', {class: 'table-space', role: 'presentation'}, rows);
    const scroller = make('div', {class: 'table-scroll', role: 'rowgroup', tabindex: -1}, spacer);
    const element = make('div', {class: `table table-${shapeName}`, role: shape.role, tabindex: 0,
        'aria-label': shape.label}, make('div', {role: 'rowgroup'}, head), scroller);
    const known = new Set();
    let count = 0, first = 0, table = null, drawn = '', current = 0, columns = [];

    const seenRows = () => Math.ceil(scroller.clientHeight / ROW_PX) || 1;
    const factor = () => Math.max(1, count * ROW_PX / MAX_HEIGHT_PX);
    const firstSeen = () => Math.floor(scroller.scrollTop * factor() / ROW_PX);

    function fitting(all) {
        let rest = all;
        const em = parseFloat(getComputedStyle(element).fontSize) || 13;
        const isWide = () => rest.reduce((sum, column) => sum + Math.min(emOf(column), NAME_EM) + GAP_EM, 2) * em >
            element.clientWidth;
        for (const key of OPTIONAL)
            if (isWide()) rest = rest.filter(column => column.key !== key || key === table.sort);
        return rest;
    }

    function sortTitle(column) {
        return table.sort === column.sort ? (table.down === false ? 'ascending' : 'descending') : 'none';
    }

    // A second click reverses the order. Numbers begin with the largest, names with A.
    const isReversed = column => table.sort === column.sort && table.down === column.isNumber;

    function fillHead() {
        refill(head, columns.map(column => make('div', {
            role: 'columnheader', class: cellClass(column),
            'aria-sort': column.sort && table.sort ? sortTitle(column) : null,
        }, column.sort && table.sort
            ? make('button', {type: 'button', 'data-key': column.sort, tabindex: -1,
                onclick: () => view.act(`sort ${isReversed(column) ? '-' : ''}${column.sort}`)},
            column.title)
            : column.title)));
    }

    function cellClass(column) {
        return column.isName ? 'name' : column.isModule ? 'module muted' : column.isShare
            ? 'share' : 'number';
    }

    function nameCell(row) {
        if (row.level == null) return row.title;
        const twig = row.open == null ? make('span', {class: 'twig'})
            : make('button', {type: 'button', class: 'twig', tabindex: -1,
                'aria-label': row.open ? 'Close' : 'Open',
                onclick: event => { event.stopPropagation(); view.act(`open-node ${row.node}`); },
            }, row.open ? '▾' : '▸');
        const cell = make('span', {class: 'level'}, twig, row.title);
        cell.style.setProperty('--level', row.level);
        return cell;
    }

    const pick = row => row.frame == null ? `select ${row.node}` : `select-frame ${row.frame}`;
    const point = row => row.frame == null ? `hover-node ${row.node}` : `hover-frame ${row.frame}`;

    function makeRow(row, index) {
        const isCurrent = index === current;
        return make('div', {
            role: 'row', id: `${element.id || shapeName}-row-${index}`, 'aria-rowindex': index + 2,
            class: ['row', row.on && 'is-on', row.hovered && 'is-hovered', isCurrent && 'is-current'].filter(Boolean).join(' '),
            'data-match': row.match >= 0 ? row.match : null, 'aria-selected': String(Boolean(row.on)),
            'aria-level': row.level == null ? null : row.level + 1,
            'aria-expanded': row.open == null ? null : String(row.open),
            'aria-setsize': row.set_size, 'aria-posinset': row.position,
            onpointerenter: event => event.pointerType === 'mouse' && view.point(point(row)),
            onclick: () => { current = index; view.act(pick(row)); },
            ondblclick: () => view.act('zoom-selected'),
            oncontextmenu: event => {
                event.preventDefault();
                if (!isRightClick(event) && event.pointerType !== 'touch') return;
                current = index;
                if (view.act(pick(row))) view.openMenu({x: event.clientX, y: event.clientY});
            },
        }, columns.map(column => share(make('div', {
            role: 'gridcell', class: cellClass(column), title: column.isName ? row.title : null,
        }, column.isName ? nameCell(row) : String(view.withoutUnit(row[column.key]) ?? '')),
        column.isShare ? fraction(row[column.key]) : 0)));
    }

    function update(isQuiet) {
        if (!element.isConnected || element.offsetParent === null) return;
        const from = Math.max(0, firstSeen() - SPARE_ROWS);
        if (isQuiet && table && from === first && table.rows.length >= Math.min(count,
            seenRows() + SPARE_ROWS)) return;
        const text = view.core.queryText(`${shape.query} ${from} ${seenRows() + 2 * SPARE_ROWS}`);
        table = JSON.parse(text);
        if (follow(table.selected, isQuiet)) return;
        count = table.count;
        current = Math.min(current, Math.max(0, count - 1));
        // When only the pointer has moved, the rows are the same except for the highlight.
        const same = `${from} ${current} ${text.replace(/"hovered": \w+/g, '')}`;
        table.rows.forEach((row, i) => same === drawn &&
            rows.children[i].classList.toggle('is-hovered', row.hovered));
        if (same === drawn) return;
        drawn = same;
        first = from;
        for (const {key} of shape.columns)
            if (table.rows.some(row => row[key] != null)) known.add(key);
        columns = fitting(shape.columns.filter(({key}) => known.has(key)));
        element.setAttribute('aria-rowcount', count + 1);
        element.style.setProperty('--columns', columns.map(column => column.isName
            ? `minmax(${NAME_EM}em, 1fr)` : column.isModule ? `minmax(0, ${emOf(column)}em)`
                : `${emOf(column)}em`).join(' '));
        spacer.style.height = `${Math.min(count * ROW_PX, MAX_HEIGHT_PX)}px`;
        fillHead();
        refill(rows, table.rows.map((row, i) => makeRow(row, from + i)));
        const top = factor() > 1 ? scroller.scrollTop - (firstSeen() - from) * ROW_PX : from * ROW_PX;
        rows.style.transform = `translateY(${top}px)`;
        setActiveDescendant();
    }

    // Scrolls to a frame that was selected elsewhere, once.
    let followed = null;
    function follow(selected, isQuiet) {
        if (isQuiet || selected == null || selected === followed) {
            followed = selected ?? null;
            return false;
        }
        followed = current = selected;
        const seen = firstSeen();
        if (selected >= seen && selected < seen + seenRows() - 1) return false;
        spacer.style.height = `${Math.min(table.count * ROW_PX, MAX_HEIGHT_PX)}px`;
        count = table.count;
        scroller.scrollTop = (selected - seenRows() / 2) * ROW_PX / factor();
        update();
        return true;
    }
    function setActiveDescendant() {
        const row = rows.querySelector('.is-current');
        if (row) element.setAttribute('aria-activedescendant', row.id);
        else element.removeAttribute('aria-activedescendant');
    }

    function go(index) {
        current = Math.max(0, Math.min(count - 1, index));
        const top = current * ROW_PX / factor(), page = scroller.clientHeight - ROW_PX;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        else if (top > scroller.scrollTop + page) scroller.scrollTop = top - page;
        update();
    }

    // The keys of a grid. The core handles all others.
    const keys = {
        ArrowDown: () => go(current + 1), ArrowUp: () => go(current - 1),
        PageDown: () => go(current + seenRows() - 1), PageUp: () => go(current - seenRows() + 1),
        Home: () => go(0), End: () => go(count - 1),
        Enter: row => view.act(pick(row)), ' ': row => view.act(pick(row)),
        ArrowRight: row => row.open === false ? view.act(`open-node ${row.node}`) : go(current + 1),
        ArrowLeft: row => row.open ? view.act(`open-node ${row.node}`) : goToParent(row),
    };
    function goToParent(row) {
        for (let i = current - 1; i >= first; i--)
            if (table.rows[i - first].level < row.level) return go(i);
        go(current - 1);
    }
    element.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey || !table || !count) return;
        // The menu, which the core opens, is of the selected row.
        if ((event.key === 'ContextMenu' || event.key === 'F10') && table.rows[current - first])
            view.act(pick(table.rows[current - first]));
        const isSideways = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
        if (!keys[event.key] || isSideways && shape.role !== 'treegrid') return;
        const row = table.rows[current - first];
        event.preventDefault();
        if (row || !/^(Enter| |ArrowLeft|ArrowRight)$/.test(event.key)) keys[event.key](row);
    });
    rows.addEventListener('pointerleave', () => view.point('hover-none'));
    scroller.addEventListener('scroll', () => update(true));
    new ResizeObserver(() => update()).observe(scroller);

    return {element, update};
}
