// component.js - <flamel-graph src="app.flm">: the viewer as an element of other pages, in a shadow root, so
// that the styles of the page and of the viewer do not affect each other. mk/assets.mk builds it and all
// files of the viewer into one flamel-graph.js.

import {AFTER, BEFORE, startCore} from '../core.js';
import {loadModule, loadProfile, loadURL} from '../load.js';
import {make} from '../dom.js';
import {addStyle} from '../theme.js';
import {makeViewer} from '../viewer.js';

const HOST_STYLE = ':host{display:block;height:480px;contain:content}:host([hidden]){display:none}' +
    '.flamel-home{height:100%}';
const modules = new Map();

// Elements with the same module share it: it is compiled once.
function sharedModule(url) {
    if (!modules.has(url)) modules.set(url, loadModule(url));
    return modules.get(url);
}

export class FlamelGraph extends HTMLElement {
    static observedAttributes = ['src', 'base', 'state'];
    #viewer = null;
    #starting = null;

    constructor() {
        super();
        this.attachShadow({mode: 'open', delegatesFocus: true});
        addStyle(this.shadowRoot, HOST_STYLE);
    }

    connectedCallback() {
        this.ready.catch(() => {});
    }

    // An element that is moved within the document is connected again at once, and keeps its state.
    disconnectedCallback() {
        setTimeout(() => {
            if (this.isConnected || !this.#viewer) return;
            this.#viewer.close();
            this.#viewer = this.#starting = null;
            this.shadowRoot.replaceChildren();
        });
    }

    attributeChangedCallback(name, before, after) {
        if (before === after || !this.#viewer || after == null) return;
        if (name === 'state') this.#viewer.act(`restore ${after}`);
        else this.#load(name, after);
    }

    // Resolves when the viewer has started and shows the profiles of its attributes.
    get ready() {
        return this.#starting ||= this.#start().catch(error => {
            this.#emit('flamel-error', {message: error.message});
            throw error;
        });
    }

    async #start() {
        const home = make('div', {class: 'flamel-home'});
        this.shadowRoot.replaceChildren(home);
        const from = this.getAttribute('wasm') || new URL('flamel.wasm', import.meta.url).href;
        const module = await sharedModule(from);
        this.module = module;
        this.#viewer = makeViewer(home, await startCore(module), module, {keepsHash: false,
            emit: (name, detail) => this.#emit(name, detail)});
        for (const name of ['base', 'src'])
            if (this.hasAttribute(name)) await this.#load(name, this.getAttribute(name));
        if (!this.hasAttribute('src')) this.#viewer.showState();
        else if (this.hasAttribute('state')) this.#viewer.act(`restore ${this.getAttribute('state')}`);
    }

    #load(attribute, url) {
        const name = decodeURIComponent(new URL(url, document.baseURI).pathname.split('/').pop());
        return this.#viewer.take(options => loadURL(url, name || url, options), name || url,
            attribute === 'base' ? BEFORE : AFTER);
    }

    #emit(name, detail) {
        return this.dispatchEvent(new CustomEvent(name, {detail, bubbles: true, composed: true, cancelable: true}));
    }

    // Opens a profile in any format that flamel.wasm reads. Resolves to whether it is shown; if not, the
    // element shows the reason and dispatches `flamel-error`.
    async open(source, name = source.name || 'profile', {base = false} = {}) {
        this.#starting ||= this.#start();
        await this.#starting;
        return this.#viewer.take(options => loadProfile(source, name, options), name,
            base ? BEFORE : AFTER);
    }

    // Performs an action: "zoom-in", "view top", "apply hide:libc.so.6". Returns null, or the reason why it is
    // refused.
    act(action) {
        return this.#viewer ? this.#viewer.view.tryAct(action) : 'the viewer has not started yet';
    }

    // Queries the core: query('detail'), query('top 0 20'). Returns an object.
    query(text) {
        return this.#viewer ? this.#viewer.view.core.query(text) : null;
    }

    get state() {
        return this.#viewer ? this.#viewer.view.core.queryText('state').trim() : '';
    }

    set state(text) {
        this.setAttribute('state', text);
    }
}

if (!customElements.get('flamel-graph')) customElements.define('flamel-graph', FlamelGraph);
