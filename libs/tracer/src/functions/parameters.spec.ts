import { parseParameters } from './parameters.js';

describe('the parameters of a function in a BAML source', () => {
  it.each<[string, string[] | undefined]>([
    ['function F() -> string {', []],
    ['function F(text: string) -> string {', ['text']],
    [
      '  function F (\n  text: string, // what it says, (all of it)\n  product: string?,\n) -> string {',
      ['text', 'product'],
    ],
    ['function F(a: map<string, int>, b: (int | string)[], c: "x,y)" | "z") -> T {', ['a', 'b', 'c']],
    ['function FF(other: int) -> T {}\nfunction F(mine: int) -> T {', ['mine']],
    ['function F(text string) -> string {', undefined],
    ['function F(text: string', undefined],
    ['class F { text string }', undefined],
  ])('of %j are %j', (source, names) => {
    expect(parseParameters(source, 'F')).toEqual(names);
  });
});
