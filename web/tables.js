// tables.js - tables of any length: only the visible rows exist, and they are requested when they are scrolled
// into view. One is the top table, one the call tree, one lists the functions that a search matches.

import {isRightClick} from './canvas.js';
import {emOf, fraction, isHeld, make, nameRoom, refill, share} from './dom.js';
import {addGlyphs} from './glyphs.js';

const ROW_PX = 24, SPARE_ROWS = 8;
// Browsers limit the height of an element to about 33 million pixels. In a longer table, a pixel of the
// scrollbar stands for several rows.
const MAX_HEIGHT_PX = 15e6;

// A column by its key in a row. `sort`: what the header sorts by.
const numberColumn = (key, title, sort, explained) => ({key, title, sort, explained, isNumber: true});
const shareColumn = (key, title, sort) => ({key, title, sort, isNumber: true, isShare: true});
// Of the quantity by which the table is sorted: self or total.
const changeColumns = [numberColumn('before', 'Before'), numberColumn('after', 'After', 'after'),
    numberColumn('change', 'Change', 'change'),
    numberColumn('change_share', '% change', 'change', 'with a question mark: within the noise of counting')];
const nameColumn = sort => ({key: 'title', title: 'Function', sort, isName: true, isNumber: false});
const moduleColumn = sort => ({key: 'module', title: 'Module', sort, isModule: true, isNumber: false});
const fileColumn = sort => ({key: 'file', title: 'File', sort, isModule: true, isNumber: false});

const SHAPES = {
    top: {
        label: 'Functions', role: 'grid', query: 'top',
        columns: [numberColumn('self', 'Self', 'self'), shareColumn('self_share', '% self', 'self'),
            numberColumn('total', 'Total', 'total'), shareColumn('total_share', '% total', 'total'),
            numberColumn('samples', 'Samples', 'samples', 'samples with the function on their stack'),
            ...changeColumns, nameColumn('name'), moduleColumn('module'), fileColumn('file')],
    },
    tree: {
        label: 'Call tree', role: 'treegrid', query: 'tree',
        leastName: 24,
        stays: 'total', // where nothing is sorted
        columns: [numberColumn('total', 'Total'), shareColumn('total_share', '% total'),
            numberColumn('self', 'Self'), ...changeColumns, nameColumn(), moduleColumn()],
    },
    list: {
        label: 'Matching functions', role: 'grid', query: 'list',
        columns: [nameColumn(), shareColumn('total_share', '% total')],
    },
};

// Widths of columns, and the order in which they are dropped where there is no room for all. The name and
// the column that the table is sorted by always stay; if there is no room for both, the name is narrower. The panel
// and the tooltip have the values of the others.
const NAME_EM = 16, NAME_MOST_EM = 28, GAP_EM = 0.8; // up to so much the name has what modules and files need not
const emsOf = column => column.isName ? NAME_EM : column.isModule ? 9 : column.isShare ? 5.5 : 6.2;
const OPTIONAL = ['file', 'samples', 'self_share', 'module', 'total_share', 'self', 'total', 'change_share'];
// A comparison is before, after and change: they stay, and in a narrow window are as wide as their headings.
const TIGHT_EM = {before: 4.8, after: 4.8, change: 4.8};
// Comparisons show the quantity that they are sorted by; of the other one after is enough.
const PLAIN_ONLY = ['samples', 'self_share', 'total_share'];

// "Self (ms)", "Self before", "After (ms)": words such as "samples" are in the status line. Where the columns of a
// comparison are tight, "Before", "After", "Change" and "Function (self, ms)".
function headingOf(column, table, isTight) {
    if (isTight && table.changes && column.isName)
        return `${column.title} (${[table.changes, table.heading_unit].filter(Boolean).join(', ')})`;
    if (isTight && TIGHT_EM[column.key]) return column.title;
    const isChange = ['before', 'after', 'change'].includes(column.key);
    const quantity = isChange ? table.changes : column.key;
    const unit = /^(self|total)$/.test(quantity) && table.heading_unit;
    if (column.key === 'before' && quantity) return `${quantity === 'self' ? 'Self' : 'Total'} before`;
    return unit ? `${column.title} (${unit})` : column.title;
}

