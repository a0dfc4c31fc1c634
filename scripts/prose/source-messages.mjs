import ts from 'typescript';

/** Methods of commander whose arguments are printed by `--help`. */
const HELP = new Set(['description', 'option', 'requiredOption', 'argument', 'summary', 'addHelpText']);

/**
 * Finds what a source file says to people: sentences in strings, and the help of commands.
 *
 * @returns `{ text, line }` of each, with what a template inserts replaced by `value`
 */
export function readMessages(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const messages = [];
  const visit = (node) => {
    const text = textOf(node);
    if (text === undefined) return ts.forEachChild(node, visit);
    if (isSentence(text) || isHelp(node)) {
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
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => `value${literal.text}`)].join('');
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

function isSentence(text) {
  const isSql = /^(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE)\b/.test(text.trim());
  return !isSql && /^[A-Z"“].*[.!?]$/s.test(text.trim()) && text.trim().split(/\s+/).length > 3;
}

function isHelp({ parent }) {
  if (!ts.isCallExpression(parent)) return false;
  const called = parent.expression;
  return ts.isPropertyAccessExpression(called) && HELP.has(called.name.text);
}
