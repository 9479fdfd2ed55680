// timeline.js - values over time: bars stacked by group, a row of a heatmap for each group, and the ranges that are
// dragged on either. A range can be moved by keys too: its ends are sliders.

const PLOT_HEIGHT = 84, ROW_HEIGHT = 24, LEAST_DRAG = 4, COLOR_COUNT = 8;
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 172800, 604800, 2592000];

// Seconds in a step, so that a range has 150 steps or fewer; of more than two minutes none is shorter than 15 s, since
// clients push every 10 to 30.
const MOST_STEPS = 150, PUSHED_S = 15;
const stepFor = ms => STEPS_S.find(step => ms / 1000 / step <= MOST_STEPS && (ms < 120000 || step >= PUSHED_S)) ?? Math.ceil(ms / 1000 / MOST_STEPS);

// The largest value of an axis: 1, 2 or 5 and zeros.
function roundUp(value) {
    const unit = 10 ** Math.floor(Math.log10(value));
    return unit * [1, 2, 5, 10].find(step => step * unit >= value * 0.999999);
}

// The second half, in whole steps, of the part of a timeline that has values.
function halfOf({from, until, stepMs, values}) {
    const first = values.findIndex(value => value > 0), last = values.findLastIndex(value => value > 0);
    const end = last > first ? from + (last + 1) * stepMs : until, count = last > first ? last + 1 - first : values.length;
    return {from: end - Math.floor(count / 2) * stepMs, until: end};
}

// In pixels: marks nearer than MARK_WIDTH share a button; one with less room than MARK_LABEL has no text.
const MARK_WIDTH = 26, MARK_LABEL = 64, MARK_MOST = 220;

