import type { JsonValue } from '@dacapo/protocol';

/** Makes values that stand in one text, by the name in their note. `undefined`: no such type. */
export function reviveText(type: string, json: JsonValue): { value: unknown } | undefined {
  const make = TEXT_TYPES[type];
  return make === undefined ? undefined : { value: make(json) };
}

const TEXT_TYPES: Partial<Record<string, (json: JsonValue) => unknown>> = {
  undefined: () => undefined,
  '-0': () => -0,
  number: Number,
  bigint: (json) => BigInt(textOf(json)),
  Date: (json) => new Date(json === null ? NaN : textOf(json)),
  RegExp: (json) => reviveRegExp(textOf(json)),
  URL: (json) => new URL(textOf(json)),
  URLSearchParams: (json) => new URLSearchParams(textOf(json)),
};

function reviveRegExp(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

export function textOf(json: JsonValue): string {
  return typeof json === 'string' ? json : JSON.stringify(json);
}
