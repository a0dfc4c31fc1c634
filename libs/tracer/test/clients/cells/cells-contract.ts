import type { SpanRecord } from '@dacapo/protocol';
import { createTestTracer } from '../../../src/testing.js';
import type { Tracer } from '../../../src/tracer.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { CELL_NAMES, type CellName, type CellRun, cellModel, replyToCells, runCells } from './cells.js';
import type { VendorApi } from './vendor-api.js';

export interface CellsUnderTest {
  /** `openai 7, chat`. */
  readonly name: string;
  /** Older clients of Google try nothing again. */
  readonly hasRetries?: boolean;
  /** Older clients of Google show no tries where there may be several. */
  readonly showsTries?: boolean;
  /** A cell in which the bare client never ends. */
  readonly without?: CellName;
  run(bareUrl: string, wrappedUrl: string): Promise<Record<CellName, CellRun<SpanRecord>>>;
}

/** Runs the cells in this process. */
export function createCells<C extends object>(
  newClient: (url: string) => C,
  toApi: (client: C) => VendorApi,
  without?: CellName,
): CellsUnderTest['run'] {
  return (bareUrl, wrappedUrl) => {
    const { tracer, spans }: { tracer: Tracer; spans: readonly SpanRecord[] } = createTestTracer();
    const wrapped = tracer.wrapClient(newClient(wrappedUrl));
    return runCells(toApi(newClient(bareUrl)), toApi(wrapped), spans, without);
  };
}

const ERRORS: readonly CellName[] = [
  'a 500',
  'a stream whose connection breaks',
  'malformed JSON',
  'malformed JSON in mid-stream',
];
const CANCELLED: readonly CellName[] = [
  'a stream that its reader leaves',
  'an abort before the answer',
  'an abort in mid-stream',
];

/** Each cell gives what it gives with a bare client, sends the same, and is recorded as it ended. */
export function describeCells(under: CellsUnderTest): void {
  const { name, hasRetries = true, showsTries = true, without, run } = under;
  describe(`a wrapped client of ${name}, beside a bare one,`, () => {
    let bare: ModelServer;
    let wrapped: ModelServer;
    let runs: Record<CellName, CellRun<SpanRecord>>;

    beforeAll(async () => {
      [bare, wrapped] = [await startModelServer(), await startModelServer()];
      bare.reply = replyToCells();
      wrapped.reply = replyToCells();
      runs = await run(bare.url, wrapped.url);
    });
    afterAll(() => Promise.all([bare.close(), wrapped.close()]));

    it.each(CELL_NAMES.filter((cell) => cell !== without))('does the same, and is recorded: %s', (cell) => {
      const { bare: there, wrapped: here, spans } = runs[cell];
      expect(here).toEqual(there);
      const status = ERRORS.includes(cell) ? 'error' : CANCELLED.includes(cell) ? 'cancelled' : 'ok';
      const isFailed = cell === 'a 429 that is tried again' && !hasRetries;
      for (const span of spans)
        expect(span).toMatchObject({ type: 'llm', status: isFailed ? 'error' : status });
      // It ends a stream of Google with an error, the others without one.
      if (cell !== 'an abort in mid-stream')
        expect(there).toHaveProperty(
          isFailed || ERRORS.includes(cell) || cell === 'an abort before the answer' ? 'error' : 'result',
        );
      EXPECTED[cell]?.(spans);
      if (cell === 'a 429 that is tried again' && hasRetries && showsTries) expectTwoTries(spans);
      if (cell === 'a plain call' && showsTries) expect(spans).toMatchObject([ONE_TRY]);
      if (cell === 'a 500' && showsTries) expect(spans).toMatchObject([NAMED]);
    });

    it('sends the requests that the bare one sends', () => {
      // Whether one that is aborted at once is on its way is a race.
      const aborted = cellModel('an abort before the answer');
      const sent = ({ requests }: ModelServer): string[] =>
        requests
          .filter(({ model }) => model !== aborted)
          .map(({ path, body }) => `${path} ${JSON.stringify(body)}`)
          .sort();
      expect(sent(wrapped)).toEqual(sent(bare));
    });
  });
}

const NAMED = { span_data: { contexts: [{ requestId: 'req_1' }] } };
const ONE_TRY = { span_data: { usage: { attempts: 1 } } };

type Check = (spans: readonly SpanRecord[]) => void;

const answered: Check = (spans) => {
  expect(spans.length).toBeGreaterThan(0);
  for (const { span_data } of spans)
    expect(span_data).toMatchObject({
      usage: { input_tokens: 12, output_tokens: 9 },
      contexts: [{ finishReason: expect.any(String), requestId: 'req_1' }],
    });
};

const EXPECTED: Partial<Record<CellName, Check>> = {
  'a plain call': answered,
  'a stream': (spans) => {
    answered(spans);
    expect(spans[0]!.span_data.usage).toHaveProperty('time_to_first_token_ms');
    expect(JSON.stringify(spans[0]!.span_data.output)).toContain('A mild day in Oslo.');
  },
  'a helper': answered,
  tools: (spans) => {
    answered(spans);
    expect(spans).toHaveLength(2);
    expect(spans[0]!.span_data.prompt).not.toContain('Oslo: mild');
    expect(JSON.stringify(spans[0]!.span_data.output)).toContain('weather');
    expect(spans[1]!.span_data.prompt).toContain('Oslo: mild');
  },
  'structured output': (spans) => {
    answered(spans);
    expect(JSON.stringify(spans[0]!.span_data.output)).toContain('mild');
  },
  'a 500': ([span]) => {
    expect(span!.span_data.error!.message).toMatch(/500|Internal Server Error/);
  },
  'twenty calls at one time': (spans) => {
    expect(spans).toHaveLength(20);
    for (const { span_data } of spans) {
      const [, question] = /(question \d+\.)/.exec(JSON.stringify(span_data.input)) ?? [];
      expect(JSON.stringify(span_data.output)).toContain(`to ${question}`);
    }
  },
};

const expectTwoTries: Check = ([span]) => {
  expect(span!.span_data.usage).toMatchObject({ attempts: 2, output_tokens: 9 });
  expect(span!.span_data.contexts).toMatchObject([{ attempts: [{ status: 429 }, { status: 200 }] }]);
};
