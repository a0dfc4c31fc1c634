import { addDependency } from './manifest.js';

const add = (text: string): string | undefined => addDependency(text, 'dependencies', 'new', '^1.0.0');

describe('A dependency', () => {
  it.each([
    '{}',
    '{ "dependencies": {} }',
    '{\n  "dependencies": {\n    "old": "1"\n  }\n}\n',
    '{ "preset": { "dependencies": { "old": "1" } }, "name": "desk" }',
    '{ "preset": { "dependencies": {} }, "dependencies": { "old": "1" } }',
  ])('is added to those of the package alone: %j', (text) => {
    const before = JSON.parse(text);
    expect(JSON.parse(add(text) ?? '')).toEqual({
      ...before,
      dependencies: { ...before.dependencies, new: '^1.0.0' },
    });
  });

  it.each(['{ "dependencies": [] }', '{ "dependencies": {}, "dependencies": { "old": "1" } }'])(
    'is not added where it would have no effect: %j',
    (text) => {
      expect(add(text)).toBeUndefined();
    },
  );
});
