/** A record or a body that does not follow the protocol. `field` is its path, `span.started_at` say. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'PROTOCOL_INVALID_RECORD';

  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(`${field} ${problem}`);
  }
}
