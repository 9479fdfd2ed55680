/** A frame that is selected: what the panel beside the picture shows. */
export interface FlamelDetail {
    node: number;
    /** As it is shown, shortened. */
    title: string;
    /** In full. */
    name: string;
    module?: string;
    file?: string;
    line?: number;
    kind?: string;
    values: Array<{
        name: string;
        unit: string;
        total: string;
        total_exact: string;
        self: string;
        self_exact: string;
        of_all: string;
        of_view: string;
        of_parent: string;
    }>;
    stack: Array<{ node: number; title: string }>;
}

export interface FlamelEventMap {
    /** A profile is shown. */
    'flamel-load': CustomEvent<{ name: string }>;
    /** A frame was selected; null: none is any more. */
    'flamel-select': CustomEvent<FlamelDetail | null>;
    /** What is seen changed: the state as text, for `state`, a link, or a store. */
    'flamel-change': CustomEvent<{ state: string }>;
    /** Something could not be started, fetched, read or done. */
    'flamel-error': CustomEvent<{ message: string }>;
}

/** `<flamel-graph src="app.flm">` */
export class FlamelGraph extends HTMLElement {
    /** Resolves when the viewer has started and has loaded what its attributes name. */
    readonly ready: Promise<void>;
    /** What is looked at: zoom, view, transforms, searches. */
    state: string;
    /** Shows a profile in any format that flamel reads; `base`: to compare with. */
    open(
        source: Blob | ArrayBuffer | ArrayBufferView,
        name?: string,
        options?: { base?: boolean },
    ): Promise<boolean>;
    /** Does "zoom-in", "view top", "apply hide:libc.so.6". Null, or the sentence that says why not. */
    act(action: string): string | null;
    /** A response of the core: "detail", "status", "top 0 20". */
    query<Response = unknown>(text: string): Response | null;

    addEventListener<Name extends keyof FlamelEventMap>(
        type: Name,
        listener: (this: FlamelGraph, event: FlamelEventMap[Name]) => void,
        options?: boolean | AddEventListenerOptions,
    ): void;
    addEventListener(
        type: string,
        listener: EventListenerOrEventListenerObject,
        options?: boolean | AddEventListenerOptions,
    ): void;
    removeEventListener<Name extends keyof FlamelEventMap>(
        type: Name,
        listener: (this: FlamelGraph, event: FlamelEventMap[Name]) => void,
        options?: boolean | EventListenerOptions,
    ): void;
    removeEventListener(
        type: string,
        listener: EventListenerOrEventListenerObject,
        options?: boolean | EventListenerOptions,
    ): void;
}

declare global {
    interface HTMLElementTagNameMap {
        'flamel-graph': FlamelGraph;
    }
}
