// verdict.js - below a comparison: whether it is slower, in words, and the functions that changed most, each of which can
// be searched for in the picture.

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
            title: `${stack.join(' > ')}\n${value(change)} a run (${percent(share)} of all before)${interval}, p ${digits(p)}\nSearch it in the picture`});
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
            show('', '', '', 'Is it more than noise? …');
            refill(functions, []);
        },
        showError(message) {
            show('No verdict:', '', message);
            refill(functions, []);
        },
        showLengths({from, until}) {
            show('No verdict:', '', 'for that both ranges have to be equally long.');
            refill(functions, [button(`Take ${scaled((until - from) / 1000, SECONDS)} before too`, onEqual, {'data-key': 'equal'})]);
        },
        update({verdict, sentence, items, metric, base, new: after}) {
            const {unit} = metric, shown = items.filter(({moved_below: below}) => !below).slice(0, MOST_FUNCTIONS);
            const each = /T[\d:.]+Z$/.test(base[0]?.file) ? 'steps of each series' : 'one a series';
            show(`${verdictTitle(verdict, unit)}:`, verdict === 'FAIL' ? 'wrong' : '', `${sentence.replace(' of base)', ' of all before)')}.`,
                `${base.length} + ${after.length} runs, ${each}; figures are means of a run.`);
            refill(functions, [...shown.map(item => functionButton(item, unit)), items.length > shown.length &&
                make('span', {class: 'serve-note'}, `and ${items.length - shown.length} smaller`)].filter(Boolean));
        }};
}
