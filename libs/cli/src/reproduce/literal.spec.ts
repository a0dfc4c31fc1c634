import * as fc from 'fast-check';
import { toLiteral } from './literal.js';

it('makes a literal of any text, which no text can leave', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const literal = toLiteral(text);
      expect(literal).toMatch(/^'(?:[ -&(-[\]-~]|\\['\\n]|\\u[0-9a-f]{4})*'$/);
      expect(JSON.parse(`"${literal.slice(1, -1).replaceAll('"', '\\"').replaceAll("\\'", "'")}"`)).toBe(
        text,
      );
    }),
  );
});

it.each(["'); process.exit(); ('", '\u2028// new line', '*/ evil() /*', '${evil()}', '\\', '</script>'])(
  'keeps %j inside the literal',
  (text) => {
    expect(toLiteral(text)).toMatch(/^'(?:[ -&(-[\]-~]|\\['\\n]|\\u[0-9a-f]{4})*'$/);
  },
);
