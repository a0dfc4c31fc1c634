import type { FunctionVersionRecord } from '@dacapo/protocol';
import { typesFile } from './types-file.js';

function renderTypes(source: string, entry = 'F'): string {
  const record: FunctionVersionRecord = {
    name: 'support.classify-v2',
    version: 3,
    source,
    entry,
    created_at: '2026-01-01T00:00:00.000000Z',
    is_active: true,
  };
  return typesFile([record]);
}

const body = '{\n  client "openai/gpt-4o"\n  prompt #"class Fake { x string } {{ text }}"#\n}';

describe('The types of native functions', () => {
  it('include exactly the classes, enums and aliases that they use', () => {
    const types = renderTypes(`
// class Commented { x int }
enum Level {
  Low @alias("k1") @description("not (much)")
  High
}
enum Open { A
  @@dynamic
}
type Tags = map<string, string[]>
class Unused { x int }
class Ticket {
  category "billing" | "technical" @description("the { kind }")
  level Level
  summary string? @alias("text")
  tags Tags
  replies (Reply | null)[]
  count int | float
  @@assert(ok, {{ this.count > 0 }})
}
class Reply {
  by Open
  parent Ticket?
  @@dynamic
}
retry_policy P { max_retries 2 }
template_string Say(x: string) #"say {{ x }}"#
function F(text: string, picture: image?, levels: map<Level, int>, tickets: Ticket[]) -> Ticket[] ${body}
test t { functions [F] args { text "x" } }
`);
    expect(types).toContain(`/** support.classify-v2, version 3. */
export interface SupportClassifyV2Input {
  text: string;
  picture?: import('@boundaryml/baml').Image | null;
  levels: Partial<Record<SupportClassifyV2Types.Level, number>>;
  tickets: SupportClassifyV2Types.Ticket[];
}

export type SupportClassifyV2Output = SupportClassifyV2Types.Ticket[];

export declare namespace SupportClassifyV2Types {
  type Tags = Record<string, string[]>;
  type Level = 'Low' | 'High';
  type Open = 'A' | (string & {});
  interface Ticket {
    category: 'billing' | 'technical';
    level: Level;
    summary?: string | null;
    tags: Tags;
    replies: (Reply | null)[];
    count: number | number;
  }
  interface Reply {
    by: Open;
    parent?: Ticket | null;
    [field: string]: unknown;
  }
}
`);
    expect(types).not.toMatch(/Unused|Fake|Commented/);
    expect(types).toContain(
      "'support.classify-v2': { input: SupportClassifyV2Input; output: SupportClassifyV2Output };",
    );
  });

  it('need no namespace when nothing is named', () => {
    expect(renderTypes(`function F(a: bool) -> string ${body}`)).not.toContain('namespace');
  });

  it('quote literals as TypeScript does', () => {
    expect(renderTypes(`function F(a: "it's" | "\\"q\\"" | 5 | true) -> null ${body}`)).toContain(
      `a: 'it\\'s' | '"q"' | 5 | true;`,
    );
  });

  it('name the line of a source that cannot be read', () => {
    expect(() => renderTypes('\nfunction F(a string) -> string {}')).toThrow(
      'BAML source, line 2: ":" is expected, not string.',
    );
    expect(() => renderTypes('class A {\n  b')).toThrow('BAML source, line 2');
  });
});
