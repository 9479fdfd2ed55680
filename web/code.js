// code.js - the view of code: source and machine code with their costs. As in tables.js, only the visible rows exist;
// the core has them (src/viewer/query/code.c), and says which text is missing, which is fetched from who serves the page.

import {button, isHeld, make, refill, show} from './dom.js';
import {loadCode, mayHaveCode} from './load.js';

const CODE_ROW_PX = 20, CODE_SPARE = 12, LANE_PX = 8, CODE_LANES = 6, STRIP_PX = 3;
const SVG = 'http://www.w3.org/2000/svg';

// The digit of a lane: 1 upwards, 2 downwards, 4 a jump begins, 8 one ends here.
function lanesOf(row) {
    const svg = document.createElementNS(SVG, 'svg'), wide = CODE_LANES * LANE_PX + 6, middle = CODE_ROW_PX / 2;
    let lines = '';
    Array.from(row.lanes ?? '', (digit, lane) => {
        const bits = parseInt(digit, 16), x = wide - 9.5 - lane * LANE_PX;
        if (bits & 1) lines += `M${x} 0V${middle}`;
        if (bits & 2) lines += `M${x} ${middle}V${CODE_ROW_PX}`;
        if (bits & 12) lines += `M${x} ${middle}H${wide - 1}`;
        if (bits & 8) lines += `M${wide - 5} ${middle - 3}L${wide - 1} ${middle}L${wide - 5} ${middle + 3}`;
    });
    svg.setAttribute('width', wide);
    svg.setAttribute('height', CODE_ROW_PX);
    svg.setAttribute('class', 'lanes');
    svg.setAttribute('aria-hidden', 'true');
    if (lines) {
        const path = document.createElementNS(SVG, 'path');
        path.setAttribute('d', lines);
        svg.append(path);
    }
    return svg;
}

const isLinked = (row, to) => Boolean(to) && [row.at, row.site].some(one => one && (one === to.at || one === to.site));

