import ts from 'typescript';

/** Methods of commander whose arguments are printed by `--help`. */
const HELP = new Set(['description', 'option', 'requiredOption', 'argument', 'summary', 'addHelpText']);
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|WHERE|JOIN|AND|CASE WHEN|coalesce|nullif)\b/;
/** Lines of a program, a style sheet or a page in a string. */
const CODE = /[;{]\s*\n|<\/|\$\{?[A-Z(]|^[<:#]/;

/**
 * Finds the texts for people in a source file: sentences and parts of sentences in strings, texts of pages, and the help of commands.
 *
 * @returns `{ text, line }` of each, with template expressions replaced by `value`
 */
export function readMessages(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const messages = [];
  const visit = (node) => {
    const text = textOf(node);
    if (text === undefined) return ts.forEachChild(node, visit);
    if (isProse(text, node) || isHelp(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      messages.push({
        text: text
          .replace(/`[^`]*`/g, 'code')
          .replace(/\s+/g, ' ')
          .trim(),
        line: line + 1,
      });
    }
    return undefined;
  };
  visit(file);
  return messages;
}

/** The text of a string, a template or their sum. */
function textOf(node) {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => `value${literal.text}`)].join('');
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Many words without punctuation are data. */
const WORD_LIST = /^[\w\s-]{120,}$/;

/** Whether a string is prose: four words or more, two of them consecutive plain words. Lists such as `'a b c'.split(' ')` are data. */
function isProse(text, { parent }) {
  if (ts.isPropertyAccessExpression(parent)) return false;
  if ([SQL, CODE, WORD_LIST].some((pattern) => pattern.test(text.trim()))) return false;
  return /[a-z]{2,} [a-z]{2,}/.test(text) && text.trim().split(/\s+/).length > 3;
}

function isHelp({ parent }) {
  if (!ts.isCallExpression(parent)) return false;
  const called = parent.expression;
  return ts.isPropertyAccessExpression(called) && HELP.has(called.name.text);
}
