// hash.js - the state in the address, behind the '#': a link or a reload restores the view, and the browser's
// Back and Forward go through the same steps as the viewer's. In a frame the current entry is replaced,
// and none is added: the history belongs to the page around it.

const isInFrame = window !== window.top;

export function makeHash(view) {
    let shown = decodeHash(), isStep = false, timer = 0;

    function decodeHash() {
        return location.hash.slice(1);
    }
    function write() {
        timer = 0;
        const text = view.core.queryText('state').trim();
        if (text === shown) return;
        const url = text ? '#' + text : location.pathname + location.search;
        try {
            if (isStep && !isInFrame) history.pushState(null, '', url);
            else history.replaceState(null, '', url);
            shown = text;
        } catch {
            // A page without an address (about:srcdoc), or too many changes for the browser.
        }
        isStep = false;
    }
    const listen = () => {
        if (decodeHash() === shown) return;
        shown = decodeHash();
        view.act(`restore ${shown}`);
    };
    addEventListener('popstate', listen);
    addEventListener('hashchange', listen);

    return {
        // Browsers refuse more than about a hundred changes in half a minute: while the picture moves, the address
        // is written once at the end.
        update(step) {
            isStep ||= step;
            clearTimeout(timer);
            if (step) write();
            else timer = setTimeout(write, 200);
        },
        restore() {
            if (shown) view.act(`restore ${shown}`);
        },
    };
}
