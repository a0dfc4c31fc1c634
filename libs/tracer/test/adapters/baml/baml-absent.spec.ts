import { createTestTracer } from '../../../src/testing.js';
import { b } from './baml-client.js';

const lines: string[] = [];
const logger = { warn: () => undefined, debug: (line: string) => void lines.push(line) };

beforeEach(() => {
  lines.length = 0;
});

/** A generated client whose package is not the one that can be found. */
class ForeignClient {
  readonly bamlOptions = {};
  readonly runtime: object = Object.create({ constructor: function BamlRuntime() {} }) as object;
  async Classify(text: string, options?: object): Promise<string> {
    return `${text} ${options === undefined ? 'plain' : 'with options'} ${this.runtime.constructor.name}`;
  }
}

describe('SPEC 4.2 wrapFramework without instrumentation', () => {
  it('calls the method directly when the package of the client is missing, and logs one debug line', async () => {
    const { tracer, spans } = createTestTracer({ logger });
    const client = new ForeignClient();
    const classify = tracer.withSpan('classify', tracer.wrapFramework(client, client.Classify));
    await expect(classify('hi')).resolves.toBe('hi plain BamlRuntime');
    await classify('again');
    expect(lines).toEqual([expect.stringContaining('npm install @boundaryml/baml')]);
    expect(spans[0]!.span_data.contexts).toBeUndefined();
  });

  it.each([
    ['a bound function', b.AskGeneric.bind(b)],
    ['an arrow function', (text: string) => b.AskGeneric(text)],
    ['a function of something else', async (text: string) => text],
    ['withOptions', b.withOptions],
  ])('calls %s directly', (_, method) => {
    const { tracer } = createTestTracer({ logger });
    const wrapped = tracer.wrapFramework(b, method as (text: string) => unknown);
    expect(wrapped).toHaveLength(method.length);
    expect(lines).toEqual([expect.stringContaining('found no such method')]);
  });

  it('calls a method without a client directly', async () => {
    const { tracer } = createTestTracer({ logger });
    const wrapped = tracer.wrapFramework(async (text: string) => `echo ${text}`);
    await expect(wrapped('hi')).resolves.toBe('echo hi');
    expect(lines).toEqual([expect.stringContaining('frameworkClient')]);
  });

  it('rejects a value that is not a function as a setup mistake', () => {
    const { tracer } = createTestTracer();
    expect(() => tracer.wrapFramework(b, undefined as unknown as () => void)).toThrow(
      'Option method must be a function',
    );
  });
});
