// reports.js - reports of the server for the page: deploys and lasting changes, which are marks on the timeline, and the
// verdict on a comparison.

// Labels that name the version of a service; the first of them that it has is used.
const VERSION_LABELS = ['version', 'service.version', 'service_version', 'app_version', 'service_git_ref', 'git_ref', 'git_commit',
    'revision', 'image_tag', 'image', 'build'];
// Changes are looked for in at most 48 steps, of which more than 10 have a profile: a change takes five before it and five
// after it. A verdict takes five runs on a side.
const LEAST_RUNS = 10, MOST_RUNS = 48, LATE_MS = 30000, FEW_RUNS = 5;

// Where the version with the most samples changes. `begin` is the first step that has the new version, `end` the first
// one without the old version, but not before the one in which the new version has the most.
function deploysOf(groups) {
    const versions = groups.filter(({value}) => value), count = versions[0]?.values.length ?? 0, found = [];
    let old = null;
    for (let step = 0; step < count; step++) {
        const most = versions.reduce((a, b) => b.values[step] > a.values[step] ? b : a);
        if (!(most.values[step] > 0) || most === old) continue;
        let begin = step, end = step;
        while (old && begin > 0 && most.values[begin - 1] > 0) begin--;
        while (old && end + 1 < count && old.values[end] > 0) end++;
        if (old && begin > (found.at(-1)?.end ?? -1)) found.push({begin, end, value: most.value});
        old = most;
    }
    return found;
}

// The ranges before and after a mark, equally long and in whole steps, as long as `room` allows; null where that is less
// than a step.
function sidesOf({begin, end}, room, stepMs) {
    const ms = Math.floor(Math.min(begin - room.from, room.until - end) / stepMs) * stepMs;
    return ms > 0 ? {before: {from: begin - ms, until: begin}, range: {from: end, until: end + ms}} : null;
}

// Where the data of a range end: after the last step with a value come as many steps as lie between two that have one, as
// profiles may be longer than a step. Never in the future, nor after the range.
function dataEnd({from, until, stepMs}, values, now) {
    const steps = values.map((value, i) => value > 0 ? i : -1).filter(i => i >= 0);
    if (steps.length === 0) return until;
    const gaps = steps.slice(1).map((step, i) => step - steps[i]).sort((a, b) => a - b), gap = gaps[gaps.length >> 1] ?? 1;
    return Math.min(until, from + (steps.at(-1) + gap) * stepMs, from + Math.floor((now - from) / stepMs) * stepMs);
}

// The time, in whole steps, in which changes are looked for: not the last 30 s, whose profiles may be still to come. Null where
// too few steps have a profile, by `values`, those of the timeline.
function changeSteps({from, until, stepMs}, values, now) {
    const step = STEPS_S.find(s => s >= PUSHED_S && (until - from) / s / 1000 <= MOST_RUNS) ?? Math.ceil((until - from) / MOST_RUNS / 1000);
    const ms = step * 1000, last = Math.floor(Math.min(until, now - LATE_MS) / ms) * ms, first = Math.ceil(from / ms) * ms;
    const bins = new Set(values.map((value, i) => value > 0 ? Math.floor((from + i * stepMs) / ms) : -1)
        .filter(bin => bin >= first / ms && bin < last / ms));
    return bins.size > LEAST_RUNS ? {from: first, until: last, step} : null;
}

const nameOf = stack => stack.at(-1) ?? 'all';
const signed = (text, value) => value > 0 ? `+${text}` : text.replace(/^-/, '−');
const percent = share => signed(`${digits(100 * share)} %`, share);
// The change of a value: "+18 %", "appeared", "gone".
const changeText = (before, after) => before > 0 ? after > 0 ? percent(after / before - 1) : 'gone' : 'appeared';

// The frame that changed most, apart from the change of the total: a service has more to do at noon, which is no change of its code.
function changedMost({frames, total_before: before, total_after: after}) {
    const all = before > 0 ? after / before : 1, beyond = frame => Math.abs(frame.after - frame.before * all);
    const own = frames.filter(({scope}) => scope === 'self'), from = own.length > 0 ? own : frames;
    const most = from.reduce((a, b) => beyond(b) > beyond(a) ? b : a, from[0]);
    return most && beyond(most) > 0.01 * Math.max(before, after) ? most : null;
}
function changeOf(change) {
    const frame = changedMost(change), at = Date.parse(change.since);
    const title = frame ? `${nameOf(frame.stack)} ${changeText(frame.before, frame.after)}`
        : `total ${changeText(change.total_before, change.total_after)}`;
    return {kind: 'change', begin: at, end: at, title};
}

const TIMES = ['ns', 'us', 'ms', 's'];
// The first words of a verdict: only times get slower.
function verdictTitle(verdict, unit) {
    if (verdict === 'INCONCLUSIVE') return 'No verdict';
    if (TIMES.includes(unit)) return verdict === 'FAIL' ? 'Slower' : 'No slowdown found';
    return verdict === 'FAIL' ? 'More' : 'No increase found';
}

// `ask(path, parameters)` requests a path of the API; `query` has the selector and the type.
function makeReports(ask) {
    let known = {};
    // The last answer to each name is kept: a page that renews itself asks for the same again.
    async function once(name, path, parameters) {
        const key = JSON.stringify(parameters);
        if (known[name]?.key !== key) known[name] = {key, answer: await (await ask(path, parameters)).json()};
        return known[name].answer;
    }
    async function findDeploys(query, {from, until, stepMs}, labels) {
        const by = VERSION_LABELS.find(label => labels.includes(label));
        if (!by) return [];
        const {groups} = await once('deploys', 'timeline', {...query, from, until, step: stepMs / 1000, by, groups: 50});
        const at = step => from + step * stepMs;
        return deploysOf(groups).map(({begin, end, value}) => ({kind: 'deploy', begin: at(begin), end: at(end), title: `${by} ${value}`}));
    }
    async function findChanges(query, range, values) {
        const steps = changeSteps(range, values, Date.now());
        if (!steps) return null;
        const {changes} = await once('changes', 'changes', {...query, ...steps});
        return changes.filter(({stays}) => stays).map(changeOf);
    }
    return {
        // The marks of a range, in order of time, each with the two ranges that a click compares. `looked`: whether there were
        // enough profiles to look for changes; `changes`: how many were found.
        async findMarks(query, range, values, labels) {
            const none = error => {
                if (error.name === 'AbortError') throw error;
                return null;
            };
            const [deploys, changes] = await Promise.all([findDeploys(query, range, labels).catch(none), findChanges(query, range, values).catch(none)]);
            const end = dataEnd(range, values, Date.now());
            for (const list of [deploys ?? [], changes ?? []])
                list.forEach((mark, i) => {
                    const room = {from: list[i - 1]?.end ?? range.from, until: list[i + 1]?.begin ?? end};
                    mark.sides = sidesOf(mark, room, range.stepMs);
                });
            return {marks: [...deploys ?? [], ...changes ?? []].sort((a, b) => a.begin - b.begin), looked: changes !== null,
                changes: changes?.length ?? 0};
        },
        // The verdict of `flamel gate`: each series is a run, or, where a side has fewer than five, each step of a series.
        findVerdict(query, range, before, other) {
            return once('verdict', 'gate', {...query, from: range.from, until: range.until, compare: printRange(before),
                compare_selector: other, least_runs: FEW_RUNS});
        },
    };
}
