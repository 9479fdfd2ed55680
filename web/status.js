// status.js - the status line at the bottom, which counts whatever the picture leaves out; the sheet with
// all of these counts; and the debug overlay.

import {button, fileName, make, refill, show} from './dom.js';

export function makeStatus(view) {
    const facts = make('div', {class: 'facts'});
    const notice = make('span', {class: 'notice', role: 'status'});
    const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'Colors'});
    const offer = make('div', {class: 'offer'}); // what would make the picture readable
    const said = make('div', {class: 'said'}); // what people wrote
    const element = make('footer', {class: 'status'}, offer, said, facts, notice, legend);
    const sheet = make('div', {class: 'menu data-quality', popover: 'auto', id: 'flamel-data-quality',
        role: 'dialog', 'aria-label': 'Data quality'});
    const overlay = make('pre', {class: 'overlay', hidden: true, 'aria-hidden': 'true'});
    let timer = 0, isOutdated = false; // once something works

    const fact = (number, unit, attributes) => number == null || number === '' ? null
        : make('span', attributes, make('b', {}, String(number)), unit && ' ' + unit);
    const merged = status => status.merged_share
        ? `${status.merged} (${status.merged_share} of the width is too narrow to draw)` : status.merged;
    const MOST_COLORS = 6;

    // What the colors mean, without a menu: of the most common ones. Those of changes are in the row of chips.
    function colors() {
        const {title, items} = view.core.query('legend');
        if (view.tools().comparison && items.some(item => item.action)) return [];
        // States of threads stand in no other place: the counts give way to them.
        legend.classList.toggle('has-states', items.length > 0 && items[0].count == null);
        return items.slice(0, MOST_COLORS).map(item => {
            const swatch = make('i', {class: 'swatch', 'data-texture': item.texture || null});
            swatch.style.setProperty('--swatch', view.isDark() && item.dark || item.color);
            return make('span', {class: 'legend-item', title: `${title}: ${item.note || item.title}`}, swatch,
                make('span', {class: 'cut'}, fileName(item.title)));
        });
    }
    const lossText = loss => [loss.what, loss.where].filter(Boolean).join(': ');

    function update() {
        const status = view.core.query('status');
        const symbols = status.notes?.find(note => note.key === 'symbols');
        const isSeen = view.canvas().offsetParent !== null; // of a table alone there is no picture
        const line = [
            symbols && fact(symbols.value, ''),
            fact(status.stacks, status.stacks === '1' ? 'stack' : 'stacks', {class: 'strong'}),
            fact(status.total, status.unit, {class: 'strong'}),
            isSeen && ['drawn', status.drawn], isSeen && ['merged', merged(status)],
            ['trimmed', status.trimmed], ['filtered', status.filtered], ['too narrow to hatch', status.unhatched], ['without a track', status.hidden], ['lost', status.lost_count],
            ['not shown:', status.not_shown],
            ['unsymbolized', status.unsymbolized_share],
        ].map(one => !Array.isArray(one) ? one
            : one[1] != null && one[1] !== '' && make('span', {}, `${one[0]} ${one[1]}`));
        refill(facts, button(line.filter(Boolean), () => view.act('data-quality'), {class: 'plain',
            title: status.sentence, 'data-key': 'data-quality'}));
        const written = status.notes?.filter(({key}) => key.startsWith('note on ')).length;
        refill(said, written > 0 && button(written === 1 ? '1 note' : `${written} notes`, () => view.act('notes'),
            {class: 'plain', 'data-key': 'notes'}));
        refill(offer, status.offer && button([status.offer, ': ', make('b', {}, 'collapse')], () => view.act('collapse-direct'),
            {class: 'plain', title: `${view.actionNamed('collapse-direct').title} (${view.keyLabel(view.actionNamed('collapse-direct').keys)})`}));
        refill(legend, colors());
        const isShort = value => String(value).length < 20;
        const row = (name, value) => value == null || value === '' ? null : make('tr', {},
            make('th', {scope: 'row'}, name), make('td', {class: isShort(value) ? 'number' : null}, make('span', {}, String(value))));
        refill(sheet, make('h3', {}, 'Data quality'), status.sentence && make('p', {}, status.sentence),
            make('table', {class: 'facts'}, row('stacks', status.stacks),
                row('samples', status.samples), row('total', [status.total, status.unit].join(' ')),
                row('drawn boxes', status.drawn), row('merged into gray boxes', merged(status)),
                row('trimmed', status.trimmed), row('filtered', status.filtered),
                row('too narrow to hatch', status.unhatched), row('without a track', status.hidden), row('lost', status.lost_count),
                row('unsymbolized', status.unsymbolized_share),
                (status.lost || []).map(loss => row(lossText(loss), loss.count))),
            status.notes?.length > 0 && [make('h3', {}, 'About this profile'), make('table',
                {class: 'facts'}, status.notes.map(note => row(note.key, note.value)))]);
    }

    function updateOverlay() {
        const figures = view.core.query('overlay');
        show(overlay, Boolean(figures));
        if (!figures) return;
        const {ms, trees, memory_bytes: bytes, ...counts} = figures;
        const lines = Object.entries({...counts,
            'layout + cull': ms && `${ms.layout.toFixed(2)} ms`,
            'boxes, labels': ms && `${ms.paint.toFixed(2)} ms`,
            'copy to canvas': `${view.copyMs().toFixed(2)} ms`,
            memory: `${(bytes / 2 ** 20).toFixed(1)} MiB`});
        for (const {title, nodes, placed, levels} of trees) lines.push([title,
            `${nodes.toLocaleString('en')} nodes, ${placed.toLocaleString('en')} placed, ${levels} levels`]);
        overlay.textContent = lines.map(([name, value]) =>
            `${name.padEnd(16)}${value.toLocaleString?.('en') ?? ''}`).join('\n');
    }

    return {
        element, sheet, overlay, update, updateOverlay,
        // Shows a sentence for a moment: what was done, or why something was not done (`isAnswer`).
        notify(text, isError = false, isAnswer = isError) {
            isOutdated = isAnswer;
            notice.textContent = text;
            notice.classList.toggle('wrong', isError);
            clearTimeout(timer);
            timer = setTimeout(() => { notice.textContent = ''; }, isError ? 12000 : 4000);
        },
        // Something worked: what did not is out of date.
        worked() {
            if (isOutdated) notice.textContent = '';
        },
        toggleSheet: () => sheet.togglePopover(),
    };
}
