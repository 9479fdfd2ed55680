// ci_schemas.mjs - checks the actions for GitHub and the workflows in docs/ci.md with GitHub's own parser and its schemas, and
// the component of GitLab with GitLab's JSON Schema, from gitlab-ci-local. gitlab-ci-local also includes the component in a
// pipeline, with inputs.
import Ajv from 'ajv';
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire, register} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {parse, parseAllDocuments, stringify} from 'yaml';

// The parser is written for bundlers: it imports its schema without saying that it is JSON.
register(`data:text/javascript,${encodeURIComponent(`
    import {readFileSync} from 'node:fs';
    export const load = (url, context, next) => url.endsWith('.min.json')
        ? {format: 'module', shortCircuit: true, source: 'export default ' + readFileSync(new URL(url))} : next(url, context);
`)}`);
const {NoOperationTraceWriter, parseWorkflow} = await import('@actions/workflow-parser');
const {parseAction} = await import('@actions/workflow-parser/actions/index');

const root = new URL('../../../', import.meta.url), require = createRequire(import.meta.url);
const read = path => readFileSync(new URL(path, root), 'utf8');
const actions = readdirSync(new URL('ci/github/', root)).map(name => `ci/github/${name}/action.yml`);
const blocks = [...read('docs/ci.md').matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text]) => text);
const workflows = blocks.filter(text => /^on:/m.test(text)), pipelines = blocks.filter(text => !/^on:/m.test(text));

// The errors that GitHub's parser reports in `text`.
function refused(parser, text) {
    const {context} = parser({name: 'file.yml', content: text}, new NoOperationTraceWriter());
    return context.errors.getErrors().map(error => error.message);
}

const local = new URL('src/', `file://${require.resolve('gitlab-ci-local/package.json')}`);
const {schema} = await import(new URL('schema/schema.js', local));
const gitlab = new Ajv({strict: false, validateFormats: false}).compile(schema);
function valid(value) {
    return gitlab(value) || JSON.stringify(gitlab.errors);
}

test('actions', () => {
    assert.equal(actions.length, 2);
    for (const path of actions) assert.deepEqual(refused(parseAction, read(path)), [], path);
});

test('workflows', () => {
    assert.equal(workflows.length, 5);
    for (const text of workflows) assert.deepEqual(refused(parseWorkflow, text), [], text);
});

test('the component, and pipelines', () => {
    for (const document of parseAllDocuments(read('templates/gate.yml'))) assert.equal(valid(document.toJS()), true);
    assert.equal(pipelines.length, 2);
    for (const text of pipelines) assert.equal(valid(parse(text)), true, text);
});

// The jobs of a pipeline that includes the component with these inputs, as a runner gets them.
function included(inputs) {
    const folder = mkdtempSync(join(tmpdir(), 'flamel-gitlab-'));
    const git = (...words) => execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words]);
    try {
        cpSync(new URL('templates/gate.yml', root), join(folder, 'gate.yml'));
        writeFileSync(join(folder, '.gitlab-ci.yml'), stringify({include: [{local: 'gate.yml', inputs}]}));
        git('init', '-q');
        git('remote', 'add', 'origin', 'git@gitlab.example:o/r.git');
        git('add', '.');
        git('commit', '-q', '-m', 'component');
        const program = fileURLToPath(new URL('index.js', local));
        return parse(execFileSync(process.execPath, [program, '--preview'], {cwd: folder, encoding: 'utf8', stdio: 'pipe'}));
    } finally {
        rmSync(folder, {recursive: true});
    }
}

test('an include gives its inputs to the job', () => {
    const [inputs] = pipelines.map(text => parse(text).include?.[0].inputs).filter(Boolean);
    const {performance} = included(inputs);
    assert.equal(performance.variables.FLAMEL_BASE, inputs.base);
    assert.equal(performance.variables.FLAMEL_NEW, inputs.new);
    assert.ok(performance.script.includes(inputs.prepare));
    assert.ok(included({new: 'a "quoted" word', job: 'speed'}).speed.variables.FLAMEL_NEW === 'a "quoted" word');
    assert.throws(() => included({base: 'without new'}));
});

test('examples give the inputs that are required, and no unknown ones', () => {
    for (const text of workflows)
        for (const {steps} of Object.values(parse(text).jobs))
            for (const {uses, with: given} of steps.filter(step => /flamel/.test(step.uses))) {
                const {inputs} = parse(read(`${uses.match(/ci.*(?=@)/)[0]}/action.yml`));
                for (const name of Object.keys(given ?? {})) assert.ok(name in inputs, `${uses}: ${name}`);
                for (const [name, {required}] of Object.entries(inputs)) assert.ok(!required || name in given, `${uses}: ${name}`);
            }
    const [{spec}] = parseAllDocuments(read('templates/gate.yml')).map(document => document.toJS());
    for (const {include} of pipelines.map(text => parse(text)))
        for (const {inputs} of include ?? []) {
            for (const name of Object.keys(inputs)) assert.ok(name in spec.inputs, name);
            for (const [name, input] of Object.entries(spec.inputs)) assert.ok('default' in input || name in inputs, name);
        }
});

test('errors in one of them are found', () => {
    const action = read(actions[1]);
    const wrong = (parser, text, from, to) => assert.notDeepEqual(refused(parser, text.replace(from, to)), [], to);
    wrong(parseAction, action, 'using: composite', 'using: composit');
    wrong(parseAction, action, 'shell: bash', 'shel: bash');
    wrong(parseAction, action, 'inputs.token }}', 'inputs.token ) }}');
    wrong(parseWorkflow, workflows[0], 'runs-on:', 'run-on:');
    wrong(parseWorkflow, workflows[0], '- uses:', '- use:');
    assert.notEqual(valid({job: {script: 1}}), true);
    assert.notEqual(valid({job: {script: 'x', artifacts: {report: {junit: 'x'}}}}), true);
});
