import type { Part, ReadText } from './part.js';

/** A declaration or a member. */
interface Statement {
  /** The docstring without asterisks. */
  doc: string;
  code: string;
  /** From 1. */
  line: number;
}

const BEGINS = /^(?:export|declare|import|interface|type|class|enum|namespace|abstract|\/\*\*)\b|^\/\*\*/;
const ENDS_WITH_BRACE =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|enum|const\s+enum|namespace|module|global)\b/;
const NAMED =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(async\s+)?(class|interface|type|enum|const\s+enum|function\*?|const|let|var|namespace|module|global)\s*(['"\w$./@-]*)/;
const MEMBER =
  /^(?:(?:public|protected|static|readonly|abstract|declare|get|set|async|override)\s+)*(\[?['"#\w$.@-]+\]?|new\s*\(|\()/;
/** Classes and interfaces with more characters have a part for each member. */
const LONG_DECLARATION = 1600;

/** Reads TypeScript declarations: a part for each exported symbol, and for each member of a long class or interface. */
export function readDeclarations(text: string): ReadText {
  const statements = splitStatements(text);
  const hasExports = statements.some(({ code }) => /^export\b/.test(code));
  const listed = new Set(statements.flatMap(({ code }) => listedNames(code)));
  return {
    parts: mergeOverloads(
      statements.flatMap((statement) => toParts(statement, [], hasExports ? listed : undefined)),
    ),
  };
}

/** The names in `export { a, b as c }`, `export default a` and `export = a`. */
function listedNames(code: string): string[] {
  const list = /^export\s+(?:type\s+)?\{([^}]*)\}/.exec(code)?.[1];
  if (list !== undefined) {
    const names = list.split(',').map((name) => name.replace(/^\s*type\s/, '').trim());
    return names.map((name) => name.split(/\s/)[0] ?? '');
  }
  const single = /^export\s*(?:default\s|=)\s*([\w$]+)$/.exec(code)?.[1];
  return single === undefined ? [] : [single];
}

/** @param listed names that other statements export; `undefined` for a file without exports, of which all statements count */
function toParts(statement: Statement, above: readonly string[], listed?: ReadonlySet<string>): Part[] {
  const { code, line } = statement;
  const found = NAMED.exec(code);
  const isExported =
    /^(?:export|declare\s+(?:module|namespace|global))\b/.test(code) ||
    listed?.has(found?.[3] ?? '') === true;
  if (!found || (listed && !isExported)) return [];
  const kind = found[2] ?? '';
  const name = (found[3] ?? '').replace(/['"]/g, '') || kind;
  const headings = [...above, name];
  if (/^(?:namespace|module|global)$/.test(kind)) {
    return splitStatements(readBody(code), line).flatMap((inner) => toParts(inner, headings));
  }
  const whole = toPart(statement, headings);
  if (!/^(?:class|interface)$/.test(kind) || code.length <= LONG_DECLARATION) return [whole];
  const members = splitStatements(readBody(code), line).flatMap((member) => memberParts(member, headings));
  const head = code.slice(0, code.indexOf('{')).trim();
  return [toPart({ ...statement, code: `${head} { … }` }, headings), ...members];
}

function memberParts(member: Statement, above: readonly string[]): Part[] {
  if (/^(?:private\b|#)/.test(member.code)) return [];
  const name = MEMBER.exec(member.code)?.[1]?.replace(/\($/, '').trim();
  return name === undefined ? [] : [toPart(member, [...above, name.replace(/['"]/g, '') || 'call'])];
}

function toPart({ doc, code, line }: Statement, headings: string[]): Part {
  const fence = `\`\`\`ts\n${code}\n\`\`\``;
  return { headings, content: doc === '' ? fence : `${doc}\n\n${fence}`, line };
}

/** Overloads become one part. */
function mergeOverloads(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.headings.join('.') === part.headings.join('.')) last.content += `\n\n${part.content}`;
    else result.push({ ...part });
  }
  return result;
}

function readBody(code: string): string {
  return code.slice(code.indexOf('{') + 1, code.lastIndexOf('}'));
}

/** Splits declarations into statements in one pass, which recognizes strings and comments, but not types. */
function splitStatements(text: string, firstLine = 1): Statement[] {
  const statements: Statement[] = [];
  let doc = '';
  let start = 0;
  let startLine = firstLine;
  let line = firstLine;
  let depth = 0;
  let hasBegun = false;

  const end = (at: number): void => {
    const code = dedent(text.slice(start, at)).replace(/;$/, '');
    if (code !== '') {
      statements.push({ doc, code, line: startLine });
      doc = '';
    }
    start = at;
    hasBegun = false;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\n') {
      line++;
      if (depth === 0 && BEGINS.test(text.slice(at + 1, at + 40).trimStart())) end(at);
    } else if (char === '/' && text[at + 1] === '*') {
      const close = text.indexOf('*/', at + 2);
      const stop = close < 0 ? text.length : close + 2;
      if (depth === 0) {
        end(at);
        if (text.startsWith('/**', at)) doc = parseDocComment(text.slice(at, stop));
        start = stop;
        hasBegun = false;
      }
      line += countLineBreaks(text.slice(at, stop));
      at = stop - 1;
    } else if (char === '/' && text[at + 1] === '/') {
      const close = text.indexOf('\n', at);
      const stop = close < 0 ? text.length : close;
      if (depth === 0 && !hasBegun) start = stop;
      at = stop - 1;
    } else if (!hasBegun && char.trim() !== '') {
      hasBegun = true;
      startLine = line;
      at--;
    } else if (char === "'" || char === '"' || char === '`') at = findStringEnd(text, at, char);
    else if (char === '{' || char === '(' || char === '[') depth++;
    else if (char === '}' || char === ')' || char === ']') {
      depth = Math.max(0, depth - 1);
      const isLast = char === '}' && depth === 0;
      if (isLast && ENDS_WITH_BRACE.test(text.slice(start, start + 200).trimStart())) end(at + 1);
    } else if (char === ';' && depth === 0) end(at + 1);
  }
  end(text.length);
  return statements;
}

function findStringEnd(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote || (text[at] === '\n' && quote !== '`')) return at;
  }
  return text.length;
}

function countLineBreaks(text: string): number {
  return text.split('\n').length - 1;
}

/** Removes the common indent of all lines but the first. */
function dedent(text: string): string {
  const lines = text.trim().split('\n');
  const indents = lines
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : indents.reduce((least, one) => Math.min(least, one));
  return lines
    .map((line, at) => (at === 0 ? line : line.slice(indent)))
    .join('\n')
    .trimEnd();
}

function parseDocComment(comment: string): string {
  return comment
    .slice(3, comment.endsWith('*/') ? -2 : undefined)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .replace(/\{@link\s+([^}|]+)(?:\|[^}]*)?\}/g, '`$1`')
    .trim();
}
