import { isJsonObject, type JsonValue } from '@dacapo/protocol';

/** A value as a person reads it: a string as it is, everything else as indented JSON. */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Like {@link jsonText}, with every object's keys in order: two values that are equal as JSON have one text. */
export function orderedJsonText(value: JsonValue | undefined): string {
  return jsonText(value === undefined ? undefined : withOrderedKeys(value));
}

function withOrderedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withOrderedKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, withOrderedKeys(value[key] ?? null)]),
  );
}
