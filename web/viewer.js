// viewer.js - the viewer in an element: makes its parts and connects them. The core holds the state; this
// file decides which parts are updated when the core reports a change.

import {CHANGED} from './core.js';
import {heldKeys, makeCanvas} from './canvas.js';
import {make, show} from './dom.js';
import {makeAria} from './aria.js';
import {makeChips} from './chips.js';
import {makeCode} from './code.js';
import {makeFiles} from './files.js';
import {makeHash} from './hash.js';
import {makeMenu} from './menu.js';
import {makeHelp, makePalette, keyLabel} from './palette.js';
import {makePanel} from './panel.js';
import {makeSearch} from './search.js';
import {makeSplitter} from './splitter.js';
import {makeStatus} from './status.js';
import {makeNotes} from './share/notes.js';
import {makeSanitize} from './share/sanitize.js';
import {makeTable} from './tables.js';
import {makeTools} from './tools.js';
import {makeTooltip} from './tooltip.js';
import {flamelRemoveFirst} from './start.js';
import {copyText, exportAs} from './export.js';
import {watchPrint} from './print.js';
import {addViewerStyle, watchTheme} from './theme.js';

// The panel opens only when a click can no longer become a double click, because it moves the picture.
const DOUBLE_CLICK_MS = 420;

// While the user zooms or pans, only the picture is updated. Everything else, such as the status line and
// the tooltip, is updated when the picture has rested for REST_MS. (Events of a busy machine are up to
// 100 ms late, and updating the rest in between would make the longest frames.)
const DEFERRED = ~(CHANGED.picture | CHANGED.detail | CHANGED.tracks);
const REST_MS = 200;

// What changes only when something that the user did has worked: a note about what did not is out of date then.
const WORKED = CHANGED.tools | CHANGED.chips | CHANGED.state | CHANGED.history | CHANGED.copy | CHANGED.prompt |
    CHANGED.detail;

