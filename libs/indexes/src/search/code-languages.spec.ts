import { codeLanguages, isForLanguage, normalizeLanguage } from './code-languages.js';

describe('codeLanguages', () => {
  it.each([
    ['no code', []],
    ['```py\na\n```\n\n~~~ {.ruby}\nb\n~~~', ['python', 'ruby']],
    ['```ts title="a.ts"\na\n```\n```js\nb\n```', ['javascript']],
    ['```\nplain\n```\n```C++\na\n```', ['cpp']],
    ['````md\n```python\ninner\n```\n````', ['md']],
    ['```go\n``` not the end\n```rust\n```', ['go']],
    ['inline ```js``` code', []],
    ['    ```js\n    indented', []],
  ])('reads %j', (text, languages) => {
    expect(codeLanguages(text)).toEqual(languages);
  });
});

describe('isForLanguage', () => {
  it.each([
    [['python'], 'py', true],
    [['python', 'javascript'], 'TypeScript', true],
    [['python', 'shell'], 'ruby', false],
    [['shell', 'json'], 'ruby', true],
    [[], 'anything', true],
    [['shell'], 'bash', true],
    [['javascript'], 'bash', false],
  ])('for a passage with %j and the language %s, is %p', (languages, wanted, expected) => {
    expect(isForLanguage(languages, normalizeLanguage(wanted))).toBe(expected);
  });
});
