/** A declaration, or a member of one. */
export interface Statement {
  /** Its docstring, without the stars. */
  doc: string;
  code: string;
  /** From 1. */
  line: number;
}

const BEGINS = /^(?:export|declare|import|interface|type|class|enum|namespace|abstract|\/\*\*)\b|^\/\*\*/;
const ENDS_WITH_BRACE =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|enum|const\s+enum|namespace|module|global)\b/;

/** The statements of declarations, in one pass: strings and comments are known, types are not. */
export function statementsOf(text: string, firstLine = 1): Statement[] {
  const statements: Statement[] = [];
  let doc = '';
  let start = 0;
  let startLine = firstLine;
  let line = firstLine;
  let depth = 0;
  let hasBegun = false;

  const end = (at: number): void => {
    const code = dedented(text.slice(start, at)).replace(/;$/, '');
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
        if (text.startsWith('/**', at)) doc = docText(text.slice(at, stop));
        start = stop;
        hasBegun = false;
      }
      line += lineEnds(text.slice(at, stop));
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
    } else if (char === "'" || char === '"' || char === '`') at = endOfString(text, at, char);
    else if (char === '{' || char === '(' || char === '[') depth++;
    else if (char === '}' || char === ')' || char === ']') {
      depth = Math.max(0, depth - 1);
      if (char === '}' && depth === 0 && ENDS_WITH_BRACE.test(text.slice(start, start + 200).trimStart()))
        end(at + 1);
    } else if (char === ';' && depth === 0) end(at + 1);
  }
  end(text.length);
  return statements;
}

function endOfString(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote || (text[at] === '\n' && quote !== '`')) return at;
  }
  return text.length;
}

function lineEnds(text: string): number {
  return text.split('\n').length - 1;
}

/** Without the blanks that all lines but the first begin with. */
function dedented(text: string): string {
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

function docText(comment: string): string {
  return comment
    .slice(3, comment.endsWith('*/') ? -2 : undefined)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .replace(/\{@link\s+([^}|]+)(?:\|[^}]*)?\}/g, '`$1`')
    .trim();
}
