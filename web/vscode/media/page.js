// The script of the webview: shows the profiles that the extension sends, and asks it for the source of a frame.
import './flamel-graph.js';

const code = acquireVsCodeApi();
const sentence = document.getElementById('sentence');
const { module } = document.querySelector('script[data-module]').dataset;

// The element compiles the module while it is fetched, for which it must have the type application/wasm: not every version
// of VS Code sends that.
const bytes = await (await fetch(module)).arrayBuffer();
const graph = document.createElement('flamel-graph');
graph.setAttribute('wasm', URL.createObjectURL(new Blob([bytes], { type: 'application/wasm' })));
graph.addEventListener('flamel-source', event => {
    event.preventDefault();
    code.postMessage(event.detail);
});
graph.addEventListener('flamel-change', ({ detail }) => code.setState(detail));
document.body.append(graph);
await graph.ready;
graph.act('source-link vscode://file/{file}:{line}');

window.addEventListener('message', async ({ data }) => {
    sentence.hidden = !data.sentence;
    graph.hidden = !sentence.hidden;
    sentence.textContent = data.sentence ?? '';
    if (!data.profile) return;
    const { state } = code.getState() ?? {};
    if (await graph.open(data.profile, data.name) && state) graph.act(`restore ${state}`);
});
code.postMessage({ isReady: true });
