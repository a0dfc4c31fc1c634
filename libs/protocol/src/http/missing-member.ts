import { isJsonObject } from '../json/json-value.js';

/**
 * The first of `members` that an answer of the service lacks: then something else answered. `undefined` when it has all.
 *
 * @param members names, or paths with dots: `data.indexes`; with `[]` at its end one must be a list
 */
export function missingMember(answer: unknown, members: readonly string[]): string | undefined {
  return members
    .find((path) => {
      let value: unknown = answer;
      for (const name of namesOf(path)) value = isJsonObject(value) ? value[name] : undefined;
      return path.endsWith('[]') ? !Array.isArray(value) : value === undefined || value === null;
    })
    ?.replace('[]', '');
}

function namesOf(path: string): string[] {
  return path.replace('[]', '').split('.');
}
