import { isJsonObject, type JsonValue } from '@dacapo/protocol';

/** A string unchanged, any other value as indented JSON, `undefined` as an empty string. */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Like {@link jsonText} with sorted keys, so equal JSON values give equal texts. */
export function orderedJsonText(value: JsonValue | undefined): string {
  return jsonText(value === undefined ? undefined : sortKeys(value));
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key] ?? null)]),
  );
}
