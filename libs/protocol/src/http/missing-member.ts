import { isJsonObject } from '../json/json-value.js';

/**
 * The first of `members` that an answer of the service lacks: then something else answered. `undefined` when it has all.
 *
 * @param members names, or paths with dots: `data.indexes`
 */
export function missingMember(answer: unknown, members: readonly string[]): string | undefined {
  return members.find((path) => {
    let value: unknown = answer;
    for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
    return value === undefined || value === null;
  });
}
