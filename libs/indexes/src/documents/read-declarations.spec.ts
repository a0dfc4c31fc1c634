import { readDeclarations } from './read-declarations.js';

const read = (text: string) =>
  readDeclarations(text).parts.map(({ headings, content, line }) => [headings.join('.'), content, line]);

describe('readDeclarations', () => {
  it('has a part for each exported symbol with its docstring', () => {
    const text = `import { A } from './a';
/** Sends it.
 *
 * @param to where {@link Address}
 */
export declare function send(to: string, options?: {
    retries: number;
}): Promise<void>;
/** How often. */
export declare const RETRIES = 3;
declare const hidden: 1;
export type Mode = 'a;' | "b}";
export { send as default };
`;
    expect(read(text)).toEqual([
      [
        'send',
        'Sends it.\n\n@param to where `Address`\n\n```ts\nexport declare function send(to: string, options?: {\n    retries: number;\n}): Promise<void>\n```',
        6,
      ],
      ['RETRIES', 'How often.\n\n```ts\nexport declare const RETRIES = 3\n```', 10],
      ['Mode', '```ts\nexport type Mode = \'a;\' | "b}"\n```', 12],
    ]);
  });

  it('keeps overloads together', () => {
    const [part, ...others] = read(
      'export declare function a(x: 1): 1;\nexport declare function a(x: 2): 2;\n',
    );
    expect(others).toEqual([]);
    expect(part?.[1]).toContain('(x: 1)');
    expect(part?.[1]).toContain('(x: 2)');
  });

  it('has a part for each member of a long class, except private ones', () => {
    const members = Array.from(
      { length: 30 },
      (_, at) => `    /** About m${at}. */\n    m${at}(value: string, other: number): void;`,
    );
    const text = `export declare class Big<T> extends Base {\n    private readonly secret;\n    constructor();\n${members.join('\n')}\n}\nexport interface Small {\n    a: 1;\n}\n`;
    const names = read(text).map(([name]) => name);
    expect(names.slice(0, 4)).toEqual(['Big', 'Big.constructor', 'Big.m0', 'Big.m1']);
    expect(names).toHaveLength(33);
    expect(names.at(-1)).toBe('Small');
  });

  it('reads namespaces, modules and handwritten declarations without semicolons', () => {
    const text = `declare namespace fastify {\n  export interface Reply {\n    code: number\n  }\n  type Kind = 'a'\n}\nexport = fastify\n`;
    expect(read(text).map(([name]) => name)).toEqual(['fastify.Reply', 'fastify.Kind']);
  });

  it('reads declarations that are exported elsewhere in the file', () => {
    const text = `export default Pool\nexport { Stats as S, type Kind }\ndeclare class Pool { get(): void }\ninterface Stats { a: 1 }\ntype Kind = 1\ntype Hidden = 2\n`;
    expect(read(text).map(([name]) => name)).toEqual(['Pool', 'Stats', 'Kind']);
  });

  it('reads all declarations of a file without exports', () => {
    expect(
      read('declare var process: Process;\ninterface Process { pid: number }').map(([name]) => name),
    ).toEqual(['process', 'Process']);
  });

  it('accepts a text that is cut anywhere', () => {
    const text =
      '/** Doc */\nexport interface A { a: "x\\"y"; b: `z` }\nexport declare class B { c(): void; }';
    for (let end = 0; end <= text.length; end++)
      expect(() => readDeclarations(text.slice(0, end))).not.toThrow();
  });
});
