import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SpanRecord } from '@dacapo/protocol';
import { RecordingService } from '../delivery/recording-service.js';
import { applicationFolder } from './baml-copy.js';
import { parseResult, runScript } from './run-script.js';

const PACKAGE = join(__dirname, '../..');

/** An application that has a second copy of the built package, as two dependencies that ask for two versions bring it. */
function applicationWithTwoCopies(): string {
  const application = applicationFolder();
  symlinkSync(join(PACKAGE, '../../node_modules'), join(application, 'node_modules'), 'junction');
  cpSync(join(PACKAGE, 'dist'), join(application, 'second-copy/dist'), { recursive: true });
  return application;
}

const LOAD = `
  const internalOf = (path) => path.replace(/index.js$/, 'internal.js');
  const first = { ...require(env.REQUIRED), ...require(internalOf(env.REQUIRED)) };
  const second = { ...await import(env.IMPORTED), ...await import(internalOf(env.IMPORTED)) };
`;

/** `outer` is wrapped with the required copy, `inner` with the imported one. */
const RECORD = `
  const listeners = () => ['beforeExit', 'exit'].map((event) => process.listenerCount(event));
  const options = { apiKey: 'key', serviceUrl: env.SERVICE_URL, delivery: { spool: false } };
  const before = listeners();
  const [one, two] = [new first.Tracer(options), new second.Tracer(options)];
  const added = listeners().map((count, index) => count - before[index]);
  const seen = () => [first, second].map(({ getCurrentSpan }) => getCurrentSpan().spanId);
  const inner = two.withSpan('inner', async () => seen());
  const outer = one.withSpan('outer', async () => ({ outside: seen(), inside: await inner(), after: seen() }));
  const ids = await outer();
  const errorOf = (tracer) => { try { tracer.withSpan('', () => 1); } catch (error) { return error; } };
  const classes = ({ TracerError, InvalidOptionError, TracingDisabledError }) =>
    [TracerError, InvalidOptionError, TracingDisabledError];
  const recognized = [[second, errorOf(one)], [first, errorOf(two)]].map(([other, error]) =>
    classes(other).map((type) => error instanceof type));
  const codes = [one, two].map((tracer) => errorOf(tracer).code);
  const frame = first.deferSpan(one, { describe: () => 'no span' });
  const isSeen = frame.run(() => second.DeferredSpan.current() === frame);
  console.log(JSON.stringify({ added, ids, codes, recognized, isSeen }));
`;

interface Recorded {
  readonly added: readonly number[];
  readonly ids: Record<'outside' | 'inside' | 'after', readonly [string, string]>;
  readonly codes: readonly string[];
  readonly recognized: readonly boolean[][];
  readonly isSeen: boolean;
}

describe.each([
  [
    'the two builds of the package in one process',
    () => [join(PACKAGE, 'dist/cjs'), join(PACKAGE, 'dist/esm')],
  ],
  [
    'two copies of the package in one process, one required and one imported',
    (application: string) => [join(PACKAGE, 'dist/cjs'), join(application, 'second-copy/dist/esm')],
  ],
  [
    'two copies of the package in one process, both required',
    (application: string) => [join(PACKAGE, 'dist/cjs'), join(application, 'second-copy/dist/cjs')],
  ],
])('%s', (_, listFolders) => {
  let service: RecordingService;
  let result: Recorded;
  let spans: SpanRecord[];

  beforeAll(async () => {
    service = await RecordingService.start();
    const application = applicationWithTwoCopies();
    const [required, imported] = listFolders(application);
    const run = await runScript('cjs', application, LOAD + RECORD, {
      REQUIRED: join(required!, 'index.js'),
      IMPORTED: pathToFileURL(join(imported!, 'index.js')).href,
      SERVICE_URL: service.url,
    });
    result = parseResult(run) as Recorded;
    spans = service.batches
      .flatMap(({ lines }) => lines)
      .map((line) => (JSON.parse(line) as { span?: SpanRecord }).span)
      .filter((span) => span !== undefined);
  });
  afterAll(() => service.stop());

  const findSpan = (key: string): SpanRecord => spans.find((span) => span.trace_function_key === key)!;

  it('make one tree: a span of one is the parent of a span of the other', () => {
    expect(findSpan('inner')).toMatchObject({
      parent_id: findSpan('outer').id,
      trace_id: findSpan('outer').trace_id,
    });
  });

  it('deliver each span once', () => {
    expect(spans.map((span) => span.trace_function_key).sort()).toEqual(['inner', 'outer']);
  });

  it('both see the open span, whichever opened it', () => {
    const [outer, inner] = [findSpan('outer').id, findSpan('inner').id];
    expect(result.ids).toEqual({ outside: [outer, outer], inside: [inner, inner], after: [outer, outer] });
  });

  it('listen once for the end of the process', () => {
    expect(result.added).toEqual([1, 1]);
  });

  it('throw errors of the same code', () => {
    expect(result.codes).toEqual(['TRACER_INVALID_OPTION', 'TRACER_INVALID_OPTION']);
  });

  it('recognize the errors of each other by class, and confuse none', () => {
    expect(result.recognized).toEqual([
      [true, true, false],
      [true, true, false],
    ]);
  });

  it('see the request that the other one opened', () => {
    expect(result.isSeen).toBe(true);
  });
});
