import { insertAt } from './source-code.js';

/** Adds a dependency to the text of a package.json, and leaves its other lines as they are. */
export function addDependency(
  text: string,
  field: 'dependencies' | 'devDependencies',
  name: string,
  range: string,
): string {
  const indent = /^\s*\{\s*\n([ \t]+)/.exec(text)?.[1] ?? '  ';
  const entry = `\n${indent}${indent}"${name}": "${range}"`;
  const found = new RegExp(`"${field}"\\s*:\\s*\\{(\\s*\\})?`).exec(text);
  if (found === null) {
    const isEmpty = /^\s*\{\s*\}/.test(text);
    const after = text.indexOf('{') + 1;
    return insertAt(text, after, `\n${indent}"${field}": {${entry}\n${indent}}${isEmpty ? '\n' : ','}`);
  }
  const at = found.index + found[0].indexOf('{') + 1;
  if (found[1] === undefined) return insertAt(text, at, `${entry},`);
  return `${text.slice(0, at)}${entry}\n${indent}}${text.slice(found.index + found[0].length)}`;
}
