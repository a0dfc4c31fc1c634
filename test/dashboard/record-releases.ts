import { formatTimestamp, newTraceId, type SpanData, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { type Recorder, span } from './recorded.js';

const HOUR_MS = 3600 * 1000;

interface Call {
  key: string;
  hoursAgo: number;
  release: string;
  ms: number;
  tokens: number;
  error?: SpanData['error'];
}

/** A call that asks a model once, inside a request. */
function toSpans({ key, hoursAgo, release, ms, tokens, error }: Call): SpanRecord[] {
  const trace = newTraceId();
  const startedMs = Date.now() - hoursAgo * HOUR_MS;
  const more = {
    release,
    started_at: formatTimestamp(startedMs * 1000),
    ended_at: formatTimestamp((startedMs + ms) * 1000),
    duration_ms: ms,
  };
  const usage = { model: 'gpt-4o', provider: 'openai', input_tokens: tokens, output_tokens: 120 };
  const root = span(trace, key, 0, error ? { error } : { output: { done: true } }, {
    ...more,
    type: 'agent',
  });
  const asked = error ? {} : { usage };
  return [
    root,
    span(trace, 'openai.chat', 0, asked, { ...more, type: 'llm', status: 'ok', parent_id: root.id }),
  ];
}

/** Three functions in release 2.14.2 for two weeks, and in 2.15.0 for two days, in which two got worse. */
export async function recordReleases(recorder: Recorder): Promise<void> {
  const calls: Call[] = [];
  for (let no = 0; no < 240; no += 1) {
    const hoursAgo = 1.5 + no * 1.2;
    const isNew = hoursAgo < 48;
    const release = isNew ? '2.15.0' : '2.14.2';
    const error =
      isNew && no % 2 === 0
        ? {
            error: {
              name: 'APIConnectionTimeoutError',
              message: `Request timed out after ${20_000 + no} ms`,
            },
          }
        : {};
    calls.push(
      {
        key: 'extract-invoice',
        hoursAgo,
        release,
        ms: 900 + (no % 9) * 60,
        tokens: 1_400 + (no % 5) * 90,
        ...error,
      },
      {
        key: 'summarise-thread',
        hoursAgo,
        release,
        ms: 1_300 + (no % 7) * 90,
        tokens: (isNew ? 9_800 : 3_000) + (no % 6) * 120,
      },
      { key: 'classify-ticket', hoursAgo, release, ms: 240 + (no % 8) * 20, tokens: 380 + (no % 4) * 12 },
    );
  }
  await recorder.ingest(calls.flatMap(toSpans));
  for (const rules of [
    'Sum the thread up.',
    'Sum the thread up in three lines.',
    'Sum the thread up in three lines. Quote the customer.',
  ])
    await recorder.post(routePath(API.functions.push, { name: 'summarise-thread' }), {
      source: `function Summarise(thread: string[]) -> string {\n  client Main\n  prompt #"\n    ${rules}\n\n    {{ thread }}\n  "#\n}\n`,
      entry: 'Summarise',
      note: rules,
    });
}
