// viewer.js - the viewer in an element: its parts, and which of them an event reaches. State is the core's; here is
// only which part asks for what when the core says that something changed.

import {CHANGED} from './core.js';
import {heldKeys, makeCanvas} from './canvas.js';
import {make, show} from './dom.js';
import {makeAria} from './aria.js';
import {makeChips} from './chips.js';
import {makeFiles} from './files.js';
import {makeHash} from './hash.js';
import {makeHelp, makePalette, keyWords} from './palette.js';
import {makePanel} from './panel.js';
import {makeSearch} from './search.js';
import {makeStatus} from './status.js';
import {makeTable} from './tables.js';
import {makeTools} from './tools.js';
import {makeTooltip} from './tooltip.js';
import {copyText, exportAs} from './export.js';
import {addViewerStyle, watchTheme} from './theme.js';

// A panel that a click opened comes after what could be a double click: the picture moves then.
const DOUBLE_CLICK_MS = 420;

// While the picture is moved by a hand only it is made anew: words about it, and about what is under the
// pointer, come when it has come to rest.
const WORDS = ~(CHANGED.picture | CHANGED.detail | CHANGED.tracks);
const REST_MS = 200; // a busy machine is late by 100: words in between would be the longest frames

// In `root`, an element or a shadow root. `keepsHash`: the state is in the page's address.
// `tell(name, detail)` is called for a component's events.
export function makeViewer(root, core, module, {keepsHash = true, tell = null} = {}) {
    let hello = null, tools = null, pending = 0, wanted = false, broken = false, isFirst = true, panelTimer = 0;
    let movedAt = -REST_MS, words = 0, restTimer = 0, speechTimer = 0, hasSelected = false;
    const view = {
        core, keyWords, clickedAt: -DOUBLE_CLICK_MS,
        tools: () => tools,
        actions: () => hello.actions,
        actionNamed: name => hello.actions.find(action => action.name === name),
        told, moved, want, act, point, tryAct, failed: message => tell?.('flamel-error', {message}), opened, showDetails, showFound, panelWanted,
        stageSize: () => canvas.size(),
        canvas: () => canvas.canvas,
        copyMs: () => canvas.copyMs(),
        isDark: () => theme.isDark(),
        focusPicture: () => (isTable() ? tables[tools.view].element : aria.element)
            .focus({preventScroll: true}),
        openFiles: where => files.choose(where),
        bare: text => bare(text),
        editOperation: (at = -1, text = '') => palette.open({title: 'Transform', argument: 'hide:libc.so.6',
            run: at < 0 ? 'apply' : `operation-edit ${at}`, text}),
        askFor(name, text) {
            const {title, argument} = view.actionNamed(name);
            palette.open({title, run: name, argument, text});
        },
        menuTold: children => bar.updateMore(children),
        hasFound: () => panel.hasFound(),
        say: (words, isWrong) => status.say(words, isWrong),
        searchTold: answer => search.update(answer),
    };

    hello = core.query('hello');
    tools = core.query('tools');
    const aria = makeAria(view), canvas = makeCanvas(view, aria.element);
    const tooltip = makeTooltip(view), panel = makePanel(view), search = makeSearch(view);
    const bar = makeTools(view, search.element), chips = makeChips(view);
    // By view: those that are tables.
    const tables = Object.fromEntries(tools.views.filter(one => one.table)
        .map(one => [one.name, makeTable(view, one.table)]));
    const list = makeTable(view, 'list');
    const status = makeStatus(view), palette = makePalette(view), help = makeHelp(view);
    const files = makeFiles(view, module);
    const hash = keepsHash ? makeHash(view) : null;

    canvas.element.append(tooltip.element, status.overlay);
    const main = make('main', {class: 'main'}, Object.values(tables).map(table => table.element), canvas.element,
        panel.element, files.element, files.ghost);
    const element = make('div', {class: 'flamel'}, bar.element, chips.element, main, status.element,
        status.sheet, palette.element, help.element, files.chosen, aria.voice);
    addViewerStyle(root);
    root.append(element);
    files.listen(element);
    const theme = watchTheme(view, element, () => {
        canvas.paint();
        told(core.changes() | CHANGED.chips);
    });

    // Without the unit, where a heading or the status line says it: "716 M samples".
    function bare(text) {
        const unit = tools.metrics.find(metric => metric.name === tools.metric)?.unit;
        return unit && text?.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : text;
    }
    const isTable = () => tools.view in tables;

    // ---- What changed -----------------------------------------------------------------------------

    function want() {
        if (wanted || broken) return;
        wanted = true;
        requestAnimationFrame(() => {
            wanted = false;
            guard(frame);
        });
    }
    function told(bits) {
        if (!bits) return;
        pending |= bits;
        // These two need the person's gesture, which is over in the next frame.
        const now = pending & (CHANGED.copy | CHANGED.prompt);
        pending &= ~now;
        if (now & CHANGED.copy) copy();
        if (now & CHANGED.prompt) openPrompt();
        want();
    }
    function moved(bits) {
        movedAt = performance.now();
        tooltip.hide();
        told(bits);
    }
    // A timer that finds it was too early waits again: to set one in every frame takes its time.
    function rest() {
        const left = movedAt + REST_MS - performance.now();
        restTimer = left > 0 && setTimeout(rest, left);
        if (restTimer) return;
        pending |= words;
        words = 0;
        want();
    }
    function frame() {
        let bits = pending;
        pending = 0;
        canvas.paint();
        bits |= core.changes();
        if (isFirst) return firstFrame(bits);
        if (performance.now() - movedAt < REST_MS && bits & WORDS) {
            words |= bits & WORDS;
            bits &= ~WORDS;
            if (!restTimer) rest();
        }
        if (bits & CHANGED.tools) layOut();
        const is = (...names) => names.some(name => bits & CHANGED[name]);
        if (is('tools')) bar.update(tools);
        if (is('chips', 'tools')) chips.update();
        if (is('tracks') && tools.name) bar.updateTracks(core.query('tracks'));
        if (is('hover')) tooltip.update();
        if (is('detail', 'tools')) panel.update();
        if (is('status')) status.update();
        if (is('notice')) refused(core.queryText('notice').trim());
        if (is('tables', 'tools', 'chips', 'detail')) updateTables();
        if (is('detail', 'tools')) aria.update();
        if (is('overlay')) status.updateOverlay();
        if (is('speech', 'tools', 'chips', 'state')) speak(is('speech'));
        if (is('state') && hash) hash.update(is('history'));
        if (is('status') && tools.name) files.settle();
        if (tell && is('detail')) tell('flamel-select', core.query('detail'));
        if (tell && is('state')) tell('flamel-change', {state: core.queryText('state').trim()});
    }
    // What decides how much room the picture has comes with it; all words about it, in the next frame.
    function firstFrame(bits) {
        isFirst = false;
        layOut();
        chips.update();
        panel.update();
        pending |= bits;
        want();
    }
    // Once, when nothing more comes for a moment: not in the frames of a zoom, not letter by letter.
    function speak(isSelected) {
        hasSelected ||= isSelected;
        clearTimeout(speechTimer);
        speechTimer = setTimeout(() => guard(() => {
            if (tools.name) aria.speak(hasSelected, chips.titles());
            hasSelected = false;
        }), REST_MS);
    }
    function updateTables() {
        if (isTable()) tables[tools.view].update();
        if (panel.hasFound()) list.update();
    }
    function layOut() {
        tools = core.query('tools');
        main.classList.toggle('has-table', isTable());
        for (const [name, table] of Object.entries(tables)) show(table.element, tools.view === name);
    }
    // A trap in the core is the end of this viewer, and said.
    function guard(work) {
        try {
            work();
        } catch (error) {
            broken = error instanceof WebAssembly.RuntimeError;
            console.error(error);
            files.tellError(broken ? `The viewer stopped: ${error.message}. Load the page again.`
                : error.message);
        }
    }

    // ---- What is done -----------------------------------------------------------------------------

    // Null, or why not.
    function tryAct(action) {
        const [name, argument] = action.split(/ (.*)/s);
        if (name === 'export') return save(argument), null;
        const why = core.act(action);
        told(core.changes());
        return why;
    }
    // What a row stands for is marked in the picture.
    function point(action) {
        core.act(action);
        told(core.changes());
    }
    function act(action) {
        const why = tryAct(action);
        if (why) refused(why);
        return !why;
    }
    function refused(why) {
        status.say(why, true);
        view.failed(why);
    }
    async function save(kind) {
        try {
            status.say(`saved as ${await exportAs(view, kind)}`);
        } catch (error) {
            status.say(error.message, true);
        }
    }
    const link = () => `${location.href.split('#')[0]}#${core.queryText('state').trim()}`;
    async function copy(text = core.queryText('copy')) {
        status.say(await copyText(element, text) ? `copied: ${text.split('\n')[0]}`
            : 'the browser does not let this page copy', false);
    }

    // What the core wants to be typed or shown.
    function openPrompt() {
        const [what, argument] = core.queryText('prompt').trim().split(/ (.*)/s);
        const action = view.actionNamed(what);
        if (what === 'search') search.focus();
        else if (what === 'help') help.open();
        else if (what === 'data-quality') status.toggleSheet();
        else if (what === 'transform') view.editOperation(-1, argument);
        else if (what === 'export') save(argument);
        else if (what === 'copy-link') copy(link());
        else if (what === 'source') panel.openSource();
        else if (action?.argument) view.askFor(what, argument);
        else palette.open();
    }

    function opened() {
        guard(() => {
            told(core.changes() | CHANGED.tools | CHANGED.chips | CHANGED.status | CHANGED.detail |
                CHANGED.tables | CHANGED.tracks | CHANGED.picture);
            const {name, base} = core.query('tools');
            if (keepsHash) document.title = `${name}${base ? ` against ${base}` : ''} · flamel`;
            tell?.('flamel-load', {name});
        });
    }

    // ---- The panel --------------------------------------------------------------------------------

    function panelWanted(isWanted) {
        clearTimeout(panelTimer);
        isWanted &&= tools.panel !== false || panel.hasFound();
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
    function showFound(isWanted = !panel.hasFound()) {
        panel.setFound(isWanted ? list.element : null);
        showDetails();
        show(panel.element, isWanted || panel.hasDetail());
        list.update();
        told(CHANGED.chips);
    }

    // ---- Keys -------------------------------------------------------------------------------------

    const isTyping = target => target.matches?.('input, textarea, select, [contenteditable]');
    const isPressed = (event, target) => (event.key === 'Enter' || event.key === ' ') &&
        target.matches?.('button, a, summary, [role=option]');
    const keyTarget = keepsHash ? document : element;
    keyTarget.addEventListener('keydown', pressed);
    function pressed(event) {
        const target = event.composedPath()[0];
        if (event.defaultPrevented || event.isComposing || event.key === 'Tab' || isTyping(target) ||
            isPressed(event, target) || target.closest?.('dialog, [popover]') ||
            (event.key === 'c' && !getSelection().isCollapsed)) return;
        guard(() => {
            const bits = core.key(event.key, heldKeys(event), performance.now());
            if (bits) event.preventDefault();
            told(bits);
        });
    }

    layOut();
    told(~0 & ~(CHANGED.copy | CHANGED.prompt | CHANGED.state | CHANGED.history | CHANGED.speech));
    return {
        view, element, take: files.take, settle: files.settle, fail: files.tellError,
        open: (bytes, name, side = 0) => files.opened(bytes, name, side), restore: () => hash?.restore(), act,
        close() {
            keyTarget.removeEventListener('keydown', pressed);
            theme.close();
            canvas.close();
            element.remove();
        },
    };
}
