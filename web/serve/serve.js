// serve.js - the page of flamel serve: what is asked stands in a bar above the viewer, with the timeline; the viewer
// shows what was found. It is a script of its own, in that page alone; page.js calls it with the viewer and what it uses
// of the other scripts.

globalThis.flamelServe = ({viewer, make, button, refill, sign, choice, fillChoice, released}) => {
    const WINDOWS = [['-15m', 'last 15 min'], ['-1h', 'last hour'], ['-6h', 'last 6 h'], ['-24h', 'last 24 h'], ['-7d', 'last 7 days'],
        ['-30d', 'last 30 days']];
    const RENEWALS = [[0, 'off'], [15, '15 s'], [60, '1 min']], EMPTY_MS = 5000, MOST_GROUPS = 12;
    const {view, element: root} = viewer, style = new CSSStyleSheet();
    let state = readAddress(location.search), window_ = null, found = null, shown = '', marksOf = '', asked = 0, timer = 0, renewal = 0;
    style.replaceSync(serveStyle);
    document.adoptedStyleSheets.push(style);

    // ---- The server -------------------------------------------------------------------------------

    // Of what the page shows only what was asked last is wanted. What a menu asks is none of that.
    const OF_MENU = {signal: null};
    let wanted = new AbortController();
    async function ask(path, parameters = {}, options = {}) {
        const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '' && value != null));
        const response = await fetch(`api/v1/${path}?${query}`, {signal: wanted.signal, ...options}).catch(error => {
            if (error.name === 'AbortError') throw error;
            throw new Error('there is no answer: is flamel serve still running?');
        });
        if (response.ok) return response;
        const text = await response.text();
        let sentence = text;
        try {
            sentence = JSON.parse(text).error;
        } catch { /* not one of the API's */ }
        throw Object.assign(new Error(sentence || `the server says ${response.status}`), {status: response.status});
    }
    const list = async (path, parameters, options) => (await (await ask(path, parameters, options)).json())[path];

    const reports = makeReports(ask);

    // ---- The bar ----------------------------------------------------------------------------------

    const services = choice('Service', name => {
        const others = state.conditions.filter(({key}) => key !== SERVICE);
        change({conditions: name ? [{key: SERVICE, operator: '=', value: name}, ...others] : others});
    });
    const types = choice('What was measured', type => change({type}));
    const by = choice('Group by', label => change({by: label}));
    const windows = choice('Time', value => {
        if (value === 'other') return openTimes();
        change({from: value, until: '', range: null, before: null});
    });
    const renewals = choice('Renew every', value => {
        renewal = Number(value);
        schedule();
    });
    fillChoice(renewals, RENEWALS.map(([name, title]) => ({name, title})), '0');
    const chips = make('span', {class: 'chip-group'}), beforeChips = make('span', {class: 'chip-group'});
    const note = make('span', {class: 'serve-note', role: 'status'});
    const beforeNote = make('span', {class: 'serve-note'});
    const compare = button('Compare', () => {
        if (state.before) return change({before: null});
        // The time before it; of the whole window, the halves of the part that has values.
        if (state.range) {
            const {from, until} = state.range;
            return change({before: {from: from - (until - from), until: from, conditions: null}});
        }
        const {from, until} = halfOf(found);
        change({range: {from, until}, before: {from: from - (until - from), until: from, conditions: null}});
    });
    const copied = button('Copy link', async () => {
        const link = location.origin + location.pathname + printAddress(state, window_) + location.hash;
        try {
            await navigator.clipboard.writeText(link);
            say('the link is copied');
        } catch {
            openText('Link', link);
        }
    }, {title: 'A link that shows the same for ever'});
    const labelled = (text, control) => make('label', {}, make('span', {}, text), control);
    const bar = make('div', {class: 'serve-bar'}, make('div', {class: 'serve-controls'}, make('h1', {}, 'flamel'), services, types,
        chips, button('+ label', event => openCondition(event.currentTarget, 'conditions', null), {'data-key': 'add'}),
        labelled('by', by), windows, labelled('renew', renewals), sign('⟳', 'Renew now', () => renew(), {class: 'square'}),
        compare, button('Views', event => openViews(event.currentTarget)), copied), note);
    // Programs that the server scrapes; there is no button where it scrapes none.
    const targets = button('Targets', event => openTargets(event.currentTarget), {hidden: true});
    copied.before(targets);
    const SIDES = ['range', 'before'];
    function setSide(name) {
        timeline.setActive(name);
        sides.forEach((one, i) => one.setAttribute('aria-pressed', String(name === SIDES[i])));
    }
    const sides = SIDES.map(name => button(name === 'range' ? 'after' : 'before', () => setSide(name),
        {'aria-pressed': String(name === 'range')}));
    const beforeBar = make('div', {class: 'serve-bar serve-before', hidden: true}, make('div', {class: 'serve-controls'},
        make('span', {class: 'serve-note'}, 'Comparing. A drag sets'),
        make('span', {class: 'chip-group', role: 'group', 'aria-label': 'A drag sets'}, sides), beforeNote, beforeChips,
        button('+ label', event => openCondition(event.currentTarget, 'before', null)),
        button('Stop comparing', () => change({before: null}))));
    const timeline = makeTimeline({make, button, refill,
        onRange: (name, range) => {
            if (name === 'range') change({range});
            else if (range) change({before: {...range, conditions: state.before?.conditions ?? null}});
            else timeline.redraw();
        },
        onGroup: value => change({conditions: [...state.conditions.filter(({key}) => key !== state.by),
            {key: state.by, operator: '=', value}], by: ''}),
        onMarks: (marks, at) => marks.length > 1 ? openMarks(marks, at) : compareMark(marks[0])});
    const verdict = makeVerdict({make, button, refill,
        onSearch: name => view.act(`search /^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`),
        onEqual: () => {
            const {range, before} = state, ms = range.until - range.from;
            change({before: {...before, from: before.until - ms}});
        }});
    // Compares the time before a deploy or a change with the time after it.
    function compareMark({sides}) {
        if (sides) change({range: sides.range, before: {...sides.before, conditions: null}});
        else say('there is too little time before or after it to compare: choose a longer range', true);
    }
    const menu = make('div', {class: 'menu serve-menu', popover: 'auto'});
    const message = make('div', {class: 'serve-message', role: 'main', hidden: true});
    const top = make('section', {class: 'serve', 'aria-label': 'Query'}, bar, beforeBar, verdict.element, timeline.element);
    root.classList.add('of-store');
    root.prepend(top);
    root.append(message, menu);
    // Keys are those of the viewer where nothing here takes them.
    menu.addEventListener('keydown', event => event.stopPropagation());

    const isService = ({key, operator}) => key === SERVICE && operator === '=';
    const beforeConditions = () => state.before?.conditions ?? state.conditions;
    function chipsOf(name, conditions) {
        return conditions.map((condition, i) => {
            if (name === 'conditions' && isService(condition)) return false;
            const {key, operator, value} = condition, text = `${shownKey(key)} ${operator} ${value || '""'}`;
            return make('span', {class: 'chip'},
                button(text, event => openCondition(event.currentTarget, name, i), {title: `Change ${text}`, 'data-key': `${name} ${i}`}),
                sign('×', `Remove ${text}`, () => setConditions(name, conditions.filter(one => one !== condition))));
        });
    }
    function setConditions(name, conditions) {
        change(name === 'before' ? {before: {...state.before, conditions}} : {conditions});
    }
    function say(text, isWrong = false) {
        note.textContent = text;
        note.classList.toggle('wrong', isWrong);
    }
    // With what the address has that cannot be read.
    const sayShown = text => say([text, state.wrong].filter(Boolean).join(' · '), Boolean(state.wrong));
    function updateBar({serviceNames, typeNames, labelNames}) {
        const service = state.conditions.find(isService)?.value ?? '';
        const withOwn = (all, own) => own && !all.includes(own) ? [own, ...all] : all;
        fillChoice(services, [{name: '', title: 'all services'}, ...withOwn(serviceNames, service)], service);
        fillChoice(types, typeTitles(withOwn(typeNames, state.type)), state.type);
        fillChoice(by, [{name: '', title: 'nothing'}, ...withOwn(labelNames, state.by)
            .map(name => ({name, title: shownKey(name)}))], state.by);
        const isKnown = !state.until && WINDOWS.some(([name]) => name === state.from);
        fillChoice(windows, [...WINDOWS.map(([name, title]) => ({name, title})),
            {name: 'other', title: isKnown ? 'other …' : formatRange(window_)}], isKnown ? state.from : 'other');
        types.hidden = typeNames.length === 0;
        compare.disabled = typeNames.length === 0;
        refill(chips, chipsOf('conditions', state.conditions));
        compare.textContent = state.range && !state.before ? 'Compare with the time before' : 'Compare';
        compare.setAttribute('aria-pressed', String(Boolean(state.before)));
        beforeBar.hidden = !state.before;
        if (!state.before) return setSide('range');
        refill(beforeChips, chipsOf('before', beforeConditions()));
        beforeNote.textContent = `before: ${formatRange(state.before)}${beforeConditions().length ? ' of' : ''}`;
    }

    // ---- Menus ------------------------------------------------------------------------------------

    function openMenu(at, ...children) {
        menu.replaceChildren(...children);
        const {left, bottom} = at.getBoundingClientRect();
        menu.style.inset = `${Math.round(bottom + 4)}px auto auto ${Math.max(12, Math.round(Math.min(left, innerWidth - 320)))}px`;
        menu.showPopover();
        menu.querySelector('input, select, button')?.focus();
    }
    const field = (text, control) => make('label', {}, text, control);
    const submit = text => make('button', {class: 'main-button'}, text);
    function form(onsubmit, ...children) {
        return make('form', {onsubmit: event => {
            event.preventDefault();
            onsubmit();
        }}, children);
    }
    async function openCondition(at, name, index) {
        const conditions = name === 'before' ? beforeConditions() : state.conditions;
        const old = conditions[index] ?? {key: '', operator: '=', value: ''};
        const values = make('datalist', {id: 'serve-values'}), names = make('datalist', {id: 'serve-labels'});
        const key = make('input', {required: true, value: shownKey(old.key), list: 'serve-labels', autocomplete: 'off'});
        const operator = choice('Relation', () => {});
        const value = make('input', {value: old.value, list: 'serve-values', autocomplete: 'off'});
        fillChoice(operator, [['=', 'is'], ['!=', 'is not'], ['=~', 'matches'], ['!~', 'does not match']]
            .map(([one, title]) => ({name: one, title: `${one}  ${title}`})), old.operator);
        const suggest = async () => {
            if (!key.value) return;
            const all = await list('values', {label: keyOf(key.value.trim())}, OF_MENU).catch(() => []);
            values.replaceChildren(...all.slice(0, 500).map(one => make('option', {value: one})));
        };
        key.addEventListener('change', suggest);
        openMenu(at, make('h2', {}, index == null ? 'Add a label' : 'Change a label'), form(() => {
            const made = {key: keyOf(key.value.trim()), operator: operator.value, value: value.value};
            menu.hidePopover();
            setConditions(name, index == null ? [...conditions, made] : conditions.map((one, i) => i === index ? made : one));
        }, field('Label', key), field('Relation', operator), field('Value', value), submit(index == null ? 'Add' : 'Change')),
        names, values);
        names.replaceChildren(...(await list('labels', {}, OF_MENU).catch(() => [])).map(one => make('option', {value: shownKey(one)})));
        suggest();
    }
    function openTimes() {
        const from = make('input', {required: true, value: state.from}), until = make('input', {value: state.until || 'now'});
        const wrong = make('p', {class: 'wrong', role: 'alert'});
        openMenu(windows, make('h2', {}, 'Time'), form(() => {
            const now = Date.now(), [a, b] = [from, until].map(one => timeOf(one.value.trim(), now));
            if (!(a < b)) {
                wrong.textContent = a >= b ? 'it ends before it begins' : 'that is no time: take -6h, 2026-11-28T10:30 (UTC), or now';
                return;
            }
            menu.hidePopover();
            change({from: from.value.trim(), until: until.value.trim() === 'now' ? '' : until.value.trim(), range: null, before: null});
        }, field('From', from), field('Until', until), submit('Show'), wrong));
        windows.value = WINDOWS.some(([name]) => name === state.from) && !state.until ? state.from : 'other';
    }
    function openText(title, text) {
        const input = make('input', {value: text, readonly: true, 'aria-label': title});
        openMenu(copied, make('h2', {}, title), input);
        input.select();
    }
    async function openViews(at) {
        const name = make('input', {required: true, maxlength: 100});
        const wrong = make('p', {class: 'wrong', role: 'alert'}), items = make('ul', {});
        const attempt = async work => {
            try {
                await work();
                wrong.textContent = '';
                await fill();
            } catch (error) {
                wrong.textContent = error.message;
            }
        };
        async function fill() {
            const all = await list('views', {}, OF_MENU);
            items.replaceChildren(...all.map(one => make('li', {},
                button(one.name, () => {
                    menu.hidePopover();
                    history.pushState(null, '', location.pathname + one.view);
                    dispatchEvent(new PopStateEvent('popstate'));
                }, {class: 'cut', title: one.name}),
                sign('×', `Remove ${one.name}`, () => attempt(() => ask('views', {name: one.name}, {...OF_MENU, method: 'DELETE'}))))));
        }
        openMenu(at, make('h2', {}, 'Saved views'), items, form(() => attempt(async () => {
            await ask('views', {name: name.value.trim()}, {...OF_MENU, method: 'POST',
                body: (printAddress(state) || '?') + location.hash});
            name.value = '';
        }), field('Save what is shown as', name), submit('Save'), wrong));
        await attempt(() => {});
    }

    function openMarks(marks, at) {
        openMenu(at, make('h2', {}, 'Deploys and changes'), make('ul', {}, marks.map(mark => make('li', {},
            button(`${clock(mark.begin, false)} ${mark.title}`, () => {
                menu.hidePopover();
                compareMark(mark);
            }, {class: 'cut'})))));
    }

    const isDown = ({state}) => state === 'down';
    function updateTargets(all) {
        const down = all.filter(isDown).length;
        targets.hidden = all.length === 0;
        targets.textContent = down ? `${down} of ${all.length} scrapes fail` : 'Targets';
        targets.classList.toggle('wrong', down > 0);
    }
    async function openTargets(at) {
        const all = await list('targets', {}, OF_MENU);
        updateTargets(all);
        all.sort((a, b) => isDown(b) - isDown(a));
        openMenu(at, make('h2', {}, 'Targets'), make('ul', {class: 'serve-targets'}, all.map(one => make('li', {},
            make('span', {}, `${one.service} ${one.target} ${one.profile}`),
            make('span', {class: isDown(one) ? 'wrong' : 'serve-note'}, isDown(one) ? one.error : one.state)))));
    }

    // ---- Messages ---------------------------------------------------------------------------------

    function showMessage(...children) {
        message.replaceChildren(make('div', {}, children));
        message.hidden = false;
        root.classList.add('has-message');
    }
    function hideMessage() {
        message.hidden = true;
        root.classList.remove('has-message');
    }
    function showEmpty() {
        timeline.element.hidden = true;
        showMessage(make('h2', {}, 'There are no profiles here yet'),
            make('p', {}, 'Push the first one: of a program, every 15 seconds,'),
            make('pre', {}, `flamel record --push ${location.origin} --service api -- ./api`),
            make('p', {}, 'or a file,'),
            make('pre', {}, `curl --data-binary @app.flm '${location.origin}/api/v1/push?service=api'`),
            make('p', {class: 'muted'}, 'Clients of Pyroscope, OpenTelemetry and Datadog push to this address too. ' +
                'This page looks again every five seconds.'));
    }
    function showNothing(isBefore = false) {
        const conditions = isBefore ? beforeConditions() : state.conditions;
        const range = (isBefore ? state.before : state.range) ?? window_;
        verdict.hide();
        showMessage(make('h2', {}, isBefore ? 'There is nothing to compare with' : 'No profile matches'),
            make('p', {}, `Of ${printSelector(conditions) || 'all services'} there is nothing in ${formatRange(range)}.`),
            isBefore && button('Stop comparing', () => change({before: null})),
            !isBefore && state.range && button('Show all of the time above', () => change({range: null, before: null})),
            !isBefore && !state.range && state.from !== '-30d' && button('Look at the last 30 days', () =>
                change({from: '-30d', until: '', range: null, before: null})),
            !isBefore && state.conditions.length > 0 && button('Show all services', () => change({conditions: [], by: '', type: ''})));
    }

    // ---- What is shown ----------------------------------------------------------------------------

    // A change is a step of the browser's history; it keeps the state of the viewer, behind the '#'.
    function change(changes) {
        state = {...state, wrong: '', ...changes};
        history.pushState(null, '', location.pathname + printAddress(state) + location.hash);
        renew();
    }
    addEventListener('popstate', () => {
        const before = printAddress(state);
        state = readAddress(location.search);
        if (printAddress(state) !== before || state.wrong) renew();
    });

    // In whole steps, so that the picture is of what the timeline shows.
    const windowOf = () => {
        const now = Date.now(), from = timeOf(state.from, now), until = timeOf(state.until, now);
        const [a, b] = from < until ? [from, until] : [now - 36e5, now], stepMs = stepFor(b - a) * 1000;
        return {from: Math.floor(a / stepMs) * stepMs, until: Math.ceil(b / stepMs) * stepMs, stepMs};
    };
    const selector = () => printSelector(state.conditions);
    async function findTimeline() {
        const {from, until, stepMs} = window_, other = state.before?.conditions;
        const valuesOf = async query => (await ask('timeline', {type: state.type, from, until, step: stepMs / 1000, ...query})).json();
        const [answer, before] = await Promise.all([valuesOf({selector: selector(), by: state.by, groups: state.by && MOST_GROUPS}),
            other && valuesOf({selector: printSelector(other)})]);
        const groups = answer.groups ?? [];
        const rest = answer.values.map((value, i) => groups.reduce((left, group) => left - group.values[i], value));
        return {from, until, stepMs, values: answer.values, groups, rest, more: answer.more ?? 0, before: before?.values,
            beforeTitle: other && (printSelector(other) || 'all services')};
    }
    const profileOf = (conditions, {from, until}) => ask('merge', {selector: printSelector(conditions), type: state.type,
        from: Math.round(from), until: Math.round(until)}).then(async response => new Uint8Array(await response.arrayBuffer()));
    const titleOf = (conditions, range) => `${printSelector(conditions) || 'all services'} ${formatRange(range)}`;

    async function showProfiles(number) {
        const range = state.range ?? window_;
        let begun = performance.now();
        const key = JSON.stringify([state.conditions, state.type, range, state.before]);
        if (key === shown) return;
        const before = state.before && await profileOf(beforeConditions(), state.before).catch(error => {
            throw Object.assign(error, {isBefore: true});
        });
        const after = await profileOf(state.conditions, range);
        const came = performance.now();
        await released(); // what is pressed acts on the rows that were seen
        begun += performance.now() - came;
        if (number !== asked) return;
        const names = {after: titleOf(state.conditions, range), before: before && titleOf(beforeConditions(), state.before)};
        hideMessage();
        if (!state.before) verdict.hide();
        if (!state.before && view.tools().comparison) view.tryAct('compare-stop');
        if (before) {
            viewer.openBoth({bytes: after, name: names.after}, {bytes: before, name: names.before});
        } else {
            viewer.open(after, names.after);
        }
        if (!shown) viewer.restore();
        shown = key;
        return performance.now() - begun;
    }

    // Runs after the flame graph is shown, which does not wait for it.
    async function showReports(number, labelNames) {
        const query = {selector: selector(), type: state.type}, range = window_, isOfService = state.conditions.some(isService);
        const wrong = error => {
            if (number === asked && error.name !== 'AbortError') verdict.showError(error.message);
        };
        await Promise.all([isOfService && reports.findMarks(query, range, found.values, labelNames).then(({marks, looked, changes}) => {
            if (number === asked) timeline.setMarks(marks, !looked ? '' : changes > 0 ? '' : 'no lasting change found');
        }).catch(() => {}), showVerdict(query, number).catch(wrong)]);
    }
    async function showVerdict(query, number) {
        const {range, before} = state;
        if (!before) return verdict.hide();
        // Services are no runs of one program. Where there is only one, it is chosen.
        if (services.options.length > 2 && ![state.conditions, beforeConditions()].every(all => all.some(isService)))
            return verdict.showError('choose one service: its series are the runs that a verdict compares.');
        const [a, b] = [range ?? window_, before].map(one => one.until - one.from);
        if (a !== b) return verdict.showLengths(range ?? window_);
        verdict.showPending();
        const found = await reports.findVerdict(query, range ?? window_, before, before.conditions && printSelector(before.conditions));
        if (number === asked) verdict.update(found);
    }

    // What is asked for again and again answers what was asked last.
    async function renew() {
        wanted.abort();
        wanted = new AbortController();
        const number = ++asked;
        clearTimeout(timer);
        say('…');
        try {
            await update(number);
        } catch (error) {
            if (number !== asked || error.name === 'AbortError') return;
            console.warn(error);
            say(error.message, true);
        }
        if (number === asked) schedule();
    }
    async function update(number) {
        window_ = windowOf();
        const service = state.conditions.filter(isService);
        const [serviceNames, labelNames, scraped] = await Promise.all([list('services'),
            list('labels', {selector: printSelector(service)}), list('targets')]);
        if (number !== asked) return;
        updateTargets(scraped);
        if (serviceNames.length === 0) {
            found = null;
            sayShown('');
            updateBar({serviceNames, typeNames: [], labelNames});
            return showEmpty();
        }
        const typeNames = await list('types', {selector: selector(), from: window_.from, until: window_.until});
        if (number !== asked) return;
        if (!typeNames.includes(state.type) && typeNames.length > 0)
            state.type = typeNames.find(name => partsOf(name).name === 'cpu') ?? typeNames[0];
        updateBar({serviceNames, typeNames, labelNames});
        timeline.element.hidden = false;
        if (typeNames.length === 0) {
            found = null;
            timeline.element.hidden = true;
            shown = '';
            sayShown('');
            return showNothing();
        }
        const data = await findTimeline();
        if (number !== asked) return;
        found = data;
        if (marksOf !== JSON.stringify([state.conditions, state.type])) timeline.setMarks([], '');
        marksOf = JSON.stringify([state.conditions, state.type]);
        timeline.update(found, state.type, {range: state.range, before: state.before, by: state.by});
        try {
            const ms = await showProfiles(number);
            if (number !== asked) return;
            sayShown(`${formatRange(state.range ?? window_)}${ms != null ? ` · answered in ${Math.round(ms)} ms` : ''}`);
            showReports(number, labelNames);
        } catch (error) {
            if (error.status !== 404) throw error;
            shown = '';
            sayShown('');
            showNothing(error.isBefore);
        }
    }
    // Nothing is asked for while nobody sees the page; an empty store is looked at again.
    function schedule() {
        clearTimeout(timer);
        const isEmpty = found === null && root.classList.contains('has-message') && services.options.length <= 1;
        const ms = isEmpty ? EMPTY_MS : renewal * 1000;
        if (!ms) return;
        timer = setTimeout(() => document.visibilityState === 'visible' ? renew() : schedule(), ms);
    }
    renew();
};
