import { isJsonObject } from '../json/json-value.js';

/**
 * Returns the first of `members` that a response lacks, or `undefined` if it has all. A response without them is not from the
 * service.
 *
 * @param members names, or dotted paths such as `data.indexes`; a path that ends with `[]` must be a list
 */
export function missingMember(answer: unknown, members: readonly string[]): string | undefined {
  return members
    .find((path) => {
      let value: unknown = answer;
      for (const name of splitPath(path)) value = isJsonObject(value) ? value[name] : undefined;
      return path.endsWith('[]') ? !Array.isArray(value) : value === undefined || value === null;
    })
    ?.replace('[]', '');
}

function splitPath(path: string): string[] {
  return path.replace('[]', '').split('.');
}