function makeTimeline({make, button, refill, onRange, onGroup, onMarks}) {
    let data = null, type = '', ranges = {}, active = 'range', dragged = null, marks = [];
    const canvas = make('canvas', {role: 'img', class: 'serve-bars'});
    const heat = make('canvas', {'aria-hidden': 'true', class: 'serve-heat'});
    const top = make('span', {class: 'serve-top'}), title = make('span', {class: 'muted'}), looked = make('span', {class: 'muted'});
    const markNames = make('div', {class: 'serve-marks', role: 'group', 'aria-label': 'Deploys and changes', hidden: true});
    const markLines = make('div', {class: 'serve-lines', 'aria-hidden': 'true'});
    const times = make('div', {class: 'serve-times', 'aria-hidden': 'true'});
    const overlay = make('div', {class: 'serve-overlay'}), plot = make('div', {class: 'serve-plot'}, canvas, markLines, overlay);
    const names = make('ul', {class: 'serve-names'}), rows = make('div', {class: 'serve-rows'}, names, heat);
    const scroll = make('div', {class: 'serve-scroll', role: 'region', 'aria-label': 'Groups'}, rows);
    const palette = Array.from({length: COLOR_COUNT + 1}, (none, i) => make('i', {class: `serve-color g${i}`}));
    const colors = make('span', {class: 'serve-palette', 'aria-hidden': 'true'}, palette);
    const element = make('section', {class: 'serve-timeline', 'aria-label': 'Timeline'},
        make('div', {class: 'serve-axis'}, top, title, looked), markNames, plot, times, scroll, colors);

    const colorAt = i => getComputedStyle(palette[Math.min(i, COLOR_COUNT)]).backgroundColor;
    const span = () => data.until - data.from;
    const atOf = ms => Math.max(0, Math.min(1, (ms - data.from) / span()));

    // ---- Pictures ---------------------------------------------------------------------------------

    function prepared(target, width, height) {
        const scale = devicePixelRatio || 1;
        target.width = Math.max(1, Math.round(width * scale));
        target.height = Math.max(1, Math.round(height * scale));
        const context = target.getContext('2d');
        context.scale(scale, scale);
        return context;
    }
    // Of other labels before: their values in the range before, where the bars are of the labels after.
    function valuesBefore() {
        const {before} = ranges;
        return (data.before ?? []).map((value, step) => {
            const at = data.from + step * data.stepMs;
            return before && at + data.stepMs > before.from && at < before.until ? value : 0;
        });
    }
    function drawBars() {
        const width = plot.clientWidth, context = prepared(canvas, width, PLOT_HEIGHT), before = valuesBefore();
        const most = Math.max(...data.values, ...before, 0), factor = rateFactor(type, data.stepMs), limit = most > 0 ? roundUp(most * factor) / factor : 1;
        const each = width / data.values.length, gap = each > 3 ? 1 : 0;
        const layers = [...data.groups, {values: data.rest}];
        const bottoms = new Float64Array(data.values.length);
        layers.forEach(({values}, i) => {
            context.fillStyle = colorAt(i < data.groups.length ? i : data.groups.length ? COLOR_COUNT : 0);
            values.forEach((value, step) => {
                if (!(value > 0)) return;
                const low = bottoms[step] / limit * PLOT_HEIGHT, high = (bottoms[step] + value) / limit * PLOT_HEIGHT;
                bottoms[step] += value;
                context.fillRect(step * each, PLOT_HEIGHT - high, Math.max(each - gap, 0.5), Math.max(high - low, 0.5));
            });
        });
        const {color, backgroundColor} = getComputedStyle(palette[COLOR_COUNT]);
        before.forEach((value, step) => {
            if (!(value > 0)) return;
            const y = PLOT_HEIGHT - value / limit * PLOT_HEIGHT, size = Math.max(each - gap, 0.5);
            context.fillStyle = backgroundColor;
            context.globalAlpha = 0.6;
            context.fillRect(step * each, y, size, PLOT_HEIGHT - y);
            context.fillStyle = color;
            context.globalAlpha = 1;
            context.fillRect(step * each, y, size, 2);
        });
        top.textContent = most > 0 ? formatRate(limit, type, data.stepMs) : '';
        const sum = all => formatValue(all.reduce((a, b) => a + b, 0), type);
        canvas.setAttribute('aria-label', `${partsOf(type).name} from ${formatRange(data)}: ${sum(data.values)} in all, at most ${
            formatRate(most, type, data.stepMs)}${data.before ? `; ${sum(before)} of ${data.beforeTitle} before` : ''}`);
    }
    function drawHeat() {
        const groups = data.groups, width = plot.clientWidth;
        const context = prepared(heat, width, Math.max(1, groups.length * ROW_HEIGHT));
        const most = Math.max(0, ...groups.map(({values}) => Math.max(...values, 0))) || 1;
        const style = getComputedStyle(palette[COLOR_COUNT]);
        context.fillStyle = style.outlineColor;
        const each = width / data.values.length;
        groups.forEach(({values}, row) => values.forEach((value, step) => {
            if (!(value > 0)) return;
            context.globalAlpha = 0.12 + 0.88 * value / most;
            context.fillRect(step * each, row * ROW_HEIGHT + 1, each + 0.5, ROW_HEIGHT - 2);
        }));
    }
    function drawTimes() {
        const most = Math.max(1, Math.floor(plot.clientWidth / 110)), isLong = span() > 36 * 36e5, marks = [];
        const step = STEPS_S.map(s => s * 1000).find(ms => span() / ms <= most) ?? span();
        const shift = new Date(data.from).getTimezoneOffset() * 60000;
        for (let at = Math.ceil((data.from - shift) / step) * step + shift; at < data.until; at += step) {
            if (atOf(at) < 0.02 || atOf(at) > 0.98) continue;
            const mark = make('span', {}, isLong ? `${day(at).slice(5)} ${clock(at, false)}` : clock(at, step < 60000));
            mark.style.left = `${atOf(at) * 100}%`;
            marks.push(mark);
        }
        times.replaceChildren(...marks);
    }
    function draw() {
        if (!data || !plot.clientWidth) return;
        drawBars();
        drawHeat();
        drawTimes();
        drawMarks();
        drawRanges();
    }
    new ResizeObserver(draw).observe(plot);

    // ---- Deploys and changes ----------------------------------------------------------------------

    // A mark is a line in the plot and a button above it, which is as wide as the room up to the next one.
    function drawMarks() {
        const width = plot.clientWidth, shown = marks.filter(({begin}) => begin >= data.from && begin < data.until), groups = [];
        for (const mark of shown) {
            const x = Math.min(atOf(mark.begin) * width, width - MARK_WIDTH), last = groups.at(-1);
            if (last && x - last.x < MARK_WIDTH) last.marks.push(mark);
            else groups.push({x, marks: [mark]});
        }
        refill(markNames, groups.map(({x, marks: all}, i) => {
            const room = Math.min((groups[i + 1]?.x ?? width) - x - 2, MARK_MOST), first = all[0];
            // A deploy and the changes near it, which it mostly caused, are one mark: that of the deploy.
            const deploys = all.filter(({kind}) => kind === 'deploy'), main = deploys.length === 1 ? deploys[0] : first;
            const isOne = all.length === 1 || deploys.length === 1;
            const text = isOne ? [main, ...all.filter(mark => mark !== main)].map(({title: name}) => name).join(', ') : `${all.length} marks`;
            const named = all.map(mark => `${mark.kind} at ${clock(mark.begin, false)}: ${mark.title}`).join('\n');
            const made = button([make('i', {class: `serve-mark is-${main.kind}`}), room >= MARK_LABEL && make('span', {class: 'cut'}, text)]
                .filter(Boolean), event => onMarks(isOne ? [main] : all, event.currentTarget),
            {title: `${named}\nCompare the time after it with the time before`, 'aria-label': room < MARK_LABEL && named,
                'data-key': `mark ${first.kind} ${first.begin}`});
            made.style.left = `${x}px`;
            made.style.maxWidth = `${Math.max(room, MARK_WIDTH - 2)}px`;
            return made;
        }));
        markNames.hidden = shown.length === 0;
        markLines.replaceChildren(...shown.map(mark => {
            const line = make('i', {class: `is-${mark.kind}`});
            line.style.left = `${atOf(mark.begin) * 100}%`;
            return line;
        }));
    }

    // ---- Ranges -----------------------------------------------------------------------------------

    const LABELS = {range: 'Range', before: 'Range before'};
    function drawRanges() {
        const shown = dragged ? {...ranges, [active]: dragged} : ranges, made = [];
        for (const name of ['before', 'range']) {
            const range = shown[name];
            if (!range || range.until <= data.from || range.from >= data.until) continue;
            const box = make('div', {class: `serve-range is-${name}`}, handle(name, 'from', range), handle(name, 'until', range),
                make('span', {class: 'serve-range-title', 'aria-hidden': 'true'},
                    `${name === 'before' ? 'before ' : shown.before ? 'after ' : ''}${formatRange(range)}`));
            box.style.left = `${atOf(range.from) * 100}%`;
            box.style.width = `${(atOf(range.until) - atOf(range.from)) * 100}%`;
            if (atOf(range.from) > 0.6) box.classList.add('is-right');
            made.push(box);
        }
        refill(overlay, made);
    }
    function handle(name, end, range) {
        return make('span', {role: 'slider', tabindex: 0, class: `serve-handle is-${end}`, 'data-key': `${name} ${end}`,
            'aria-label': `${LABELS[name]}: ${end === 'from' ? 'beginning' : 'end'}`, 'aria-valuemin': 0,
            'aria-valuemax': data.values.length, 'aria-valuenow': Math.round(atOf(range[end]) * data.values.length),
            'aria-valuetext': `${day(range[end])} ${clock(range[end])}`, onkeydown: event => {
                const by = {ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10}[event.key];
                if (!by) return;
                event.preventDefault();
                event.stopPropagation();
                const moved = {...range, [end]: range[end] + by * data.stepMs};
                moved.from = Math.max(data.from, moved.from);
                moved.until = Math.min(data.until, moved.until);
                if (moved.from < moved.until) onRange(name, moved);
            }});
    }
    // Whole steps between two places, each a part of the width.
    function rangeBetween(a, b) {
        const step = data.stepMs, [low, high] = a < b ? [a, b] : [b, a];
        const from = data.from + Math.floor(low * span() / step) * step;
        return {from, until: Math.min(data.until, Math.max(from + step, data.from + Math.ceil(high * span() / step) * step))};
    }
    for (const target of [overlay, heat]) {
        let start = null;
        const place = event => {
            const box = plot.getBoundingClientRect();
            return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
        };
        target.addEventListener('pointerdown', event => {
            if (event.button || !data) return;
            start = place(event);
            target.setPointerCapture(event.pointerId);
            event.preventDefault();
        });
        target.addEventListener('pointermove', event => {
            if (start == null) return;
            const at = place(event);
            dragged = Math.abs(at - start) * plot.clientWidth < LEAST_DRAG ? null : rangeBetween(start, at);
            drawRanges();
        });
        const end = event => {
            if (start == null) return;
            const range = dragged, isAborted = event.type === 'pointercancel';
            start = dragged = null;
            if (isAborted) drawRanges();
            else onRange(active, range);
        };
        target.addEventListener('pointerup', end);
        target.addEventListener('pointercancel', end);
    }

    // ---- Groups -----------------------------------------------------------------------------------

    // Long names, as those of pods, are told apart by their ends: they are cut before these.
    const TAIL = 9;
    const shortened = name => name.length <= 2 * TAIL ? make('span', {class: 'cut'}, name)
        : make('span', {class: 'serve-name'}, make('span', {class: 'cut'}, name.slice(0, -TAIL)), name.slice(-TAIL));
    function drawNames() {
        refill(names, data.groups.map(({value, values}, i) => {
            const sum = values.reduce((a, b) => a + b, 0), shown = value || '(none)';
            return make('li', {}, button([make('i', {class: `serve-color g${Math.min(i, COLOR_COUNT)}`}),
                shortened(shown)], () => onGroup(value), {'aria-label': shown, title: `${shown}: ${formatValue(sum, type)}\nSelect it alone`, 'data-key': `group ${value}`}));
        }));
        rows.hidden = scroll.hidden = data.groups.length === 0;
        scroll.tabIndex = data.groups.length > 5 ? 0 : -1;
    }

    return {element, update(found, of, {by, ...chosen}) {
        data = found;
        type = of;
        ranges = chosen;
        const {name} = partsOf(type);
        const gray = data.before ? ` \u00b7 gray: before, ${data.beforeTitle}` : '';
        title.textContent = `${name}${gray}${by ? ` by ${shownKey(by)}` : ''}${data.more > 0 ? `, ${data.more} smaller groups in gray` : ''}`;
        drawNames();
        draw();
    }, setMarks(all, said) {
        marks = all;
        looked.textContent = said;
        if (data && plot.clientWidth) drawMarks();
    }, setActive(name) { active = name; }, redraw: draw};
}
