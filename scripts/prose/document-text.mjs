/** Blocks that are no prose of ours: code, comments, generated tables. */
const NO_PROSE = [
  /^```[^]*?^```/gm,
  /<!-- (?:options|conditions|masking):?[^]*?<!-- end of [^>]*-->/g,
  /<!--[^]*?-->/g,
  /^---\n[^]*?^---\n/g,
];

/**
 * Splits Markdown into paragraphs, list items and cells, as plain text.
 *
 * @returns `{ text, line }` of each, with code replaced by `code`
 */
export function readParagraphs(markdown) {
  const prose = NO_PROSE.reduce((text, block) => text.replace(block, blank), markdown);
  const paragraphs = [];
  let current;
  prose.split('\n').forEach((line, index) => {
    const isStart = /^\s*(?:[-*] |\d+\. |\||#|> |!\[)/.test(line);
    if (line.trim() === '' || isStart) current = undefined;
    if (line.trim() === '') return;
    const parts = line.startsWith('|') ? line.split(/(?<!\\)\|/) : [line];
    for (const part of parts) {
      if (current === undefined || line.startsWith('|'))
        paragraphs.push((current = { text: '', line: index + 1 }));
      current.text += `${part} `;
    }
    if (/^(?:\||#)/.test(line)) current = undefined;
  });
  return paragraphs
    .map(({ text, line }) => ({ text: toPlain(text), line }))
    .filter(({ text }) => text !== '');
}

/** Keeps the lines, so that numbers of later ones stay right. */
function blank(block) {
  return block.replace(/[^\n]/g, '');
}

function toPlain(text) {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/``[^`]+``|`[^`]*`/g, 'code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-*]|\d+\.|#+|>) /, '')
    .replace(/\*\*?|\\/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
