// hash.js - the state in the address, behind the '#': a link shows what was seen, a reload too, and
// the browser's buttons go through the same steps. Inside another page the address is left alone but
// for what a reload needs, so that its history is its own.

const isInside = window !== window.top;

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
            if (isStep && !isInside) history.pushState(null, '', url);
            else history.replaceState(null, '', url);
            shown = text;
        } catch {
            // A page without an address (about:srcdoc), or one that the browser finds too busy.
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
        // Browsers refuse more than some hundred changes in half a minute, so moving is written once.
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
