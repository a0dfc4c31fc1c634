import ts from 'typescript';

/** The same code in fewer bytes, line by line as it was, so that a stack trace can be read. */
export function compact(code) {
  return inAscii(withoutIndentation(code));
}

/** With a single character beyond Latin-1, the engine keeps the whole file as two bytes a character. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function withoutIndentation(code) {
  const source = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.Latest);
  const refuseTextOfLines = (node) => {
    const isText = ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
    if (isText && node.getText(source).includes('\n'))
      throw new Error(`A text goes over lines, so they cannot be moved: ${node.getText(source)}`);
    ts.forEachChild(node, refuseTextOfLines);
  };
  refuseTextOfLines(source);
  return code.replace(/^\t+/gm, '');
}
