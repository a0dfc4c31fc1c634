import type { DecodedResource, DecodedScope, DecodedSpan } from './decoded.js' with {
  'resolution-mode': 'import',
};

interface Decoder<T> {
  /**
   * @param reader a `Reader` of protobufjs
   * @throws Error when its bytes are no such message
   */
  decode(reader: object): T;
}

declare const root: {
  readonly otlp: {
    readonly Span: Decoder<DecodedSpan>;
    readonly Resource: Decoder<DecodedResource>;
    readonly Scope: Decoder<DecodedScope>;
  };
};

export = root;
