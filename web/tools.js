// tools.js - the toolbar at the top: file, metric, view, search. Everything else is in its menu.

import {button, choice, fillChoice, fraction, make, refill, share, show, sign} from './dom.js';
import {canSavePage} from './share/html.js';

const FEW_THREADS = 8;

export function makeTools(view, search) {
    const name = make('span', {class: 'file cut'});
    const metric = choice('Metric', value => view.act(`metric ${value}`));
    const menuMetric = choice('Metric', value => view.act(`metric ${value}`));
    const views = make('div', {class: 'views', role: 'group', 'aria-label': 'View'});
    const menuViews = make('div', {class: 'views', role: 'group', 'aria-label': 'View'});
    const order = choice('Order of siblings', value => view.act(`order ${value}`));
    const colors = choice('Color by', value => view.act(`color ${value}`));
    const theme = choice('Theme', value => view.act(`theme ${value}`));
    const direction = make('div', {class: 'buttons'});
    const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'What colors mean'});
    const field = (title, control) => make('label', {class: 'field'}, make('span', {}, title), control);
    const tracks = make('div', {class: 'menu', popover: 'auto', id: 'flamel-tracks', role: 'dialog',
        'aria-label': 'Time and threads'});
    const tracksButton = button('Threads', null, {popovertarget: 'flamel-tracks', hidden: true});

    const run = action => () => {
        menu.hidePopover();
        view.act(action);
    };
    const menu = make('div', {class: 'menu', popover: 'auto', id: 'flamel-menu', role: 'dialog',
        'aria-label': 'More'},
    make('div', {class: 'only-narrow'}, menuViews, field('Metric', menuMetric)),
    field('Order', order), field('Color', colors), legend, direction, field('Theme', theme),
    make('div', {class: 'buttons'},
        button('Open a file …', () => { menu.hidePopover(); view.openFiles(); }),
        button('Compare with …', () => { menu.hidePopover(); view.openFiles('before'); }),
        button('Open a folder …', () => { menu.hidePopover(); view.files().chooseFolder(); }),
        button('Open an address …', () => { menu.hidePopover(); view.files().showAddress(); }),
        button('Add a transform …', () => { menu.hidePopover(); view.editOperation(); })),
    make('h3', {}, 'Save as'),
    make('div', {class: 'buttons'}, ['svg', 'png', 'pdf', ...canSavePage() ? ['html'] : [], 'flm', 'folded'].map(kind =>
        button(kind.toUpperCase(), run(`export ${kind}`))), button('Sanitized …', run('sanitize'))),
    make('div', {class: 'buttons'}, button('All actions …', run('palette')), button('Notes', run('notes')),
        button('Data quality', run('data-quality')), button('Keys', run('help'))));

    const more = sign('⋯', 'More', null, {class: 'square', popovertarget: 'flamel-menu'});
    const steps = make('div', {class: 'steps'},
        sign('‹', 'Back', () => view.act('back'), {class: 'square back'}),
        sign('›', 'Forward', () => view.act('forward'), {class: 'square forward'}));
    const element = make('header', {class: 'tools'}, make('b', {class: 'brand'}, 'flamel'), name, metric,
        views, make('span', {class: 'gap'}), tracksButton, steps, search, more,
        sign('?', 'Keys and help', () => view.act('help'), {class: 'square help-button'}), menu, tracks);

    function fillViews(parent, tools) {
        refill(parent, tools.views.map(one => button([make('span', {class: 'long'}, one.title),
            make('span', {class: 'short'}, one.name)], () => view.act(`view ${one.name}`), {
            'aria-label': one.title, 'aria-pressed': String(one.name === tools.view), disabled: one.on === false,
            'data-key': one.name,
        })));
    }

    function update(tools) {
        name.textContent = tools.name;
        name.title = tools.base ? `${tools.name}, compared with ${tools.base}` : tools.name;
        for (const select of [metric, menuMetric])
            fillChoice(select, tools.metrics.map(one => ({name: one.name, title: one.name})),
                tools.metric);
        show(metric, tools.metrics.length > 0);
        fillViews(views, tools);
        fillViews(menuViews, tools);
        fillChoice(order, tools.orders, tools.order);
        fillChoice(colors, tools.color_modes, tools.colors);
        fillChoice(theme, ['system', 'light', 'dark'], view.theme());
        refill(direction,
            button('Root at the bottom', () => view.act('flip'), {'aria-pressed': String(tools.up),
                'data-key': 'flip'}),
            button('Inverted', () => view.act('invert'), {'aria-pressed': String(tools.inverted),
                'data-key': 'invert'}));
        element.querySelector('.back').disabled = !tools.can_back;
        element.querySelector('.forward').disabled = !tools.can_forward;
    }
    // Threads by name: the others are left out of the list.
    const finder = make('input', {type: 'search', placeholder: 'Find a thread', 'aria-label': 'Find a thread',
        'data-key': 'find-thread', oninput: findThreads});
    function findThreads() {
        const wanted = finder.value.toLowerCase();
        for (const item of tracks.querySelectorAll('.track-list li:has(button)'))
            show(item, item.textContent.toLowerCase().includes(wanted));
    }
    // The menu of time and threads: what the timeline does with a pointer, also for keyboards and narrow windows.
    function updateTracks({duration_ns: durationNs, duration, selected, count, tracks: threads, ...state}) {
        const actionButton = (action, title, isOn) => button(title, () => view.act(action),
            {title: view.actionNamed(action).title,
                'aria-pressed': isOn == null ? null : String(isOn), 'data-key': action});
        const hasThreads = count > 1;
        show(tracksButton, hasThreads || durationNs > 0);
        const scrollTop = tracks.querySelector('ul')?.scrollTop;
        refill(tracks, durationNs > 0 && [
            make('h3', {}, selected ? `Time: ${selected.text} of ${duration}` : `Time: all of ${duration}`),
            make('div', {class: 'buttons'}, button('Time range …', () => {
                tracks.hidePopover();
                view.askFor('range', selected ? `${selected.from_ns / 1e9}s..${selected.to_ns / 1e9}s` : '');
            }), selected && actionButton('range-clear', 'Whole recording'))],
        state.untimed > 0 && make('p', {class: 'muted'}, `${state.untimed} samples have no time.`),
        hasThreads && [make('h3', {}, `${count} threads`), make('div', {class: 'buttons'},
            actionButton('tracks-all', 'All', !state.any), actionButton('split', 'Split by thread', state.split),
            durationNs > 0 && actionButton('tracks', 'In the timeline', state.shown),
            state.collapsed != null && actionButton('processes-all', 'Collapse processes', state.collapsed),
            state.all_rows != null && actionButton('rows-all', 'All rows', state.all_rows),
            state.lanes != null && actionButton('short-apart', 'Short threads together', state.lanes)),
        threads.length > FEW_THREADS && finder,
        make('ul', {class: 'track-list'}, threads.map(({id, title, total, share: part, on}) => make('li', {},
            share(button([make('span', {class: 'cut'}, title), make('span', {class: 'number'},
                `${view.withoutUnit(total)} · ${part}`)], () => view.act(`track ${id}`), {title: `${title}: ${total}`,
                'aria-pressed': String(on), 'data-key': `track-${id}`}), fraction(part)),
            button('only', () => view.act(`track-only ${id}`), {'data-key': `only-${id}`,
                'aria-label': `Only ${title}`}),
            button('hide', () => view.act(`track-hide ${id}`), {'data-key': `hide-${id}`,
                'aria-label': `Hide ${title}, or show it again`}))),
        count > threads.length && make('li', {class: 'muted'}, `and ${count - threads.length} more: ` +
            'transform label:thread=NAME'))]);
        if (threads.length <= FEW_THREADS) finder.value = '';
        findThreads();
        const list = tracks.querySelector('ul');
        if (scrollTop && list) list.scrollTop = scrollTop;
    }
    // The legend, or the options of a comparison.
    function updateMore(children) {
        refill(legend, children);
        show(legend, children.length > 0);
    }
    return {element, update, updateMore, updateTracks};
}
