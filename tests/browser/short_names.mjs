// short_names.mjs - web/short_names.awk changes names and nothing else: a parser finds the same tree in
// a script before and after, and every name means what it meant.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {test} from 'node:test';

const require = createRequire(path.join(process.env.NODE_MODULES, 'package.json'));
const {parse} = require('acorn'), {analyze} = require('eslint-scope');
const options = {ecmaVersion: 2022, sourceType: 'module', range: true, ranges: true};
const shorten = text => execFileSync('awk', ['-f', 'web/short_names.awk'], {input: text, encoding: 'utf8'});
const bare = files => execFileSync('awk', ['-f', 'src/draw/svg/minify.awk', ...files], {encoding: 'utf8'});

// What a name may change is left out: `name` of identifiers, and that a property has its own.
function shapeOf(tree) {
    const left = new Set(['start', 'end', 'range', 'raw', 'name', 'shorthand']);
    return JSON.stringify(tree, (key, value) => left.has(key) ? undefined : value);
}
// Where each name is declared, or the name itself where it is the browser's.
function meaningsOf(tree) {
    const {scopes} = analyze(tree, options);
    const place = ({scope}) => scopes.indexOf(scope);
    return scopes.flatMap(scope => scope.references.map(({resolved, identifier}) => resolved
        ? `${place(resolved)}:${resolved.scope.variables.indexOf(resolved)}` : identifier.name));
}
function propertiesOf(tree) {
    const all = [];
    JSON.stringify(tree, (key, value) => {
        if (value?.type === 'MemberExpression' && !value.computed) all.push(value.property.name);
        if (value?.type === 'Property' && !value.computed) all.push(value.key.name);
        if (value?.type === 'MethodDefinition') all.push(value.key.name);
        return value;
    });
    return all;
}
function same(text) {
    const short = shorten(text), [before, after] = [text, short].map(one => parse(one, options));
    assert.equal(shapeOf(after), shapeOf(before));
    assert.deepEqual(meaningsOf(after), meaningsOf(before));
    assert.deepEqual(propertiesOf(after), propertiesOf(before));
    return short;
}

test('the scripts of a page mean what they meant', () => {
    const files = readdirSync('web').filter(name => name.endsWith('.js') && name !== 'start.js');
    const text = bare(files.map(name => `web/${name}`));
    assert.ok(same(text).length < text.length * 0.9);
    same(bare(['web/start.js']));
});

test('names that are hard to tell stay what they are', () => {
    same('function outer(first, {second, third: other = 4}, ...rest) { return [first, second, other, rest]; }\n');
    same('const one = {alpha: 1, beta}, beta = `a${one.alpha ? `b${beta}` : {one}} one`;\n');
    same('const shadow = 1; function inner(shadow) { return {shadow, inner: () => shadow}; }\n');
    same('class Thing { method(value) { return value / this.value / 2; } get size() { return size; } }\n');
    same('const size = text => /[/"]size/g.test(text) && "size" in {size};\n');
    same('async function load(name) { try { for (const name of name.all) await name; } catch (name) { throw name; } }\n');
    same('let count = 0; for (let index = 0, most = 4; index < most; index++) count += +index - -most;\n');
    same('const [here, {there = here}] = [1, {}], give = (here, there) => ({here, there});\n');
    same('const list = [1].map((item, index) => item ? index : list).filter(item => item);\n');
});

test('names of the browser and those that scripts share stay', () => {
    const short = same('function flamelOne(element) { return document.body.append(element, location.name); }\n');
    assert.match(short, /^function flamelOne\((\w)\)\{return document\.body\.append\(\1,location\.name\);\}$/m);
});

test('a script that is cut off is refused', () => {
    assert.throws(() => execFileSync('awk', ['-f', 'web/short_names.awk'],
        {input: 'const text = `never', stdio: ['pipe', 'pipe', 'pipe']}), /without an end/);
});
