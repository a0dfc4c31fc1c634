import { type Fields, fieldsOf, isFields, listOf, textOf } from './json-fields.js';

/** Lines of one schema at most; further properties are skipped. */
const MOST_LINES = 80;
/** References in a row that are followed. */
const MOST_REFERENCES = 10;

/** Says what JSON schemas of a description ask for, as lists. References lead within the description only. */
export class SchemaText {
  constructor(private readonly root: Fields) {}

  /** What a `$ref` leads to; anything else as it is. */
  resolve(value: unknown): unknown {
    let found = value;
    for (let count = 0; count < MOST_REFERENCES; count++) {
      const reference = fieldsOf(found)['$ref'];
      if (typeof reference !== 'string') return found;
      if (!reference.startsWith('#/')) return undefined;
      found = reference
        .slice(2)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>(
          (at, key) => (Object.hasOwn(fieldsOf(at), key) ? fieldsOf(at)[key] : undefined),
          this.root,
        );
    }
    return undefined;
  }

  /** In a word or two: `string (date-time)`, `array of Pet`, `'a' | 'b'`. */
  typeOf(schema: unknown): string {
    const reference = fieldsOf(schema)['$ref'];
    if (typeof reference === 'string') return reference.slice(reference.lastIndexOf('/') + 1);
    const { type, format, items } = fieldsOf(schema);
    const choices = listOf(fieldsOf(schema)['enum']);
    if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
    const several = listOf(fieldsOf(schema)['oneOf'] ?? fieldsOf(schema)['anyOf']);
    if (several.length > 0)
      return several
        .slice(0, 10)
        .map((one) => this.typeOf(one))
        .join(' | ');
    if (items !== undefined) return `array of ${this.typeOf(items)}`;
    const name = Array.isArray(type) ? type.join(' | ') : (textOf(type) ?? 'any');
    return textOf(format) === undefined ? name : `${name} (${textOf(format) ?? ''})`;
  }

  /** Its properties, line by line, down to so many levels. */
  describe(schema: unknown, depth: number): string {
    return this.lines(schema, depth, '').slice(0, MOST_LINES).join('\n');
  }

  private lines(schema: unknown, depth: number, indent: string): string[] {
    const resolved = fieldsOf(this.resolve(schema));
    const inherited = listOf(resolved['allOf']).flatMap((one) =>
      depth > 0 ? this.lines(one, depth - 1, indent) : [],
    );
    const properties = resolved['properties'] ?? fieldsOf(this.resolve(resolved['items']))['properties'];
    if (!isFields(properties))
      return inherited.length > 0 ? inherited : [`${indent}- ${this.typeOf(schema)}`];
    const required = new Set(listOf(resolved['required']));
    const own = Object.entries(properties)
      .slice(0, MOST_LINES)
      .flatMap(([name, property]) => {
        const said = textOf(fieldsOf(this.resolve(property))['description'])?.replace(/\s+/g, ' ');
        const line = `${indent}- \`${name}\` (${this.typeOf(property)}${required.has(name) ? ', required' : ''})${said === undefined ? '' : `: ${said}`}`;
        const hasInner = isFields(fieldsOf(this.resolve(property))['properties']);
        return hasInner && depth > 1 ? [line, ...this.lines(property, depth - 1, `${indent}  `)] : [line];
      });
    return [...inherited, ...own];
  }
}
