/** A record or a body that does not follow the protocol. `field` is the path of the invalid field, such as `span.started_at`. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'PROTOCOL_INVALID_RECORD';

  constructor(
    readonly field: string,
    problem: string,
    message = `${field} ${problem}`,
  ) {
    super(message);
  }

  /** Recognizes errors of the other build too: one process may load this package by `import` and by `require`. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && (value as Partial<ProtocolError>).code === 'PROTOCOL_INVALID_RECORD';
  }
}

/** A value as an error shows it: short texts and numbers as they are, other values by their kind. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return value.length > 40 ? 'a long string' : JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'an object';
}