export function makeCode(view) {
    let code = null, pointed = null, chosen = null, shownAs = '', asked = new Set(), store = -1, failure = '', refusedAt = '',
        laterHottest = false, isAsking = false;
    const titleCell = make('h2', {class: 'cut'}), facts = make('span', {class: 'muted cut'});
    const switches = make('span', {class: 'buttons'});
    const bar = make('div', {class: 'code-bar'}, titleCell, switches, facts);
    const functions = make('ul', {}), hottest = make('ul', {}), leftOut = make('ul', {class: 'left-out'}), leftOutTitle = make('h3', {});
    const side = make('nav', {class: 'code-side', 'aria-label': 'Functions and lines'},
        make('h3', {}, 'Functions of this stack'), functions, make('h3', {}, 'Hottest lines'), hottest, leftOutTitle, leftOut);
    const panes = [makeSide('source'), makeSide('assembly')];
    const strip = make('div', {class: 'code-strip', title: 'The whole function: click to go there', 'aria-hidden': 'true',
        onclick: event => panes[0].goTo(Math.floor(event.offsetY / strip.clientHeight * panes[0].count()))},
    make('i', {}));
    const element = make('div', {class: 'code', hidden: true, role: 'region', 'aria-label': 'Code'}, bar,
        make('div', {class: 'code-body'}, side, panes[0].element, strip, panes[1].element));
    const visible = () => panes.filter(pane => !pane.element.hidden);

    // One column of rows.
    function makeSide(name) {
        const isSource = name === 'source';
        const file = make('b', {class: 'cut', role: 'columnheader'});
        const status = make('span', {class: 'muted cut', role: 'columnheader'});
        const costs = make('span', {class: 'gutter', role: 'presentation'});
        const head = make('div', {class: 'code-head', role: 'row', 'aria-rowindex': 1}, costs, file, status);
        const rows = make('div', {class: 'code-rows', role: 'presentation'});
        const space = make('div', {class: 'code-space', role: 'presentation'}, rows);
        const scroller = make('div', {class: 'code-scroll', role: 'rowgroup', tabindex: -1}, space);
        const remark = make('p', {class: 'code-remark muted', hidden: true});
        const element = make('div', {class: `code-pane ${name}`, role: 'grid', tabindex: 0,
            'aria-label': isSource ? 'Source' : 'Machine code'}, make('div', {role: 'rowgroup'}, head), scroller, remark);
        let count = 0, first = 0, list = [], current = 0, drawn = '';
        const seen = () => Math.ceil(scroller.clientHeight / CODE_ROW_PX) || 1;

        const cell = (type, text, attributes) => make('span', {role: 'gridcell', class: type, ...attributes}, text ?? '');
        function textOf(row) {
            return row.pieces.map(piece => piece.kind ? make('span', {class: `k-${piece.kind}`}, piece.text) : piece.text);
        }
        function makeRow(row, index) {
            const twig = row.open != null && make('span', {class: 'twig', 'aria-hidden': 'true'}, row.open ? '▾ ' : '▸ ');
            const call = row.go && make('button', {type: 'button', class: 'go', tabindex: -1, title: 'Its code',
                onclick: event => { event.stopPropagation(); view.act(`code-at ${row.go}`); }}, '→');
            const self = cell('self', row.self, {'data-heat': row.heat > 0 || null});
            const words = cell('text', [twig, textOf(row), call]);
            // The page's policy allows no style in markup.
            self.style.setProperty('--heat', row.heat.toFixed(3));
            if (row.depth) words.style.setProperty('--depth', row.depth);
            const made = make('div', {
                role: 'row', id: `code-${name}-${index}`, 'aria-rowindex': index + 2, class: `code-row is-${row.kind}`,
                title: [row.exact, row.loop].filter(Boolean).join('; ') || null,
                'aria-selected': String(row.on), 'aria-expanded': row.open == null ? null : String(row.open),
                'data-match': row.match || null,
                onclick: () => { current = index; choose(row); },
                ondblclick: () => row.link && openLink(row.link),
                onpointerenter: event => event.pointerType === 'mouse' && pointAt(row),
            }, make('span', {class: 'gutter', role: 'presentation'}, self,
                code.compared && [cell('cost', row.before), cell('cost', row.change)],
                isSource && !code.compared && cell('cost', row.total),
                !isSource && lanesOf(row), cell('line', row.number)),
            words);
            made.row = row;
            return made;
        }
        function mark() {
            for (const made of rows.children) {
                made.classList.toggle('is-on', made.row.on);
                made.classList.toggle('is-linked', isLinked(made.row, chosen) && !made.row.on);
                made.classList.toggle('is-pointed', isLinked(made.row, pointed));
                made.classList.toggle('is-current', made.id === `code-${name}-${current}`);
            }
            const now = rows.querySelector('.is-current');
            if (now) element.setAttribute('aria-activedescendant', now.id);
            else element.removeAttribute('aria-activedescendant');
        }
        function choose(row) {
            if (row.open != null) return view.act(`code-open ${row.key}`);
            if (isSource ? row.at : row.number) view.act(`code-select ${isSource ? row.at : `@${row.number}`}`);
        }
        function draw(isForced) {
            if (isHeld(rows, () => draw(true))) return;
            const from = Math.max(0, Math.min(count - 1, Math.floor(scroller.scrollTop / CODE_ROW_PX)) - CODE_SPARE);
            if (!isForced && from === first && list.length) return;
            const text = view.core.queryText(`code-rows ${name} ${from} ${seen() + 2 * CODE_SPARE}`);
            first = from;
            rows.style.transform = `translateY(${from * CODE_ROW_PX}px)`;
            if (text !== drawn || isForced) {
                drawn = text;
                list = JSON.parse(text).rows;
                const on = list.find(row => row.on);
                if (on) chosen = on;
                refill(rows, list.map((row, i) => makeRow(row, from + i)));
            }
            mark();
            if (isSource) showWindow();
        }
        function update(of, head, note, at, isNew) {
            count = of;
            element.setAttribute('aria-rowcount', count + 1);
            space.style.height = `${count * CODE_ROW_PX}px`;
            refill(costs, ['self', code.compared && 'before', code.compared && 'change',
                isSource && !code.compared && 'total', !isSource && 'lanes', 'line'].filter(Boolean).map(one =>
                make('span', {role: one === 'lanes' ? 'presentation' : 'columnheader', class: one === 'self' ? 'self' : one === 'line' ? 'line' : one === 'lanes' ? 'lanes' : 'cost'},
                    one === 'lanes' ? '' : one === 'line' && !isSource ? 'address' : one)));
            file.textContent = isSource ? head.split('/').pop() : head;
            file.title = head;
            // What has no text says so where there is room for it.
            const isMissing = of > 0 && (isSource ? !code.path : !code.machine);
            const isLong = isMissing || !isSource && code.warns;
            status.textContent = isLong ? '' : note;
            status.title = note;
            show(status, !isLong);
            remark.textContent = note;
            show(remark, isLong && Boolean(note));
            if (isNew) {
                current = at;
                const top = at * CODE_ROW_PX, page = scroller.clientHeight;
                if (top < scroller.scrollTop || top > scroller.scrollTop + page - 2 * CODE_ROW_PX || shownAs === '')
                    scroller.scrollTop = Math.max(0, top - page / 3);
            }
            draw(true);
        }
        function goTo(index) {
            current = Math.max(0, Math.min(count - 1, index));
            const top = current * CODE_ROW_PX, page = scroller.clientHeight - CODE_ROW_PX;
            if (top < scroller.scrollTop) scroller.scrollTop = top;
            else if (top > scroller.scrollTop + page) scroller.scrollTop = top - page;
            draw(false);
            mark();
        }
        const keys = {
            ArrowDown: () => goTo(current + 1), ArrowUp: () => goTo(current - 1),
            PageDown: () => goTo(current + seen() - 1), PageUp: () => goTo(current - seen() + 1),
            Home: () => goTo(0), End: () => goTo(count - 1),
            Enter: row => choose(row), ' ': row => choose(row),
            ArrowRight: row => row.open === false ? choose(row) : row.go ? view.act(`code-at ${row.go}`) : goTo(current + 1),
            ArrowLeft: row => row.open ? choose(row) : goTo(current - 1),
        };
        function take(event) {
            const row = list[current - first];
            if (!keys[event.key] || !row && /^(Enter| |ArrowLeft|ArrowRight)$/.test(event.key)) return false;
            keys[event.key](row);
            return true;
        }
        element.addEventListener('keydown', event => {
            if (!event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey && take(event))
                event.preventDefault();
        });
        element.addEventListener('pointerleave', () => pointAt(null));
        scroller.addEventListener('scroll', () => draw(false));
        new ResizeObserver(() => count && element.offsetParent && draw(true)).observe(scroller);
        return {element, update, take, mark, goTo, count: () => count,
            window: () => [scroller.scrollTop / space.offsetHeight, scroller.clientHeight / space.offsetHeight]};
    }

    function pointAt(row) {
        pointed = row;
        for (const pane of visible()) pane.mark();
    }
    function openLink(link) {
        const anchor = make('a', {href: `vscode://file/${link.split('/').map(encodeURIComponent).join('/').replace(/%3A(\d+)$/, ':$1')}`});
        anchor.click();
    }
    // The part of the strip that is seen.
    function showWindow() {
        const [top, height] = panes[0].window();
        strip.firstChild.style.cssText = `top:${100 * top}%;height:${100 * Math.min(1, height)}%`;
    }
    function drawStrip() {
        const heat = Array.from(code.source_heat ?? '', Number), stops = [];
        heat.forEach((value, i) => value && stops.push([i, value]));
        const part = 100 / (heat.length || 1);
        strip.style.backgroundImage = `linear-gradient(${[...stops.flatMap(([i, value]) => {
            const color = `color-mix(in oklab, var(--hot) ${10 + 10 * value}%, transparent)`;
            return [`transparent ${i * part}%`, `${color} ${i * part}%`, `${color} ${(i + 1) * part}%`, `transparent ${(i + 1) * part}%`];
        }), 'transparent 0'].join(',')})`;
    }

    const place = (one, shown = one.title) => make('li', {}, button([make('span', {class: 'cut'}, shown, one.inlined && make('span', {class: 'muted'},
        ' inlined')), make('span', {class: 'number'}, one.value)], () => view.act(`code-at ${one.of}`),
    {class: one.on ? 'is-on' : '', 'aria-current': one.on ? 'true' : null, title: one.title}));
    const toggle = (title, action, isOn) => button(title, () => view.act(action),
        {'aria-pressed': String(isOn), 'data-key': action, title: `${view.actionNamed(action).title} (${view.actionNamed(action).keys})`});

    // What there is to say about text that is not shown.
    function statusOf() {
        if (failure) return failure;
        if (code.path || code.status) return code.status ?? '';
        return asked.has(code.place) ? '' : 'no source here: open the recording with "flamel view", or make the page with ' +
            '"convert --with-source"';
    }

    // Without machine code the rows are the addresses that have samples.
    function statusOfAssembly() {
        if (code.machine || failure) return code.machine ? '' : failure;
        return mayHaveCode() && (isAsking || findWanted()) ? '' : 'no machine code here: open the recording with ' +
            '"flamel view", or make the page with "convert --with-assembly"';
    }

    function update() {
        if (!element.isConnected || element.hidden) return;
        const parts = Math.max(10, Math.floor(element.clientHeight / STRIP_PX));
        code = view.core.query(`code ${parts} quick`);
        if (!code) return;
        if (!code.hottest.length && !laterHottest) {
            laterHottest = true;
            requestAnimationFrame(() => setTimeout(showHottest, 50));
        }
        refill(titleCell, code.title, make('span', {class: 'muted'}, [code.place, code.module].filter(Boolean)
            .map(one => ` · ${one.split('/').pop()}`).join('')));
        titleCell.title = [code.title, code.place, code.module].filter(Boolean).join('\n');
        refill(switches, toggle('all lines', 'code-whole', code.whole), toggle('inlined', 'code-inlined', code.inlined),
            toggle('file', 'code-file', code.file), toggle('assembly', 'code-assembly', code.assembly),
            button('copy', () => view.act('copy-code markdown'), {title: 'Copy the lines as Markdown'}));
        refill(facts, [code.self && `self ${code.self}, ${code.self_share ?? '0 %'} of total`, code.total && `total ${code.total}`,
            code.lines_sum, code.event].filter(Boolean).join(' · '));
        facts.title = facts.textContent;
        refill(functions, code.functions.map(one => place(one, one.name || one.title)));
        if (code.hottest.length) refill(hottest, code.hottest.map(one => place(one)));
        const missing = code.left_out;
        show(leftOutTitle, missing.length);
        refill(leftOutTitle, `${missing.length} source ${missing.length === 1 ? 'file' : 'files'} left out`);
        refill(leftOut, missing.map(one => make('li', {class: 'muted cut', title: one.value}, one.title)));
        show(panes[1].element, code.assembly);
        element.classList.toggle('has-assembly', code.assembly);
        element.classList.toggle('has-change', code.compared);
        const now = [code.title, code.module, code.selected && code.source_row, code.selected && code.assembly_row,
            code.source_count > 0, code.path ?? code.status].join('\n');
        const isNew = now !== shownAs;
        if (isNew) chosen = null;
        if (isNew && shownAs.split('\n').slice(0, 2).join() !== now.split('\n').slice(0, 2).join()) shownAs = '';
        panes[0].update(code.source_count, code.empty ?? code.place ?? 'no file is known', statusOf(), code.source_row, isNew);
        status(code.doubtful);
        if (code.assembly) panes[1].update(code.assembly_count, ['Assembly', code.machine].filter(Boolean).join(', '),
            code.assembly_status || code.blocks || statusOfAssembly(), code.assembly_row, isNew);
        shownAs = now;
        pointAt(null);
        drawStrip();
        fetchWanted();
    }
    // Those of all functions may take longer than the code of one, which is there first.
    function showHottest() {
        laterHottest = false;
        const lines = view.core.query('code 0')?.hottest ?? [];
        refill(hottest, lines.length ? lines.map(one => place(one)) : make('li', {class: 'muted'}, 'No line is known'));
    }
    function status(isDoubtful) {
        panes[0].element.classList.toggle('is-doubtful', isDoubtful);
    }

    const namesOf = wanted => [...wanted.files, ...wanted.assembly ? [`${wanted.function}\n${wanted.module}`] : []];
    const placeNow = () => [code?.title, code?.module, code?.source_row, code?.assembly_row, code?.assembly].join('\n');

    // What is missing, and was not asked for; null: nothing. Of other files all is asked for again.
    function findWanted() {
        const wanted = view.core.query('code-wanted');
        if (!wanted) return null;
        if (wanted.store !== store) {
            asked.clear();
            failure = refusedAt = '';
            store = wanted.store;
        }
        wanted.files = wanted.files.filter(name => !asked.has(name));
        if (asked.has(`${wanted.function}\n${wanted.module}`)) wanted.assembly = false;
        return namesOf(wanted).length ? wanted : null;
    }
    // An answer has as much as there is room for: the rest is asked for again, until one has nothing of it. After an
    // error, the next key and the next selection ask again.
    async function fetchWanted() {
        const wanted = isAsking || refusedAt === placeNow() ? null : findWanted();
        if (!wanted) return;
        isAsking = true;
        try {
            const bytes = await loadCode(wanted);
            if (!bytes) return;
            // Meanwhile, other files may have been opened.
            if (view.core.query('code-wanted')?.store === wanted.store) {
                view.core.takeCode(bytes);
                failure = refusedAt = '';
                const left = view.core.query('code-wanted'), names = namesOf(wanted), missing = left ? namesOf(left) : [];
                if (names.every(name => missing.includes(name))) for (const name of names) asked.add(name);
            }
        } catch (error) {
            failure = error.message;
            refusedAt = placeNow();
        } finally {
            isAsking = false;
        }
        view.changed(view.core.changes());
        update();
    }
    element.addEventListener('keydown', () => {
        if (!refusedAt) return;
        refusedAt = '';
        fetchWanted();
    }, {capture: true});

    return {
        element, update,
        take: event => !event.ctrlKey && !event.metaKey && !event.altKey && panes[0].take(event),
        focus: () => panes[0].element.focus({preventScroll: true}),
    };
}
