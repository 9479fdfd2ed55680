// verdict.js - the verdict on a comparison in words, and the functions that changed most: a click searches for one in the
// flame graph.

function makeVerdict({make, button, refill, onSearch, onEqual}) {
    const MOST_FUNCTIONS = 8;
    const title = make('b', {}), text = make('span', {}), runs = make('span', {class: 'serve-note'});
    const functions = make('span', {class: 'chip-group serve-functions', role: 'group', 'aria-label': 'Functions that changed most'});
    const element = make('div', {class: 'serve-bar serve-verdict', hidden: true}, make('span', {class: 'serve-says', 'aria-live': 'polite'}, title, ' ', text, ' ', runs),
        functions);

    function functionButton({stack, change, share, low, high, p}, unit) {
        const name = nameOf(stack), value = one => signed(formatValue(one, `:${unit}`), one);
        const interval = low != null && high != null ? `, ${value(low)} to ${value(high)}` : '';
        return button([make('i', {class: `serve-color ${change > 0 ? 'is-grown' : 'is-shrunk'}`}), make('span', {class: 'cut'}, name),
            make('span', {class: 'serve-change'}, value(change))], () => onSearch(name), {'data-key': stack.join(';'),
            title: `${stack.join(' > ')}\n${value(change)} per run (${percent(share)} of the total before)${interval}, p ${digits(p)}\nSearch for it in the flame graph`});
    }
    function show(name, kind, ...rest) {
        title.textContent = name;
        title.className = kind;
        text.textContent = rest[0] ?? '';
        runs.textContent = rest[1] ?? '';
        element.hidden = false;
    }
    return {element,
        hide() { element.hidden = true; },
        showPending() {
            show('', '', '', 'Testing whether the difference is significant …');
            refill(functions, []);
        },
        showError(message) {
            show('No verdict:', '', message);
            refill(functions, []);
        },
        showLengths({from, until}) {
            show('No verdict:', '', 'both ranges have to be equally long.');
            refill(functions, [button(`Make the range before ${scaled((until - from) / 1000, SECONDS)} long`, onEqual, {'data-key': 'equal'})]);
        },
        update({verdict, sentence, items, metric, base, new: after}) {
            const {unit} = metric, own = items.filter(({moved_below: below}) => !below), shown = own.slice(0, MOST_FUNCTIONS);
            const [, of, isStep] = base[0]?.file.match(/^(.*?)(\d+-\d\d-\d\dT[\d:.]+Z)?$/) ?? [];
            const each = !isStep ? 'one per series' : of ? 'each a step of a series' : 'each a step of all series';
            show(`${verdictTitle(verdict, unit)}:`, verdict === 'FAIL' ? 'wrong' : '', `${sentence.replace(' of base)', ' of the total before)')}.`,
                `${base.length} + ${after.length} runs, ${each}; values are means per run.`);
            refill(functions, [...shown.map(item => functionButton(item, unit)), own.length > shown.length &&
                make('span', {class: 'serve-note'}, `and ${own.length - shown.length} smaller`)].filter(Boolean));
        }};
}
