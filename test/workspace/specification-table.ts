/** A test that test/specification.md names as proof of a rule. */
interface Proof {
  readonly rule: string;
  /** Path of the spec file from the root of the repository. */
  readonly path: string;
  /** Titles of `describe` and `it`, from the outside in. */
  readonly titles: readonly string[];
}

export interface Rule {
  /** Number of the heading and first cell of the row, such as `4.2 withSpan rule 3`. */
  readonly rule: string;
  readonly proofs: readonly Proof[];
}

const PROOF_COLUMN = 'proved by';

/**
 * Reads the tables of test/specification.md with the last column "Proved by". Its cells contain one or more `path › title`,
 * separated by `<br>`. Further `›` separate `describe` titles. Ignores backticks.
 */
export function readRules(markdown: string): Rule[] {
  const rules: Rule[] = [];
  let section = '';
  let isRuleTable = false;
  for (const line of markdown.split('\n')) {
    section = /^#{2,4}\s+(\d[\d.]*)/.exec(line)?.[1]?.replace(/\.$/, '') ?? section;
    if (!line.startsWith('|')) {
      isRuleTable = false;
      continue;
    }
    const cells = splitCells(line);
    const last = cells.at(-1) ?? '';
    if (last.toLowerCase() === PROOF_COLUMN) isRuleTable = true;
    else if (isRuleTable && !/^:?-+:?$/.test(last)) rules.push(toRule(`${section} ${cells[0] ?? ''}`, last));
  }
  return rules;
}

/** Whether a spec file has a test or a group with exactly that title. */
export function hasTitle(source: string, title: string): boolean {
  const unescaped = source.replace(/\\(['"`])/g, '$1');
  return ["'", '"', '`'].some((quote) => unescaped.includes(`${quote}${title}${quote}`));
}

function splitCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
}

function toRule(rule: string, cell: string): Rule {
  const proofs = cell
    .split(/<br\s*\/?>/)
    .map((proof) =>
      proof.split('›').map((part) =>
        part
          .trim()
          .replace(/^`+|`+$/g, '')
          .trim(),
      ),
    )
    .filter(([path]) => path !== '')
    .map(([path = '', ...titles]) => ({ rule, path, titles }));
  return { rule, proofs };
}