// `name`: the view's, where several have the same rows.
export function makeTable(view, shapeName, name = shapeName) {
    const shape = SHAPES[shapeName];
    const head = make('div', {class: 'table-head', role: 'row', 'aria-rowindex': 1});
    const rows = make('div', {class: 'table-rows', role: 'presentation'});
    const spacer = make('div', {class: 'table-space', role: 'presentation'}, rows);
    const scroller = make('div', {class: 'table-scroll', role: 'rowgroup', tabindex: -1}, spacer);
    const element = make('div', {class: `table table-${name}`, role: shape.role, tabindex: 0,
        'aria-label': shape.label}, make('div', {role: 'rowgroup'}, head), scroller);
    const known = new Set();
    let room = 0, measured = ''; // of names, and of which layout
    // `atHead`: the column whose heading the keys are at; -1: they are in the rows.
    let count = 0, first = 0, table = null, drawn = '', current = 0, columns = [], atHead = -1, isTight = false;

    const seenRows = () => Math.ceil(scroller.clientHeight / ROW_PX) || 1;
    const factor = () => Math.max(1, count * ROW_PX / MAX_HEIGHT_PX);
    const firstSeen = () => Math.floor(scroller.scrollTop * factor() / ROW_PX);

    const widthOf = column => isTight && TIGHT_EM[column.key] || emsOf(column);
    function fitting(all) {
        let rest = all;
        const em = emOf(element);
        isTight = false;
        const isWide = () => rest.reduce((sum, column) => sum + GAP_EM + (column.isName && shape.leastName || widthOf(column)), 2) * em >
            element.clientWidth;
        for (const key of OPTIONAL)
            if (isWide()) rest = rest.filter(column => column.key !== key || key === (table.sort ?? shape.stays));
        isTight = isWide();
        return rest;
    }

    // Of self or of total, as the columns beside it.
    const sortOf = column => column.sort === 'after' ? table.changes
        : column.sort === 'change' && table.changes === 'self' ? 'self-change' : column.sort;
    const isSorted = column => table.sort && column.sort && table.sort === sortOf(column);
    const sortTitle = column => !isSorted(column) || column.isShare || column.key === 'change_share' ? 'none'
        : table.down === false ? 'ascending' : 'descending';

    // A second click reverses the order. Numbers begin with the largest, names with A.
    const isReversed = column => isSorted(column) && table.down === column.isNumber;
    const sortBy = column => view.act(`sort ${isReversed(column) ? '-' : ''}${sortOf(column)}`);

    // The whole cell is the button.
    function fillHead() {
        refill(head, columns.map((column, i) => {
            const canSort = column.sort && table.sort;
            return make('div', {
                role: 'columnheader', class: `${cellClass(column)}${canSort ? ' can-sort' : ''}${i === atHead
                    ? ' is-current' : ''}`, id: `${name}-head-${i}`,
                'aria-sort': canSort ? sortTitle(column) : null, 'data-key': canSort && column.sort,
                title: [column.explained, canSort && 'click to sort'].filter(Boolean).join('; ') || null,
                onclick: () => canSort && sortBy(column),
            }, headingOf(column, table, isTight));
        }));
    }

    function cellClass(column) {
        return column.isName ? 'name' : column.isModule ? 'module muted' : column.isShare
            ? 'share' : 'number';
    }

    function nameCell(row) {
        const name = row.shown ?? row.title;
        if (row.level == null) return name;
        const twig = row.open == null ? make('span', {class: 'twig'})
            : make('button', {type: 'button', class: 'twig', tabindex: -1,
                'aria-label': row.open ? 'Close' : 'Open',
                onclick: event => { event.stopPropagation(); view.act(`open-node ${row.node}`); },
            }, row.open ? '▾' : '▸');
        const cell = make('span', {class: 'level'}, twig, name);
        cell.style.setProperty('--indent', row.indent ?? 0);
        return cell;
    }

    const pick = row => row.frame == null ? `select ${row.node}` : `select-frame ${row.frame}`;
    const point = row => row.frame == null ? `hover-node ${row.node}` : `hover-frame ${row.frame}`;

    function makeRow(row, index) {
        const isCurrent = index === current && atHead < 0;
        return make('div', {
            role: 'row', id: `${name}-row-${index}`, 'aria-rowindex': index + 2,
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
            role: 'gridcell', class: cellClass(column), title: column.isName || column.isModule ? row[column.key] : null,
        }, column.isName ? nameCell(row) : column.isModule ? row[`${column.key}_name`] ?? '' : row[column.key] ?? ''),
        column.isShare ? fraction(row[column.key]) : 0)));
    }

    // Glyphs that were missing may be of another width than they were taken to be.
    function ask(from) {
        const ask = () => view.core.queryText(`${shape.query} ${from} ${seenRows() + 2 * SPARE_ROWS} ${room}`);
        const text = ask();
        return addGlyphs(view.core) ? ask() : text;
    }

    function update(isQuiet) {
        if (!element.isConnected || element.offsetParent === null || isHeld(rows, () => update())) return;
        const from = Math.max(0, firstSeen() - SPARE_ROWS);
        if (isQuiet && table && from === first && table.rows.length >= Math.min(count,
            seenRows() + SPARE_ROWS)) return;
        const text = ask(from);
        table = JSON.parse(text);
        if (follow(table.selected, isQuiet)) return;
        count = table.count;
        current = Math.min(current, Math.max(0, count - 1));
        // When only the pointer has moved, the rows are the same except for the highlight.
        const same = `${from} ${current} ${atHead} ${element.clientWidth} ${text.replace(/"hovered": \w+/g, '')}`;
        table.rows.forEach((row, i) => same === drawn &&
            rows.children[i].classList.toggle('is-hovered', row.hovered));
        if (same === drawn) return;
        drawn = same;
        first = from;
        for (const {key, isModule} of shape.columns)
            if (table.rows.some(row => row[key] != null)) known.add(key);
            else if (!isModule && table.rows.length) known.delete(key);
        const isChanged = Boolean(table.changes);
        columns = fitting(shape.columns.filter(({key}) => known.has(key) &&
            !(isChanged && (PLAIN_ONLY.includes(key) || key === table.changes)) &&
            (isChanged || !changeColumns.some(column => column.key === key))));
        element.setAttribute('aria-rowcount', count + 1);
        const others = columns.reduce((sum, column) => sum + GAP_EM + (column.isName ? 0 : widthOf(column)), 2);
        const nameEm = Math.max(0, Math.min(NAME_MOST_EM, element.clientWidth / emOf(element) - others)).toFixed(1);
        element.style.setProperty('--columns', columns.map(column => column.isName
            ? `minmax(${nameEm}em, 1fr)` : column.isModule ? `minmax(0, ${emsOf(column) * 1.6}em)`
                : `${widthOf(column)}em`).join(' '));
        spacer.style.height = `${Math.min(count * ROW_PX, MAX_HEIGHT_PX)}px`;
        fillHead();
        refill(rows, table.rows.map((row, i) => makeRow(row, from + i)));
        const top = factor() > 1 ? scroller.scrollTop - (firstSeen() - from) * ROW_PX : from * ROW_PX;
        rows.style.transform = `translateY(${top}px)`;
        setActiveDescendant();
        measure();
    }

    // Once per layout: names are shortened to the width that their column has.
    function measure() {
        const layout = `${element.style.getPropertyValue('--columns')} ${element.clientWidth}`;
        const cell = layout !== measured && rows.querySelector('.name');
        if (!cell) return;
        measured = layout;
        const before = room;
        room = nameRoom(element, cell.clientWidth);
        if (room !== before) update();
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
        const row = (atHead < 0 ? rows : head).querySelector('.is-current');
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

    // From the first row the heading is reached, and a column in it.
    const canSort = () => shape.columns.some(column => column.sort) && Boolean(table.sort);
    function goToHead(step, from = atHead) {
        let i = from + step;
        while (columns[i] && !columns[i].sort) i += step;
        if (columns[i]) atHead = i;
        update();
    }
    function leaveHead() {
        atHead = -1;
        update();
    }
    // Columns may have gone since, in a window that became narrow.
    function sortHere() {
        atHead = Math.min(atHead, columns.length - 1);
        if (columns[atHead]) sortBy(columns[atHead]);
    }
    const headKeys = {
        ArrowLeft: () => goToHead(-1), ArrowRight: () => goToHead(1), ArrowDown: leaveHead, Escape: leaveHead,
        Enter: sortHere, ' ': sortHere, ArrowUp: () => {},
    };

    // The keys of a grid. The core handles all others.
    const keys = {
        ArrowDown: () => go(current + 1),
        ArrowUp: () => current === 0 && canSort() ? goToHead(1, -1) : go(current - 1),
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
    // Whether it is a key of the table, which then handles it.
    function take(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || !table || !count) return false;
        if (atHead >= 0 && headKeys[event.key]) {
            headKeys[event.key]();
            return true;
        }
        // The menu, which the core opens, is of the selected row.
        if ((event.key === 'ContextMenu' || event.key === 'F10') && table.rows[current - first])
            view.act(pick(table.rows[current - first]));
        const isSideways = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
        if (!keys[event.key] || isSideways && shape.role !== 'treegrid') return false;
        const row = table.rows[current - first];
        if (row || !/^(Enter| |ArrowLeft|ArrowRight)$/.test(event.key)) keys[event.key](row);
        return true;
    }
    element.addEventListener('keydown', event => {
        if (!event.defaultPrevented && take(event)) event.preventDefault();
    });
    element.addEventListener('focusout', () => atHead >= 0 && leaveHead());
    rows.addEventListener('pointerleave', () => view.point('hover-none'));
    scroller.addEventListener('scroll', () => update(true));
    new ResizeObserver(() => update()).observe(scroller);

    return {element, update, take};
}
