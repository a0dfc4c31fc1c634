/** The same tests for each runner, as the source of a test file. */

const IMPORTS = {
  esm: (names, from) => `import { ${names.join(', ')} } from '${from}';`,
  cjs: (names, from) => `const { ${names.join(', ')} } = require('${from}');`,
};

const DACAPO = ['withCassette', 'toMatchRecording', 'assertMatchesRecording'];

/** @param runner `jest`, `vitest` or `node` @param kind `esm` or `cjs` */
function head(runner, kind) {
  const importFrom = IMPORTS[kind];
  const own = {
    jest: kind === 'esm' ? [importFrom(['jest', 'test', 'expect'], '@jest/globals')] : [],
    vitest: [importFrom(['test', 'expect'], 'vitest')],
    node: [importFrom(['test'], 'node:test'), "import assert from 'node:assert/strict';"],
  }[runner];
  const desk = kind === 'esm' ? "import desk from './desk.cjs';" : "const desk = require('./desk.cjs');";
  const lines = [...own, importFrom(DACAPO, '@dacapo/testing'), desk];
  if (kind === 'cjs' && runner === 'node')
    lines.splice(1, 1, "const assert = require('node:assert/strict');");
  const matches =
    runner === 'node'
      ? ['const matches = assertMatchesRecording;', 'const equals = assert.deepEqual;']
      : [
          'expect.extend({ toMatchRecording });',
          'const matches = (received) => expect(received).toMatchRecording();',
          'const equals = (a, b) => expect(a).toEqual(b);',
        ];
  return [...lines, ...matches, ''].join('\n');
}

const PASSING = `
test('answers', () =>
  withCassette('answer', async (tape) => {
    await matches(desk.answer('Where is it?'));
    if (tape.mode === 'replay') equals(desk.ran, []);
  }));

test('streams', () => withCassette('stream', () => matches(desk.stream())));
`;

const FAILING = `
test('miss', async () => {
  desk.clock.now = 2;
  try {
    await withCassette('answer', () => desk.answer('Where is it?'));
  } finally {
    desk.clock.now = 1;
  }
});

test('changed', () =>
  withCassette('answer', async () => {
    const { text } = await desk.answer('Where is it?');
    await matches({ text: text + '!' });
  }));

test('damaged', () => withCassette('damaged', () => desk.answer('Where is it?')));
`;

export const toTest = (runner, kind) => head(runner, kind) + PASSING;
export const toFailingTest = (runner, kind) => head(runner, kind) + FAILING;
