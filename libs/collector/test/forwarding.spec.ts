import { type CollectorOptions, InvalidOptionError } from '@dacapo/collector';
import { type JsonObject, newTraceId, toW3cTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import {
  OtlpReceiver,
  type ReceivedRequest,
  type ReceiverAnswer,
} from '../../../test/support/otlp-receiver.js';
import { until } from '../../../test/support/until.js';
import { ResolvedOptions } from '../src/options.js';
import { sha256 } from '../src/sha256.js';
import { ndjson, span, spansToNdjson, unfinished } from './support/records.js';
import { Service, SILENT, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('forwarding by OTLP', () => {
  let answer: (request: ReceivedRequest) => ReceiverAnswer;
  let receiver: OtlpReceiver;
  let service: Service;
  let tenant: Tenant;
  let warnings: string[];

  const start = async (options: CollectorOptions = {}): Promise<void> => {
    const logger = { ...SILENT, warn: (message: string) => void warnings.push(message) };
    const forwardOtlp = { url: receiver.url, headers: { 'x-key': 'secret' } };
    service = await Service.start({ forwardOtlp, logger, ...options });
    tenant = await service.addTenant();
  };

  const named = (name: string) => span({ name, trace_function_key: name });

  beforeEach(async () => {
    warnings = [];
    answer = () => ({});
    receiver = await OtlpReceiver.start((request) => answer(request));
    await start();
  });

  afterEach(async () => {
    await service.close();
    await receiver.close();
    expect(receiver.problems).toEqual([]);
  });

  it('sends each acknowledged span as valid OTLP/JSON, with the headers and what is known of its trace', async () => {
    const root = span({ name: 'root', type: 'llm', span_data: { input: ['in'], output: { out: 'put' } } });
    const child = { ...span({ name: 'child' }), trace_id: root.trace_id, parent_id: root.id };
    const trace = { id: root.trace_id, session_id: 's1', tags: ['t'], metadata: { plan: 'pro' } };
    await tenant.ingest(ndjson([{ span: root }, { span: child }, { trace }])).expect(200);
    await until(() => receiver.spans.length >= 2);

    const [sentRoot, sentChild] = ['root', 'child'].map((name) =>
      receiver.spans.find((sent) => sent.name === name),
    );
    expect(sentRoot).toMatchObject({
      traceId: toW3cTraceId(root.trace_id),
      spanId: root.id,
      parentSpanId: '',
      attributes: {
        'dacapo.key': root.trace_function_key,
        'dacapo.input': '["in"]',
        'dacapo.output': '{"out":"put"}',
        'dacapo.tags': ['t'],
        'dacapo.trace.metadata': '{"plan":"pro"}',
        'session.id': 's1',
      },
      resource: { 'dacapo.forwarded': true },
    });
    expect(sentChild).toMatchObject({ parentSpanId: root.id, attributes: { 'session.id': 's1' } });
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'secret' } });
  });

  it('sends small media with the message that has them, and the reference of others', async () => {
    const image = Buffer.from('an image');
    const id = sha256(image);
    const media = { id, trace_id: newTraceId(), type: 'image/png', size: image.length };
    const missing = { id: sha256('another'), type: 'audio/wav', size: 7 };
    const cut = (one: JsonObject) => ({ bytes: 9, kept: 2, sha256: id, media: one });
    const asked = {
      ...named('asked'),
      trace_id: media.trace_id,
      type: 'llm' as const,
      span_data: {
        input: [
          {
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'image', data: 'YW' },
                  { type: 'audio', data: 'YW' },
                ],
              },
            ],
          },
        ],
        meta: {
          input: {
            truncated: {
              '/0/messages/0/content/0/data': cut({ id, type: media.type, size: media.size }),
              '/0/messages/0/content/1/data': cut(missing),
            },
          },
        },
      },
    };
    const data = image.toString('base64');
    // They take long to store, so that the span is stored much earlier.
    const others = Array.from({ length: 10 }, (_, no) => Buffer.alloc(400_000, `another image ${no}`));
    const lines = others.map((bytes) => ({
      media: { ...media, id: sha256(bytes), size: bytes.length, data: bytes.toString('base64') },
    }));
    await tenant.ingest(ndjson([...lines, { media: { ...media, data } }, { span: asked }])).expect(200);
    await until(() => receiver.names.includes('asked'));
    const attributes = receiver.spans[0]?.attributes ?? {};
    expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'blob', modality: 'image', mime_type: 'image/png', content: data },
          { type: 'file', modality: 'audio', mime_type: 'audio/wav', file_id: missing.id },
        ],
      },
    ]);
    expect(JSON.parse(String(attributes['dacapo.input']))).toEqual(asked.span_data.input);
  });

  describe('a score', () => {
    const evaluations = (name: string): unknown[][] =>
      receiver.spans
        .filter((sent) => sent.name === name)
        .map(({ events }) => events.map(({ attributes }) => attributes['gen_ai.evaluation.name']));
    const isIdle = async (): Promise<boolean> =>
      (await service.anonymous.get(API.service.ready.path)).body.forwarding.waiting_spans === 0;

    const rate = (name: string, target: object) => ({
      name,
      value: true,
      explanation: 'fine',
      author: { kind: 'person' as const, name: 'ann' },
      ...target,
    });

    it('is sent with its span, by the GenAI conventions and as a whole', async () => {
      const one = named('one');
      const score = {
        ...rate('polite', { trace_id: one.trace_id, span_id: one.id }),
        id: newTraceId(),
        created_at: one.started_at,
      };
      await tenant.ingest(ndjson([{ span: one }, { score }])).expect(200);
      await until(() => receiver.names.includes('one'));
      await until(isIdle);
      const [event, ...others] = receiver.spans[0]?.events ?? [];
      expect(event).toMatchObject({
        name: 'gen_ai.evaluation.result',
        attributes: {
          'gen_ai.evaluation.name': 'polite',
          'gen_ai.evaluation.score.value': 1,
          'gen_ai.evaluation.explanation': 'fine',
        },
      });
      expect(JSON.parse(String(event?.attributes['dacapo.score']))).toEqual(score);
      expect(others).toEqual([]);
      expect(receiver.spans).toHaveLength(1);
    });

    it('that is added later is sent with its span again, and a score of the trace with the outermost span', async () => {
      const root = named('root');
      const child = { ...named('child'), trace_id: root.trace_id, parent_id: root.id };
      await tenant.store(root, child);
      await until(() => receiver.spans.length === 2);
      await until(isIdle);
      const scores = [
        rate('polite', { trace_id: root.trace_id, span_id: child.id }),
        rate('solved', { trace_id: root.trace_id }),
        rate('unrelated', { session_id: 'a session' }),
      ];
      await tenant.post(API.scores.add.path, { scores }).expect(200);
      await until(() => receiver.spans.length === 4);
      await until(isIdle);
      expect(evaluations('child')).toEqual([[], ['polite']]);
      expect(evaluations('root')).toEqual([[], ['solved']]);
    });

    it('that arrives before its span is sent with it', async () => {
      const late = named('late');
      const score = rate('polite', { trace_id: late.trace_id, span_id: late.id });
      await tenant.post(API.scores.add.path, { scores: [score] }).expect(200);
      await until(isIdle);
      await tenant.store(late);
      await until(() => receiver.names.includes('late'));
      expect(evaluations('late')).toEqual([['polite']]);
    });
  });

  it('sends a span that was unfinished when it has ended, once whole', async () => {
    const slow = named('slow');
    const begun = unfinished(slow);
    await tenant.store(begun);
    await tenant.store(named('other'));
    await until(() => receiver.names.includes('other'));
    expect(receiver.names).toEqual(['other']);
    await tenant.store(slow);
    await until(() => receiver.names.includes('slow'));
  });

  it('keeps spans while the receiver is away or its key is wrong, shows so, and sends them later', async () => {
    const answers: ReceiverAnswer[] = [
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 401, headers: { 'retry-after': '0' } },
    ];
    let isOpen = false;
    answer = () => answers.shift() ?? (isOpen ? {} : { status: 429, headers: { 'retry-after': '1' } });
    await tenant.store(named('kept'));
    await until(() => answers.length === 0 && receiver.requests.length > 2);
    const { body } = await service.anonymous.get(API.service.ready.path).expect(200);
    expect(body.forwarding).toEqual({
      waiting_spans: 1,
      waiting_since: expect.any(String),
      problem: 'The receiver answered 429',
    });
    isOpen = true;
    await until(() => receiver.spans.length > 0);
    await until(
      async () => (await service.anonymous.get(API.service.ready.path)).body.forwarding.waiting_spans === 0,
    );
    expect(receiver.names).toEqual(['kept']);
  });

  it('drops only the span that the receiver refuses, and reports it', async () => {
    answer = ({ spans }) => (spans.some(({ name }) => name === 'bad') ? { status: 400 } : {});
    const good = Array.from({ length: 20 }, (_, index) => named(`good ${index}`));
    await tenant.store(...good.slice(0, 7), named('bad'), ...good.slice(7));
    await until(() => receiver.names.length === 20);
    await until(() => warnings.length > 0);
    expect(receiver.names).toEqual(good.map(({ name }) => name).sort());
    expect(warnings).toEqual([
      expect.stringMatching(/^The receiver of forwarded spans refused 1: The receiver /),
    ]);
  });

  it('sends the good spans of a batch whose first spans are refused', async () => {
    answer = ({ spans }) => (spans.some(({ name }) => name.startsWith('bad')) ? { status: 400 } : {});
    const bad = Array.from({ length: 6 }, (_, index) => named(`bad ${index}`));
    const good = Array.from({ length: 6 }, (_, index) => named(`good ${index}`));
    await tenant.store(...bad, ...good);
    await until(() => receiver.names.length === 6 && warnings.length === 6);
    expect(receiver.names).toEqual(good.map(({ name }) => name));
  });

  it('keeps everything while the receiver refuses everything', async () => {
    let isWrong = true;
    answer = () => (isWrong ? { status: 400 } : {});
    await tenant.store(...Array.from({ length: 9 }, (_, index) => named(`span ${index}`)));
    await until(async () => {
      const { body } = await service.anonymous.get(API.service.ready.path);
      return String(body.forwarding.problem).includes('refuses all');
    });
    isWrong = false;
    await until(() => receiver.names.length === 9);
    expect(warnings).toEqual([]);
  });

  it('keeps a span that is refused alone until others show that it is the only one', async () => {
    answer = ({ spans }) => (spans.some(({ name }) => name === 'bad') ? { status: 400 } : {});
    await tenant.store(named('bad'));
    await until(() => receiver.requests.length > 0);
    await tenant.store(named('good'));
    await until(() => receiver.names.includes('good'));
    await until(() => warnings.length > 0);
    await until(
      async () => (await service.anonymous.get(API.service.ready.path)).body.forwarding.waiting_spans === 0,
    );
  });

  it('reports spans that a partial success rejects, and does not send them again', async () => {
    answer = () => ({ body: { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } } });
    await tenant.store(named('one'), named('two'));
    await until(() => warnings.length > 0);
    await until(
      async () => (await service.anonymous.get(API.service.ready.path)).body.forwarding.waiting_spans === 0,
    );
    expect(warnings).toEqual(['The receiver of forwarded spans refused 1: too old']);
    expect(receiver.requests).toHaveLength(1);
  });

  it('halves a request that is too large', async () => {
    answer = ({ spans }) => (spans.length > 3 ? { status: 413 } : {});
    await tenant.store(...Array.from({ length: 10 }, (_, index) => named(`span ${index}`)));
    await until(() => receiver.names.length === 10);
    expect(warnings).toEqual([]);
  });

  it('sends nothing of a trace that was deleted while it waited', async () => {
    let isOpen = false;
    answer = () => (isOpen ? {} : { status: 503, headers: { 'retry-after': '0' } });
    await tenant.store(named('first'));
    await until(() => receiver.requests.length > 0);
    const [gone, kept] = [named('gone'), named('kept')];
    await tenant.store(gone, kept);
    const { body } = await tenant.post(API.deletions.create.path, { trace_ids: [gone.trace_id] });
    await until(
      async () => (await tenant.get(`${API.deletions.create.path}/${body.id}`)).body.state === 'done',
    );
    isOpen = true;
    await until(() => receiver.names.includes('kept'));
    expect(receiver.names).toEqual(['first', 'kept']);
  });

  it('sends the spans of a batch that comes again, and those of every account', async () => {
    const other = await service.addTenant();
    const batch = spansToNdjson([named('mine')]);
    await tenant.ingest(batch, { 'dacapo-batch-id': 'one' }).expect(200);
    await tenant.ingest(batch, { 'dacapo-batch-id': 'one' }).expect(200);
    await other.store(named('theirs'));
    await until(() => receiver.names.length === 2 && receiver.spans.length >= 3);
    expect(receiver.names).toEqual(['mine', 'theirs']);
  });

  it('sends a batch of more spans than one request takes', async () => {
    const spans = Array.from({ length: 1300 }, (_, index) => named(`span ${index}`));
    await tenant.store(...spans);
    await until(() => receiver.names.length === spans.length);
    expect(receiver.requests.every(({ spans: sent }) => sent.length <= 512)).toBe(true);
  });

  it('goes on after a restart with what waited', async () => {
    answer = () => ({ status: 503 });
    const dataDir = temporaryDirectory();
    await service.close();
    await start({ dataDir });
    await tenant.store(named('waiting'));
    await until(() => receiver.requests.length > 0);
    await service.close();
    answer = () => ({});
    await start({ dataDir });
    await until(() => receiver.names.includes('waiting'));
  });
});

describe('the option forwardOtlp', () => {
  it.each([
    [{ url: 'localhost:4318' }, 'must be an absolute http or https address'],
    [{ url: 'http://user:secret@host' }, 'must not contain a user or a password'],
    [{ url: 'http://host', headers: { 'a b': 'secret' } }, 'has an invalid header name or value'],
  ])('refuses %j, and shows no secret', (forwardOtlp, problem) => {
    const open = (): ResolvedOptions => new ResolvedOptions({ forwardOtlp });
    expect(open).toThrow(InvalidOptionError);
    expect(open).toThrow(problem);
    expect(open).not.toThrow('secret');
  });

  it.each([
    ['http://host:4318', 'http://host:4318/v1/traces'],
    ['http://host:4318/', 'http://host:4318/v1/traces'],
    ['https://host/api/otel', 'https://host/api/otel/v1/traces'],
    ['https://host/api/v1/traces', 'https://host/api/v1/traces'],
    ['https://host/otlp?project=1', 'https://host/otlp/v1/traces?project=1'],
  ])('sends to the traces of %s', (url, address) => {
    expect(new ResolvedOptions({ forwardOtlp: { url } }).forwardOtlp?.url).toBe(address);
  });
});
