import { parse } from 'yaml';

export interface FrontMatter {
  title?: string;
  /** What it says besides, for people. */
  description?: string;
  /** The lines below it. */
  body: string[];
  /** How many lines it takes. */
  lineCount: number;
}

const MOST_LINES = 200;
const SHOWN = ['description', 'summary', 'keywords', 'tags'];

/** The YAML between two lines of `---` at the start of a text; text that is not YAML is skipped. */
export function frontMatterOf(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const end = lines[0]?.trimEnd() === '---' ? lines.slice(1, MOST_LINES).findIndex(isRule) + 1 : 0;
  if (end === 0) return { body: lines, lineCount: 0 };
  const fields = fieldsOf(lines.slice(1, end).join('\n'));
  const title = textOf(fields['title']) ?? textOf(fields['sidebar_label']);
  const description = SHOWN.map((name) => textOf(fields[name])).filter((shown) => shown !== undefined);
  return {
    ...(title !== undefined && { title }),
    ...(description.length > 0 && { description: `${description.join('\n')}\n` }),
    body: lines.slice(end + 1),
    lineCount: end + 1,
  };
}

function isRule(line: string): boolean {
  return line.trimEnd() === '---';
}

function fieldsOf(yaml: string): Record<string, unknown> {
  try {
    const fields: unknown = parse(yaml, { logLevel: 'error', maxAliasCount: 0 });
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(', ') : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}
