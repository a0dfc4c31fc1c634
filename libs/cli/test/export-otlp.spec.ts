import { newSpanId, newTraceId, toW3cTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { createHash } from 'node:crypto';
import {
  OtlpReceiver,
  type ReceivedRequest,
  type ReceiverAnswer,
} from '../../../test/support/otlp-receiver.js';
import { type RunningService, startService } from './running-service.js';

const TRACES = 40;

describe('dacapo export --otlp', () => {
  let service: RunningService;
  let receiver: OtlpReceiver;
  let answer: (request: ReceivedRequest) => ReceiverAnswer;
  const ids = Array.from({ length: TRACES }, () => newTraceId());

  const makeLines = (traceId: string, index: number): object[] => {
    const root = newSpanId();
    const of = { trace_id: traceId, trace_function_key: 'answer', type: 'llm', status: 'ok' };
    const times = { started_at: `2026-01-31T12:00:${String(index).padStart(2, '0')}.000001Z` };
    const span_data = {
      input: [{ messages: [{ role: 'user', content: 'x'.repeat(40_000) }] }],
      output: 'done',
    };
    return [
      { span: { ...of, ...times, id: root, name: `root ${index}`, span_data, session_id: `s${index}` } },
      { span: { ...of, ...times, id: newSpanId(), parent_id: root, name: `child ${index}`, span_data: {} } },
      {
        score: {
          id: newTraceId(),
          trace_id: traceId,
          name: 'helpful',
          value: 0.5,
          explanation: 'fine',
          author: { kind: 'person', name: 'ann' },
          created_at: times.started_at,
        },
      },
    ];
  };

  beforeAll(async () => {
    service = await startService();
    const headers = { 'api-key': service.apiKey, 'content-type': 'application/x-ndjson' };
    const body = ids
      .flatMap(makeLines)
      .map((line) => JSON.stringify(line))
      .join('\n');
    const stored = await fetch(service.url + API.ingest.send.path, { method: 'POST', headers, body });
    expect(await stored.json()).toEqual({ accepted: 3 * TRACES, rejected: [] });
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    answer = () => ({});
    receiver = await OtlpReceiver.start((request) => answer(request));
  });

  afterEach(async () => {
    await receiver.close();
    expect(receiver.problems).toEqual([]);
  });

  it('sends each trace whole, with its session and scores, and the headers', async () => {
    const words = ['--otlp', receiver.url, '--otlp-header', 'x-key=a%2Cb,x-other=c', '--json'];
    const { out, exitCode } = await service.run('export', ...words);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual({ traces: TRACES, spans: 2 * TRACES, refused: 0 });
    expect(receiver.spans).toHaveLength(2 * TRACES);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set(ids.map(toW3cTraceId)));
    expect(receiver.spans.find(({ name }) => name === 'root 7')).toMatchObject({
      attributes: { 'session.id': 's7', 'dacapo.output': '"done"' },
      events: [
        {
          name: 'gen_ai.evaluation.result',
          attributes: {
            'gen_ai.evaluation.name': 'helpful',
            'gen_ai.evaluation.score.value': 0.5,
            'gen_ai.evaluation.explanation': 'fine',
          },
        },
      ],
    });
    expect(receiver.requests.length).toBeGreaterThan(1);
    expect(receiver.requests[0]?.headers).toMatchObject({ 'x-key': 'a,b', 'x-other': 'c' });
  });

  it('stops with a cursor, from which it continues to send all', async () => {
    let left = 1;
    answer = () => (left-- > 0 ? {} : { status: 503, headers: { 'retry-after': '0' } });
    const { err, exitCode } = await service.run('export', '--otlp', receiver.url);
    expect(exitCode).not.toBe(0);
    const cursor = /--cursor (\S+)\./.exec(err)?.[1] ?? '';
    expect(err).toContain('CLI_OTLP_EXPORT_CUT');
    answer = () => ({});
    const resumed = await service.run('export', '--otlp', receiver.url, '--cursor', cursor, '--json');
    expect(JSON.parse(resumed.out).traces).toBeLessThan(TRACES);
    expect(new Set(receiver.spans.map(({ name }) => name)).size).toBe(2 * TRACES);
  });

  it('fails, and says how many, when the receiver refuses spans', async () => {
    answer = ({ spans }) => (spans.some(({ name }) => name === 'child 3') ? { status: 400 } : {});
    const { out, err, exitCode } = await service.run('export', '--otlp', receiver.url, '--json');
    expect(exitCode).not.toBe(0);
    expect(JSON.parse(out)).toEqual({ traces: TRACES, spans: 2 * TRACES - 1, refused: 1 });
    expect(err).toContain('CLI_OTLP_SPANS_REFUSED');
  });

  it.each([
    [['--otlp', 'nowhere']],
    [['--otlp', 'http://127.0.0.1:1', '--output', 'file']],
    [['--cursor', 'x']],
    [['--otlp', 'http://127.0.0.1:1', '--otlp-header', 'secret']],
  ])('refuses %j', async (words) => {
    const { exitCode, err } = await service.run('export', ...words);
    expect(exitCode).not.toBe(0);
    expect(err).not.toContain('secret');
  });

  it('sends small media with the message that has them', async () => {
    const image = Buffer.from('an image');
    const id = createHash('sha256').update(image).digest('hex');
    const [traceId, data] = [newTraceId(), image.toString('base64')];
    const media = { id, type: 'image/png', size: image.length };
    const note = { bytes: 9, kept: 2, sha256: id, media };
    const span = {
      id: newSpanId(),
      trace_id: traceId,
      trace_function_key: 'seen',
      name: 'seen',
      type: 'llm',
      status: 'ok',
      started_at: '2026-02-01T12:00:00.000001Z',
      span_data: {
        input: [{ messages: [{ role: 'user', content: [{ type: 'image', data: 'YW' }] }] }],
        meta: { input: { truncated: { '/0/messages/0/content/0/data': note } } },
      },
    };
    const body = [{ media: { ...media, trace_id: traceId, data } }, { span }].map((line) =>
      JSON.stringify(line),
    );
    const headers = { 'api-key': service.apiKey, 'content-type': 'application/x-ndjson' };
    await fetch(service.url + API.ingest.send.path, { method: 'POST', headers, body: body.join('\n') });
    const { exitCode } = await service.run('export', '--otlp', receiver.url, '--where', 'key:seen', '--json');
    expect(exitCode).toBe(0);
    expect(receiver.spans).toHaveLength(1);
    expect(JSON.parse(String(receiver.spans[0]?.attributes['gen_ai.input.messages']))).toEqual([
      {
        role: 'user',
        parts: [{ type: 'blob', modality: 'image', mime_type: 'image/png', content: data }],
      },
    ]);
  });
});
