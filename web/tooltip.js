// tooltip.js - the tooltip of the frame under the pointer, next to the pointer and never below it. It is
// positioned by the corner nearest to the pointer, so that its size needs no measuring while it moves. In a
// narrow window it is as wide as the window.

import {facts, make, nameRoom, refill, show} from './dom.js';

const AWAY_PX = 14, NARROW_PX = 480, MARGIN_PX = 8, WIDEST_PX = 500; // of a line (page.css)

export function makeTooltip(view) {
    const element = make('div', {class: 'tooltip', 'aria-hidden': 'true', hidden: true});
    let shown = '', room = 0, measured = -1; // of which width of the picture

    function fill(hover) {
        refill(element,
            make('b', {}, hover.shown ?? hover.title),
            hover.where && make('div', {class: 'muted'}, hover.where),
            facts(hover.moment),
            hover.lines.length > 0 && make('table', {}, hover.lines.map(line => make('tr', {},
                make('th', {}, line.name), make('td', {}, line.value),
                make('td', {}, line.share_view && line.share_view !== line.share_total
                    ? `${line.share_view} of view` : ''),
                make('td', {}, line.share_parent && line.share_parent !== line.share_view
                    ? `${line.share_parent} of parent` : ''),
                make('td', {class: 'muted'}, line.share_total && `${line.share_total} of total`)))),
            hover.note && make('div', {class: 'muted'}, hover.note));
    }
    function update() {
        const {width, height, scale} = view.stageSize();
        if (width !== measured) room = nameRoom(element, Math.min(WIDEST_PX, 0.8 * width));
        measured = width;
        const hover = view.core.query(`hover ${room}`);
        show(element, Boolean(hover));
        if (!hover) return;
        const {x, y, ...content} = hover, text = JSON.stringify(content);
        if (text !== shown) fill(hover);
        shown = text;
        const px = length => `${Math.round(length)}px`;
        const left = x / scale, top = y / scale, {style} = element;
        const isLeft = left < width / 2, isHigh = top < height * 0.6;
        const isNarrow = width < NARROW_PX, limit = isNarrow ? MARGIN_PX : width - 300;
        element.classList.toggle('is-narrow', isNarrow);
        style.left = isLeft || isNarrow ? px(Math.min(left + AWAY_PX, limit)) : 'auto';
        style.right = !isLeft || isNarrow ? px(Math.min(width - left + AWAY_PX, limit)) : 'auto';
        style.top = isHigh ? px(top + AWAY_PX) : 'auto';
        style.bottom = isHigh ? 'auto' : px(height - top + AWAY_PX);
    }
    return {element, update, hide: () => show(element, false)};
}
