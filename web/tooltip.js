// tooltip.js - what is under the pointer, in words, beside it and never below it. It is placed by the
// corner that is toward the pointer, so that nobody needs to measure it while the picture moves.

import {make, refill, show} from './dom.js';

const AWAY_PX = 14;

export function makeTooltip(view) {
    const element = make('div', {class: 'tooltip', 'aria-hidden': 'true', hidden: true});
    let told = '';

    function fill(hover) {
        refill(element,
            make('b', {}, hover.title),
            hover.where && make('div', {class: 'muted'}, hover.where),
            hover.lines.length > 0 && make('table', {}, hover.lines.map(line => make('tr', {},
                make('th', {}, line.name), make('td', {}, line.value),
                make('td', {}, line.share_view && line.share_view !== line.share_all
                    ? `${line.share_view} of view` : ''),
                make('td', {}, line.share_parent && line.share_parent !== line.share_view
                    ? `${line.share_parent} of parent` : ''),
                make('td', {class: 'muted'}, line.share_all && `${line.share_all} of all`)))),
            hover.note && make('div', {class: 'muted'}, hover.note));
    }
    function update() {
        const hover = view.core.query('hover');
        show(element, Boolean(hover));
        if (!hover) return;
        const {x, y, ...words} = hover, text = JSON.stringify(words);
        if (text !== told) fill(hover);
        told = text;
        const {width, height, scale} = view.stageSize(), px = place => `${Math.round(place)}px`;
        const left = x / scale, top = y / scale, {style} = element;
        const isLeft = left < width / 2, isHigh = top < height * 0.6;
        const beside = Math.max(width - 300, 8);
        style.left = isLeft ? px(Math.min(left + AWAY_PX, beside)) : 'auto';
        style.right = isLeft ? 'auto' : px(Math.min(width - left + AWAY_PX, beside));
        style.top = isHigh ? px(top + AWAY_PX) : 'auto';
        style.bottom = isHigh ? 'auto' : px(height - top + AWAY_PX);
    }
    return {element, update, hide: () => show(element, false)};
}
