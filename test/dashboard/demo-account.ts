import type { RunningCollector } from '@dacapo/collector';
import {
  formatTimestamp,
  newTraceId,
  type SpanRecord,
  type TestRunItemSummary,
  type TestRunRecord,
  type TraceSummary,
} from '@dacapo/protocol';
import { API, type Answer, routePath } from '@dacapo/protocol/api';
import { Tracer } from '@dacapo/tracer';
import { DemoApplication, NO_TAXES, RECORDED, SHORTER_RULES } from './demo-application.js';
import { recordReleases } from './record-releases.js';
import { type Recorder, span } from './recorded.js';

export const SESSION = 'chat-7f3a';

/** What the pages of the demo account are about. */
export interface Demo {
  recorder: Recorder;
  /** Ids of a routed ticket, a failed refund, a turn of a conversation, and a call that changed when it was replayed. */
  traces: { ticket: string; refund: string; turn: string; recorded: string; replayed: string };
  /** Ids of runs. `live` runs, `plain` has no gate. */
  runs: { passed: string; failed: string; third: string; judged: string; live: string; plain: string };
  /** Addresses of share links. */
  shared: { trace: string; namesOnly: string; run: string };
  /** Addresses of an unused invitation. */
  join: string;
  readOnlyKey: string;
}

/** Records an account with something on each page. */
export async function recordDemo({ url, apiKey = '' }: RunningCollector, recorder: Recorder): Promise<Demo> {
  const tracer = new Tracer({ apiKey, serviceUrl: url });
  const application = new DemoApplication(tracer);
  await recordReleases(recorder);
  const turn = await recordConversation(recorder);
  await application.record(24);
  const passed = await application.replay('As recorded', RECORDED);
  const failed = await application.replay('prompt v2: shorter rules', SHORTER_RULES);
  const third = await application.replay('prompt v3', NO_TAXES);
  const judged = await application.replay('prompt v2: judged', SHORTER_RULES);
  await tracer.shutdown();
  await judge(recorder, judged.testRunId);
  const plain = await recorder.testRun('summarise-thread', [], 'Without a gate');
  const live = await startLiveRun(recorder, failed.testRunId);
  const find = async (key: string, status: string) => {
    const { items } = await recorder.get<{ items: TraceSummary[] }>(
      `${API.traces.list.path}?trace_function_key=${key}&status=${status}&replays=exclude&limit=1`,
    );
    return items[0]?.id ?? '';
  };
  const ticket = await find('route-ticket', 'ok');
  const refund = await find('handle-refund', 'error');
  const [changed] = await listChanged(recorder, failed.testRunId);
  await fillSettings(recorder);
  await fillDataset(recorder, ticket);
  const share = async (target: object): Promise<string> =>
    new URL(((await recorder.post(API.shareLinks.create.path, target)) as { link: string }).link).pathname;
  const { link } = (await recorder.post(API.members.invite.path, {
    name: 'Grace',
    role: 'viewer',
  })) as { link: string };
  const { api_key: readOnlyKey } = (await recorder.post(API.apiKeys.create.path, {
    name: 'wall display',
    scopes: ['read'],
  })) as { api_key: string };
  return {
    recorder,
    traces: {
      ticket,
      refund,
      turn,
      recorded: changed?.source_trace_id ?? '',
      replayed: changed?.new_trace_id ?? '',
    },
    runs: {
      passed: passed.testRunId,
      failed: failed.testRunId,
      third: third.testRunId,
      judged: judged.testRunId,
      live,
      plain: plain.id,
    },
    shared: {
      trace: await share({ trace_id: ticket, payloads: true }),
      namesOnly: await share({ trace_id: ticket }),
      run: await share({ test_run_id: failed.testRunId, payloads: true }),
    },
    join: link.slice(new URL(link).origin.length),
    readOnlyKey,
  };
}

const TURNS: [question: string, answer?: string][] = [
  [
    'My lamp does not connect.',
    'Hold **both** buttons for five seconds, then open the app.\n\n1. Wait for the blue light.\n2. Choose *Add lamp*.',
  ],
  ['The light stays red.'],
  ['It is blue now. How do I pair the second one?', 'The same way. Both lamps then react to one switch.'],
];

