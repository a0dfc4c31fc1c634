import { type Statement, statementsOf } from './declaration-statements.js';
import type { Part, ReadText } from './part.js';

const NAMED =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(async\s+)?(class|interface|type|enum|const\s+enum|function\*?|const|let|var|namespace|module|global)\s*(['"\w$./@-]*)/;
const MEMBER =
  /^(?:(?:public|protected|static|readonly|abstract|declare|get|set|async|override)\s+)*(\[?['"#\w$.@-]+\]?|new\s*\(|\()/;
/** Characters of a class or an interface beyond which its members are parts of their own. */
const LONG = 1600;

/** TypeScript declarations: a part for each exported symbol with its docstring; of long classes and interfaces, for each member. */
export function readDeclarations(text: string): ReadText {
  const statements = statementsOf(text);
  const hasExports = statements.some(({ code }) => /^export\b/.test(code));
  const listed = new Set(statements.flatMap(({ code }) => listedNames(code)));
  return {
    parts: merged(statements.flatMap((statement) => partsOf(statement, [], hasExports ? listed : undefined))),
  };
}

/** The names that `export { a, b as c }`, `export default a` and `export = a` let out. */
function listedNames(code: string): string[] {
  const list = /^export\s+(?:type\s+)?\{([^}]*)\}/.exec(code)?.[1];
  if (list !== undefined)
    return list.split(',').map(
      (name) =>
        name
          .replace(/^\s*type\s/, '')
          .trim()
          .split(/\s/)[0] ?? '',
    );
  const single = /^export\s*(?:default\s|=)\s*([\w$]+)$/.exec(code)?.[1];
  return single === undefined ? [] : [single];
}

/** @param listed where there are exports, the names that are exported elsewhere */
function partsOf(statement: Statement, above: readonly string[], listed?: ReadonlySet<string>): Part[] {
  const { code, line } = statement;
  const found = NAMED.exec(code);
  const isOut =
    /^(?:export|declare\s+(?:module|namespace|global))\b/.test(code) ||
    listed?.has(found?.[3] ?? '') === true;
  if (!found || (listed && !isOut)) return [];
  const kind = found[2] ?? '';
  const name = (found[3] ?? '').replace(/['"]/g, '') || kind;
  const headings = [...above, name];
  if (/^(?:namespace|module|global)$/.test(kind)) {
    return statementsOf(bodyOf(code), line).flatMap((inner) => partsOf(inner, headings));
  }
  const whole = partOf(statement, headings);
  if (!/^(?:class|interface)$/.test(kind) || code.length <= LONG) return [whole];
  const members = statementsOf(bodyOf(code), line).flatMap((member) => memberParts(member, headings));
  const head = code.slice(0, code.indexOf('{')).trim();
  return [partOf({ ...statement, code: `${head} { … }` }, headings), ...members];
}

function memberParts(member: Statement, above: readonly string[]): Part[] {
  if (/^(?:private\b|#)/.test(member.code)) return [];
  const name = MEMBER.exec(member.code)?.[1]?.replace(/\($/, '').trim();
  return name === undefined ? [] : [partOf(member, [...above, name.replace(/['"]/g, '') || 'call'])];
}

function partOf({ doc, code, line }: Statement, headings: string[]): Part {
  const fence = `\`\`\`ts\n${code}\n\`\`\``;
  return { headings, content: doc === '' ? fence : `${doc}\n\n${fence}`, line };
}

/** Overloads are one symbol. */
function merged(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.headings.join('.') === part.headings.join('.')) last.content += `\n\n${part.content}`;
    else result.push({ ...part });
  }
  return result;
}

function bodyOf(code: string): string {
  return code.slice(code.indexOf('{') + 1, code.lastIndexOf('}'));
}
