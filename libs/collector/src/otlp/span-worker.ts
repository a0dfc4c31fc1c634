import { ProtocolError } from '@dacapo/protocol';
import { serveCalls } from '../workers/serve-calls.js';
import { splitJson } from './json/split-json.js';
import { splitProtobuf } from './protobuf/split-protobuf.js';
import { readSpan, type ReadSpan } from './read-span.js';
import { FrameError } from './span-frame.js';
import { SpanMasker } from './span-masker.js';

/** A body with one span. */
export interface SpanCall {
  readonly body: Uint8Array | string;
  readonly keepsAll: boolean;
  /** Of the main thread's masker, so that equal secrets have equal tokens. */
  readonly salt: Uint8Array;
}

/** The answer, in JSON. */
export type SpanAnswer = { readonly read: ReadSpan } | { readonly reason: string };

const WITHOUT_TURNS = { next: () => Promise.resolve() };
let masker: SpanMasker | undefined;

serveCalls({
  async read({ body, keepsAll, salt }: SpanCall): Promise<string> {
    masker ??= new SpanMasker(salt);
    let answer: SpanAnswer;
    try {
      const { frames } =
        typeof body === 'string' ? await splitJson(body, WITHOUT_TURNS) : splitProtobuf(Buffer.from(body));
      const [frame] = frames;
      if (frame === undefined) throw new FrameError('cannot be found in its own body');
      answer = { read: readSpan(frame, masker, keepsAll) };
    } catch (error) {
      if (!(error instanceof FrameError || error instanceof ProtocolError)) throw error;
      answer = { reason: error.message };
    }
    // The main thread parses JSON in turns, but copies a value at once.
    return JSON.stringify(answer);
  },
});