/** The turns of a session, of which one failed. Returns the trace of the last. */
async function recordConversation(recorder: Recorder): Promise<string> {
  let last = '';
  const spans = TURNS.flatMap(([question, answer], no): SpanRecord[] => {
    last = newTraceId();
    const startedMs = Date.now() - 3_600_000 + no * 60_000;
    const timed = (ms: number): Partial<SpanRecord> => ({
      session_id: SESSION,
      user_id: 'ann',
      environment: 'production',
      started_at: formatTimestamp(startedMs * 1000),
      ended_at: formatTimestamp((startedMs + ms) * 1000),
      duration_ms: ms,
    });
    const failure = {
      error: {
        name: 'RateLimitError',
        message: '429 rate limit reached for gpt-5',
        stack: 'RateLimitError: 429\n    at fetchAnswer (support.ts:41:11)\n    at chat (support.ts:18:9)',
      },
    };
    const root = span(
      last,
      'POST /chat',
      0,
      {
        input: [{ method: 'POST', path: '/chat', text: question }],
        ...(answer === undefined ? failure : { output: { status: 200 } }),
      },
      { ...timed(1_900), type: 'agent' },
    );
    const messages = [
      { role: 'system', content: 'You are the help desk of a maker of lamps. Answer in two sentences.' },
      { role: 'user', content: question },
    ];
    return [
      root,
      span(
        last,
        'support.chat',
        0,
        {
          input: [{ model: 'gpt-5', temperature: 0.2, messages }],
          ...(answer === undefined
            ? failure
            : { output: { choices: [{ message: { role: 'assistant', content: answer } }] } }),
          usage: { model: 'gpt-5', provider: 'openai', input_tokens: 1_204, output_tokens: 222 },
        },
        { ...timed(1_700), type: 'llm', parent_id: root.id },
      ),
    ];
  });
  await recorder.ingest(spans);
  await recorder.post(API.scores.add.path, {
    scores: [
      {
        trace_id: last,
        name: 'correct',
        value: false,
        explanation: 'It names one switch, but two are needed.',
        author: { kind: 'evaluator', name: 'judge' },
      },
    ],
  });
  return last;
}

/** The first changed call that is not judged. */
const listChanged = async (recorder: Recorder, id: string): Promise<TestRunItemSummary[]> =>
  (
    await recorder.get<{ items: TestRunItemSummary[] }>(
      `${routePath(API.testRuns.listItems, { id })}?verdict=changed&judged=false&limit=1`,
    )
  ).items;

/** Ignores a field, and accepts one call. */
async function judge(recorder: Recorder, id: string): Promise<void> {
  const path = routePath(API.decisions.decide, { id });
  const { decision } = (await recorder.post(path, { after: 0, ignore: ['$.model_version'] })) as {
    decision: { no: number };
  };
  const items = await listChanged(recorder, id);
  const judgements = items.map(({ item_no }) => ({ item_no, judgement: 'accepted' }));
  await recorder.post(path, { after: decision.no, judgements, note: 'Both categories reach the same team.' });
}

/** A run that has reported some of its calls. */
async function startLiveRun(recorder: Recorder, sourceRun: string): Promise<string> {
  const { id }: TestRunRecord = await recorder.startTestRun('route-ticket', 'prompt v4');
  const { items } = await recorder.get<{ items: TestRunItemSummary[] }>(
    `${routePath(API.testRuns.listItems, { id: sourceRun })}?payloads=true&limit=9`,
  );
  const reported = items.map(({ item_no, source_trace_id, source_span_id, duration_ms }) => ({
    item_no,
    ...(source_trace_id !== undefined && { source_trace_id }),
    ...(source_span_id !== undefined && { source_span_id }),
    ...(duration_ms !== undefined && { duration_ms }),
    result: { category: 'billing', model_version: '2026-10-01', urgency: 'low' },
  }));
  await recorder.reportItems(id, reported);
  return id;
}

async function fillSettings(recorder: Recorder): Promise<void> {
  await recorder.post(API.apiKeys.create.path, {
    name: 'nightly replays',
    scopes: ['read', 'replay'],
    expires_at: formatTimestamp((Date.now() + 30 * 86_400_000) * 1000),
  });
  await recorder.post(API.members.invite.path, { name: 'Ada', role: 'developer' });
  const index = (await recorder.post(API.indexes.create.path, { name: 'Handbook', type: 'OTHER' })) as Answer<
    typeof API.indexes.create
  >;
  await recorder.post(routePath(API.indexes.addDocuments, { index_id: index.index_id }), {
    documents: [
      {
        source: 'refunds.md',
        content: '# Refunds\n\nA refund takes five days. Items can be returned within 30 days.',
        content_type: 'text/markdown',
      },
      {
        source: 'pairing.md',
        content: '# Pairing\n\nHold both buttons for five seconds.',
        content_type: 'text/markdown',
      },
    ],
  });
  await recorder.post(API.retention.set.path, { days: 90 });
  await recorder.post(API.retention.set.path, { trace_function_key: 'route-ticket', days: 365 });
  await recorder.post(API.deletions.create.path, { session_id: 'chat-of-bob' });
}

async function fillDataset(recorder: Recorder, ticket: string): Promise<void> {
  await recorder.post(API.datasets.create.path, {
    name: 'tickets',
    description: 'What customers ask, and where it belongs.',
  });
  await recorder.post(API.datasets.create.path, { name: 'refunds' });
  const path = routePath(API.datasets.addVersion, { name: 'tickets' });
  const { spans } = await recorder.get<Answer<typeof API.traces.get>>(
    routePath(API.traces.get, { id: ticket }),
  );
  const [root] = spans;
  await recorder.post(path, {
    items: ['Is it blue?', 'Where is LM-7?', 'My card was charged twice.'].map((text) => ({
      input: [text],
      expected: { category: 'other', urgency: 'low' },
    })),
    note: 'From the first week.',
  });
  await recorder.post(path, {
    items: [
      {
        source: { trace_id: ticket, span_id: root?.id },
        input: ['How do I pair two lamps? (ticket 24)'],
        expected: { category: 'device' },
      },
    ],
    note: 'One from production.',
  });
}