// Makes a viewer in `root`, an element or a shadow root. `keepsHash`: the state is kept in the page's
// address. `emit(name, detail)` dispatches an event of the component.
export function makeViewer(root, core, module, {keepsHash = true, emit = null} = {}) {
    let hello = null, tools = null, pending = 0, isFrameRequested = false, broken = false, isFirst = true, isRested = false;
    let movedAt = -REST_MS, deferred = 0, restTimer = 0, speechTimer = 0, panelTimer = 0, hasSelected = false, savedNotes = '';
    const view = {
        core, keyLabel, clickedAt: -DOUBLE_CLICK_MS,
        tools: () => tools,
        actions: () => hello.actions,
        actionNamed: name => hello.actions.find(action => action.name === name),
        changed, movedByHand, requestFrame, act, point, tryAct, opened, showDetails, showMatches, panelWanted,
        emitError: message => emit?.('flamel-error', {message}),
        // Whether a listener for flamel-source shows the source itself: it prevents the default then.
        isShown: ({file, line}) => emit?.('flamel-source', {file, line}) === false,
        stageSize: () => canvas.size(),
        hideTooltip: () => tooltip.hide(),
        canvas: () => canvas.canvas,
        copyMs: () => canvas.copyMs(),
        isDark: () => theme.isDark(),
        focusPicture: () => isTable() && tables[tools.view].focus ? tables[tools.view].focus()
            : (isTable() ? tables[tools.view].element : aria.element).focus({preventScroll: true}),
        isTable: () => isTable(),
        openFiles: where => files.choose(where),
        files: () => files,
        withoutUnit: text => withoutUnit(text),
        editOperation: (at = -1, text = '') => palette.open({title: 'Transform', argument: 'hide:libc.so.6',
            run: at < 0 ? 'apply' : `operation-edit ${at}`, text}),
        askFor(name, text) {
            const {title, argument} = view.actionNamed(name);
            palette.open({title, run: name, argument, text});
        },
        // Whether notes were written, changed or removed since the profile was opened or saved.
        hasUnsavedNotes() {
            const notes = core.query('notes');
            return Boolean(notes.changed) && JSON.stringify(notes) !== savedNotes;
        },
        askForText: (run, title, text) => palette.open({title, run, argument: '', text}),
        // Whether an action with a text makes sense now.
        isPossible: name => !core.query(`palette ${name}`).items.some(item => item.action === name && item.otherwise),
        openMenu: where => menu.open(where),
        placeOnPage,
        theme: () => theme.chosen(),
        setLegend: children => bar.updateMore(children),
        hasMatches: () => panel.hasMatches(),
        notify: (text, isError) => status.notify(text, isError),
        updateSearch: searches => search.update(searches),
    };

    hello = core.query('hello');
    tools = core.query('tools');
    const aria = makeAria(view), canvas = makeCanvas(view, aria.element);
    const tooltip = makeTooltip(view), panel = makePanel(view), search = makeSearch(view);
    const bar = makeTools(view, search.element), chips = makeChips(view);
    // By view: those that are tables.
    const tables = Object.fromEntries(tools.views.filter(one => one.table)
        .map(one => [one.name, one.table === 'code' ? makeCode(view) : makeTable(view, one.table, one.name)]));
    const list = makeTable(view, 'list');
    const status = makeStatus(view), notes = makeNotes(view), sanitizing = makeSanitize(view, module), palette = makePalette(view), help = makeHelp(view), menu = makeMenu(view);
    const files = makeFiles(view, module);
    const hash = keepsHash ? makeHash(view) : null;

    canvas.element.append(tooltip.element, status.overlay);
    const splitter = makeSplitter(() => main, () => updateTables());
    const main = make('main', {class: 'main'}, Object.values(tables).map(table => table.element),
        splitter.element, canvas.element, panel.element, files.element, files.ghost);
    const element = make('div', {class: 'flamel'}, bar.element, chips.element, main, status.element,
        status.sheet, notes.sheet, sanitizing.sheet, palette.element, help.element, menu.element, ...files.inputs, aria.voice);
    addViewerStyle(root);
    root.append(element);
    files.listen(element, keepsHash ? document : element);
    const theme = watchTheme(view, element, () => {
        canvas.paint();
        changed(core.changes() | CHANGED.chips);
    }, keepsHash);

    if (keepsHash) watchPrint(view, element, theme, updateTables);

    // "716 M samples" as "716 M", for places where a heading or the status line has the unit.
    function withoutUnit(text) {
        const unit = tools.metrics.find(metric => metric.name === tools.metric)?.unit;
        return unit && text?.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : text;
    }
    const shownView = () => tools.views.find(one => one.name === tools.view);
    const hasTable = () => tools.view in tables, isBeside = () => Boolean(shownView()?.beside);
    const isTable = () => hasTable() && !isBeside();

    // ---- Changes and frames -----------------------------------------------------------------------

    function requestFrame() {
        if (isFrameRequested || broken) return;
        isFrameRequested = true;
        requestAnimationFrame(() => {
            isFrameRequested = false;
            guard(frame);
        });
    }
    // Takes bits of CHANGED: the next frame updates what they stand for.
    function changed(bits) {
        if (!bits) return;
        if (bits & WORKED && !(bits & CHANGED.notice)) status.worked();
        pending |= bits;
        // These two need a user activation, which may have expired in the next frame.
        const now = pending & (CHANGED.copy | CHANGED.prompt);
        pending &= ~now;
        if (now & CHANGED.copy) copy();
        if (now & CHANGED.prompt) openPrompt();
        requestFrame();
    }
    // The same after a zoom or a pan by wheel, drag or pinch.
    function movedByHand(bits) {
        movedAt = performance.now();
        tooltip.hide();
        changed(bits);
    }
    // One timer that is set again when it fires too early: restarting a timer in every frame costs more.
    function rest() {
        const left = movedAt + REST_MS - performance.now();
        restTimer = left > 0 && setTimeout(rest, left);
        if (restTimer) return;
        pending |= deferred;
        deferred = 0;
        isRested = true;
        requestFrame();
    }
    function frame() {
        let bits = pending;
        pending = 0;
        canvas.paint(isRested || movedAt + REST_MS > performance.now());
        isRested = false;
        bits |= core.changes();
        if (isFirst) return firstFrame(bits);
        if (performance.now() - movedAt < REST_MS && bits & DEFERRED) {
            deferred |= bits & DEFERRED;
            bits &= ~DEFERRED;
            if (!restTimer) rest();
        }
        if (bits & CHANGED.tools) layOut();
        const has = (...names) => names.some(name => bits & CHANGED[name]);
        if (has('tools')) bar.update(tools);
        if (has('chips', 'tools')) chips.update();
        if (has('tracks') && tools.name) bar.updateTracks(core.query('tracks'));
        if (has('hover')) tooltip.update();
        if (has('detail', 'tools')) panel.update();
        if (has('status', 'tools')) status.update();
        if (has('status', 'detail')) notes.update();
        if (has('notice')) refused(core.queryText('notice').trim(), core.queryText('notice-kind').trim() === 'error');
        if (has('tables', 'tools', 'chips', 'detail', 'code')) updateTables();
        if (has('detail', 'tools')) aria.update();
        if (has('overlay')) status.updateOverlay();
        if (has('speech', 'tools', 'chips', 'state')) speak(has('speech'));
        if (has('state') && hash) hash.update(has('history'));
        if (has('status') && tools.name) files.showState();
        if (emit && has('detail')) emit('flamel-select', core.query('detail'));
        if (emit && has('state')) emit('flamel-change', {state: core.queryText('state').trim()});
    }
    // The first frame has the picture and what decides its size: the tools, the chips and the panel.
    // Everything else comes in the second frame.
    function firstFrame(bits) {
        isFirst = false;
        layOut();
        chips.update();
        panel.update();
        if (keepsHash) flamelRemoveFirst();
        pending |= bits;
        requestFrame();
        (globalThis.requestIdleCallback ?? setTimeout)(() => guard(canvas.expectGlyphs));
    }
    // Announces once, when nothing has changed for a moment: not in every frame of a zoom, nor after every
    // letter of a search.
    function speak(isSelected) {
        hasSelected ||= isSelected;
        clearTimeout(speechTimer);
        speechTimer = setTimeout(() => guard(() => {
            if (tools.name) aria.speak(hasSelected, chips.titles());
            hasSelected = false;
        }), REST_MS);
    }
    function updateTables() {
        if (hasTable()) tables[tools.view].update();
        if (panel.hasMatches()) list.update();
    }
    function layOut() {
        const before = tools.view;
        tools = core.query('tools');
        main.classList.toggle('has-table', isTable());
        main.classList.toggle('has-both', isBeside());
        main.classList.toggle('has-code', tools.view === 'code');
        for (const [name, table] of Object.entries(tables)) show(table.element, tools.view === name);
        splitter.show(!hasTable() || !tools.name || tools.view === 'code' ? null : isBeside() ? 'beside' : 'table');
        if (before !== tools.view && isTable()) takeFocus();
    }
    // The arrows move the table as soon as it is there: it takes the focus from a tab, a menu and the picture,
    // and not from what is typed.
    function takeFocus() {
        const active = element.getRootNode().activeElement;
        if (keepsHash ? !active || active === document.body || element.contains(active) && !isTyping(active)
            : active && element.contains(active) && !isTyping(active)) view.focusPicture();
    }
    // A trap in the core ends this viewer, with a message.
    function guard(work) {
        try {
            work();
        } catch (error) {
            broken = error instanceof WebAssembly.RuntimeError;
            console.error(error);
            files.showError(broken ? `The viewer stopped: ${error.message}. Load the page again.`
                : error.message);
        }
    }

    // ---- Actions ----------------------------------------------------------------------------------

    // Returns null, or the reason why the action is refused.
    function tryAct(action) {
        const [name, argument] = action.split(/ (.*)/s);
        if (name === 'export') return save(argument), null;
        const why = core.act(action);
        changed(core.changes());
        return why;
    }
    // Highlights in the picture what a row stands for: `hover-node 7`.
    function point(action) {
        core.act(action);
        changed(core.changes());
    }
    // Actions have the numbers of rows, frames and chips: those that were seen when the button was pressed. Where others
    // have these numbers by the time of the click, nothing is done. (What is pressed stays as it was until then: dom.js.)
    let openings = 0, seen = null, late = {};
    function numbered() {
        const operations = core.query('chips').operations.map(({text, on}) => [text, on]);
        return {rows: JSON.stringify([openings, operations]),
            searches: JSON.stringify(core.query('searches').searches.map(({text}) => text))};
    }
    for (const type of ['pointerdown', 'keydown'])
        element.addEventListener(type, event => {
            if (type === 'pointerdown' || event.key === ' ' || event.key === 'Enter') guard(() => { seen = numbered(); });
        }, true);
    element.addEventListener('click', () => guard(() => {
        const now = seen && numbered();
        late = {rows: now?.rows !== seen?.rows, searches: now?.searches !== seen?.searches};
        seen = null;
        setTimeout(() => { late = {}; });
    }), true);
    const isLate = action => /\s\d/.test(action) && late[action.startsWith('search-') ? 'searches' : 'rows'];
    function act(action) {
        if (isLate(action)) return false;
        const why = tryAct(action);
        if (why) refused(why);
        return !why;
    }
    function refused(why, isError = true) {
        status.notify(why, isError, true);
        if (isError) view.emitError(why);
    }
    async function save(kind) {
        try {
            const written = JSON.stringify(core.query('notes')), name = await exportAs(view, kind);
            if (kind === 'flm' || kind === 'html') savedNotes = written;
            notes.update();
            status.notify(`saved as ${name}`);
        } catch (error) {
            status.notify(error.message, true);
        }
    }
    const link = () => `${location.href.split('#')[0]}#${core.queryText('state').trim()}`;
    async function copy(text = core.queryText('copy')) {
        const isCopied = await copyText(element, text);
        status.notify(isCopied ? `copied: ${text.split('\n')[0]}`
            : 'the browser does not allow this page to copy', !isCopied);
    }

    // The core wants a dialog or an input of the page: opens it.
    function openPrompt() {
        const [name, argument] = core.queryText('prompt').trim().split(/ (.*)/s);
        const action = view.actionNamed(name);
        if (name === 'search') search.focus();
        else if (name === 'menu') menu.open();
        else if (name === 'theme') setTheme(argument);
        else if (name === 'help') help.open();
        else if (name === 'data-quality') status.toggleSheet();
        else if (name === 'notes') notes.toggle();
        else if (name === 'sanitize') sanitizing.open();
        else if (name === 'transform') view.editOperation(-1, argument);
        else if (name === 'export') save(argument);
        else if (name === 'copy-link') copy(link());
        else if (name === 'source') panel.openSource();
        else if (action?.argument) view.askFor(name, argument);
        else palette.open();
    }

    function setTheme(name) {
        theme.choose(name);
        changed(CHANGED.tools);
    }
    // Where something stands that the core has at {x, y} of the picture; in a table it is in the selected row.
    function placeOnPage({x, y}) {
        const row = isTable() && tables[tools.view].element.querySelector('.row.is-on')?.getBoundingClientRect();
        if (row) return {x: row.left + 40, y: row.bottom};
        const {left, top} = canvas.canvas.getBoundingClientRect(), {scale} = canvas.size();
        return {x: left + (x ?? 40 * scale) / scale, y: top + (y ?? 80 * scale) / scale};
    }

    function opened() {
        openings++;
        guard(() => {
            changed(core.changes() | CHANGED.tools | CHANGED.chips | CHANGED.status | CHANGED.detail |
                CHANGED.tables | CHANGED.tracks | CHANGED.picture);
            const {name, base} = core.query('tools');
            if (keepsHash) document.title = `${name}${base ? ` against ${base}` : ''} · flamel`;
            emit?.('flamel-load', {name});
        });
    }

    // ---- The panel --------------------------------------------------------------------------------

    function panelWanted(isWanted) {
        clearTimeout(panelTimer);
        isWanted &&= tools.panel !== false || panel.hasMatches();
        if (isWanted === !panel.element.hidden) return;
        const change = () => show(panel.element, isWanted);
        const since = performance.now() - view.clickedAt;
        if (isWanted && since < DOUBLE_CLICK_MS) panelTimer = setTimeout(change, DOUBLE_CLICK_MS - since);
        else change();
    }
    function showDetails(tall = true) {
        panel.setTall(tall);
        clearTimeout(panelTimer);
        guard(() => panel.update());
    }
    // Shows or hides the list of the functions that the current search matches.
    function showMatches(isWanted = !panel.hasMatches()) {
        panel.setMatches(isWanted ? list.element : null);
        showDetails();
        show(panel.element, isWanted || panel.hasDetail());
        list.update();
        changed(CHANGED.chips);
    }

    // ---- Keys -------------------------------------------------------------------------------------

    const isTyping = target => target.matches?.('input, textarea, select, [contenteditable]');
    const isPressed = (event, target) => (event.key === 'Enter' || event.key === ' ') &&
        target.matches?.('button, a, summary, [role=option]');
    if (keepsHash) addEventListener('beforeunload', event => { if (!broken && view.hasUnsavedNotes()) event.preventDefault(); });
    const keyTarget = keepsHash ? document : element;
    keyTarget.addEventListener('keydown', pressed);
    function pressed(event) {
        const target = event.composedPath()[0];
        if (event.defaultPrevented || event.isComposing || event.key === 'Tab' || isTyping(target) ||
            isPressed(event, target) || target.closest?.('dialog, [popover]') ||
            (event.key === 'c' && !getSelection().isCollapsed)) return;
        // The browser closes a popover, wherever the focus is; then nothing else.
        if (event.key === 'Escape' && element.querySelector(':popover-open')) return;
        if (event.key === 'Escape' && panel.hasMatches()) {
            showMatches(false);
            event.preventDefault();
            return;
        }
        guard(() => {
            if (isTable() && !target.closest?.('.table, .menu, .code') && tables[tools.view].take(event)) {
                view.focusPicture();
                event.preventDefault();
                return;
            }
            const bits = core.key(event.key, heldKeys(event), performance.now());
            if (bits) event.preventDefault();
            changed(bits);
        });
    }

    layOut();
    changed(~0 & ~(CHANGED.copy | CHANGED.prompt | CHANGED.state | CHANGED.history | CHANGED.speech));
    return {
        view, element, take: files.take, showState: files.showState,
        open: (bytes, name, side = 0) => files.opened(bytes, name, side), openBoth: files.openedBoth, restore: () => hash?.restore(), act,
        close() {
            keyTarget.removeEventListener('keydown', pressed);
            theme.close();
            canvas.close();
            element.remove();
        },
    };
}
