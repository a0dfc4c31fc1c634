import { isJsonObject } from '@dacapo/protocol';
import { blankNested, insertAt } from './source-code.js';

/**
 * Adds a dependency to the text of a package.json, and leaves its other lines as they are.
 *
 * @returns the new text; `undefined` when it cannot be parsed
 */
export function addDependency(
  text: string,
  field: 'dependencies' | 'devDependencies',
  name: string,
  range: string,
): string | undefined {
  const edited = insertDependency(text, field, name, range);
  return toRange(edited, field, name) === range ? edited : undefined;
}

function toRange(text: string, field: string, name: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    const packages = isJsonObject(json) ? json[field] : undefined;
    return isJsonObject(packages) ? packages[name] : undefined;
  } catch {
    return undefined;
  }
}

function insertDependency(text: string, field: string, name: string, range: string): string {
  const indent = /^\s*\{\s*\n([ \t]+)/.exec(text)?.[1] ?? '  ';
  const entry = `\n${indent}${indent}"${name}": "${range}"`;
  const after = text.indexOf('{') + 1;
  const own = blankNested(text.slice(after));
  // Not those of another object, such as a preset.
  const found = [...text.matchAll(new RegExp(`"${field}"\\s*:\\s*\\{(\\s*\\})?`, 'g'))].find(
    ({ 0: entryStart, index }) => own.charAt(index + entryStart.indexOf('{') - after) === '{',
  );
  if (found === undefined) {
    const isEmpty = /^\s*\{\s*\}/.test(text);
    return insertAt(text, after, `\n${indent}"${field}": {${entry}\n${indent}}${isEmpty ? '\n' : ','}`);
  }
  const at = found.index + found[0].indexOf('{') + 1;
  if (found[1] === undefined) return insertAt(text, at, `${entry},`);
  return `${text.slice(0, at)}${entry}\n${indent}}${text.slice(found.index + found[0].length)}`;
}
