// reports.js - what the server finds in profiles, as the page shows it: deploys and lasting changes, which are marks on
// the timeline, and the verdict over a comparison, in words.

// Labels that say which version runs, the first of which that a service has counts.
const VERSION_LABELS = ['version', 'service.version', 'service_version', 'app_version', 'service_git_ref', 'git_ref', 'git_commit',
    'revision', 'image_tag', 'image', 'build'];
// A change takes five runs before it and after it; so many are enough to see when it was.
const LEAST_RUNS = 10, MOST_RUNS = 48, LATE_MS = 30000, FEW_RUNS = 5;

// The steps of a range whose version is another one than that of most before. `begin` is the first step that has the
// new version, `end` the first one without the old version, in which most have the new one at the latest.
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

// The ranges before and after what lasted from `begin` to `end`, as long as there is room for between what comes before and after
// it, in whole steps; null where there is none.
function sidesOf({begin, end}, room, stepMs) {
    const ms = Math.floor(Math.min(begin - room.from, room.until - end) / stepMs) * stepMs;
    return ms > 0 ? {before: {from: begin - ms, until: begin}, range: {from: end, until: end + ms}} : null;
}

// Whole steps in which a service is looked at for changes; the last of them has what comes late too. Null where those with a
// profile are too few: `values` are those of the timeline.
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
// What became of a value: "+18 %", "appeared", "gone".
const changeText = (before, after) => before > 0 ? after > 0 ? percent(after / before - 1) : 'gone' : 'appeared';

// The frame that changed most beyond what all did: most services have more to do at noon, which is no change of their code.
function changedMost({frames, total_before: before, total_after: after}) {
    const all = before > 0 ? after / before : 1, beyond = frame => Math.abs(frame.after - frame.before * all);
    const own = frames.filter(({scope}) => scope === 'self'), from = own.length > 0 ? own : frames;
    const most = from.reduce((a, b) => beyond(b) > beyond(a) ? b : a, from[0]);
    return most && beyond(most) > 0.01 * Math.max(before, after) ? most : null;
}
function changeOf(change) {
    const frame = changedMost(change), at = Date.parse(change.since);
    const title = frame ? `${nameOf(frame.stack)} ${changeText(frame.before, frame.after)}`
        : `all of it ${changeText(change.total_before, change.total_after)}`;
    return {kind: 'change', begin: at, end: at, title};
}

const TIMES = ['ns', 'us', 'ms', 's'];
// How a verdict begins; what has no time does not get slower.
function verdictTitle(verdict, unit) {
    if (verdict === 'INCONCLUSIVE') return 'No verdict';
    if (TIMES.includes(unit)) return verdict === 'FAIL' ? 'Slower' : 'Not slower';
    return verdict === 'FAIL' ? 'More' : 'Not more';
}

// Asks `ask(path, parameters)` of the API, of what `query` says: selector and type.
function makeReports(ask) {
    let known = {};
    // What was asked last is not asked again: a page that renews itself asks for the same.
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
        // Marks of a range, in order, each with the ranges that a click compares; `looked`: whether changes were looked for.
        async findMarks(query, range, values, labels) {
            const none = error => {
                if (error.name === 'AbortError') throw error;
                return null;
            };
            const [deploys, changes] = await Promise.all([findDeploys(query, range, labels).catch(none), findChanges(query, range, values).catch(none)]);
            for (const list of [deploys ?? [], changes ?? []])
                list.forEach((mark, i) => {
                    const room = {from: list[i - 1]?.end ?? range.from, until: list[i + 1]?.begin ?? range.until};
                    mark.sides = sidesOf(mark, room, range.stepMs);
                });
            return {marks: [...deploys ?? [], ...changes ?? []].sort((a, b) => a.begin - b.begin), looked: changes !== null,
                changes: changes?.length ?? 0};
        },
        // The verdict of `flamel gate`: each series is a run, or where they are few, steps of each.
        findVerdict(query, range, before, other) {
            return once('verdict', 'gate', {...query, from: range.from, until: range.until, compare: printRange(before),
                compare_selector: other, least_runs: FEW_RUNS});
        },
    };
}
