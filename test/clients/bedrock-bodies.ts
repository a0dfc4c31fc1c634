import { eventFrame } from './event-stream.js';

interface Answers {
  readonly whole: object;
  readonly events: readonly object[];
}

const METRICS = { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 12, outputTokenCount: 9 } };

function anthropic(pieces: readonly string[]): Answers {
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'claude-3-5-haiku-20241022' };
  const usage = { input_tokens: 12, output_tokens: 9 };
  const block = (text: string): object => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }); // prettier-ignore
  return {
    whole: { ...message, content: [{ type: 'text', text: pieces.join('') }], stop_reason: 'end_turn', usage },
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 12, output_tokens: 1 } } }, // prettier-ignore
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...pieces.map(block),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      { type: 'message_stop', ...METRICS },
    ],
  };
}

function nova(pieces: readonly string[]): Answers {
  const usage = { inputTokens: 12, outputTokens: 9, totalTokens: 21 };
  return {
    whole: {
      output: { message: { role: 'assistant', content: [{ text: pieces.join('') }] } },
      stopReason: 'end_turn',
      usage,
    },
    events: [
      { messageStart: { role: 'assistant' } },
      ...pieces.map((text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } })),
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'end_turn' } },
      { metadata: { usage }, ...METRICS },
    ],
  };
}

function titan(pieces: readonly string[]): Answers {
  const end = { completionReason: 'FINISH' };
  return {
    whole: { inputTextTokenCount: 12, results: [{ tokenCount: 9, outputText: pieces.join(''), ...end }] },
    events: pieces.map((outputText, index) => {
      const isLast = index === pieces.length - 1;
      const counts = { inputTextTokenCount: 12, totalOutputTextTokenCount: isLast ? 9 : null };
      return { outputText, index, ...counts, completionReason: null, ...(isLast && { ...end, ...METRICS }) };
    }),
  };
}

/** An older format: the text is in one member of each event and of the complete answer. Only streams have usage. */
function continued(
  pieces: readonly string[],
  bodyOf: (text: string, reason: string | null) => object,
): Answers {
  const last = pieces.length - 1;
  return {
    whole: bodyOf(pieces.join(''), 'stop'),
    events: pieces.map((text, index) =>
      index === last ? { ...bodyOf(text, 'stop'), ...METRICS } : bodyOf(text, null),
    ),
  };
}

type Format = (pieces: readonly string[]) => Answers;

/** By a part of the model's id. */
const FORMATS: Record<string, Format> = {
  nova,
  titan,
  llama: (pieces) =>
    continued(pieces, (generation, stop_reason) => ({
      generation,
      stop_reason,
      ...(stop_reason !== null && { prompt_token_count: 12, generation_token_count: 9 }),
    })),
  'claude-v2': (pieces) =>
    continued(pieces, (completion, stop_reason) => ({ type: 'completion', completion, stop_reason })),
  'mistral-7b': (pieces) => continued(pieces, (text, stop_reason) => ({ outputs: [{ text, stop_reason }] })),
};

/** Bedrock's answer to `InvokeModel` at this path: complete, or a stream of events with bytes of JSON. */
export function invokedBody(path: string, pieces: readonly string[]): string | Buffer {
  const [, format = anthropic] = Object.entries(FORMATS).find(([name]) => path.includes(name)) ?? [];
  const { whole, events } = format(pieces);
  if (!path.endsWith('-stream')) return JSON.stringify(whole);
  const frames = events.map((event) =>
    eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') }),
  );
  return Buffer.concat(frames);
}
