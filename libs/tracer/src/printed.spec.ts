import { inspect } from 'node:util';
import { encodeText } from './byte-string.js';
import { HttpDelivery } from './delivery/http-delivery.js';
import type { TracerError } from './errors.js';
import { createTestTracer } from './testing.js';
import { Tracer } from './tracer.js';

const SECRETS = [
  'dcp_the-key-of-the-account',
  'sk-the-key-of-a-provider',
  'dcp_the-previous-key',
  'the-secret-of-redaction',
] as const;
const [apiKey, providerKey, previousKey, redactionSecret] = SECRETS;

/** Whatever a console, a logger or an error tracker makes of a value. */
function printed(value: unknown): string {
  const forms = [
    inspect(value),
    inspect(value, { depth: Infinity, showHidden: true }),
    inspect(value, { depth: Infinity, customInspect: false }),
    String(value),
  ];
  try {
    forms.push(JSON.stringify(value));
  } catch {
    // It is circular.
  }
  return forms.join('\n');
}

function expectNoSecret(value: unknown): void {
  const text = printed(value);
  for (const secret of SECRETS) expect(text.split(secret)).toHaveLength(1);
}

describe('What is printed of a tracer', () => {
  const errors: TracerError[] = [];
  const delivery = { previousKeys: [previousKey], spool: false } as const;
  const tracer = new Tracer({
    apiKey,
    serviceUrl: 'http://127.0.0.1:9',
    envVars: { OPENAI_API_KEY: providerKey },
    delivery,
    onError: (error) => errors.push(error),
    logger: { warn: () => undefined },
  });
  afterAll(() => tracer.shutdown(0));

  it('shows no secret, however deep one looks', async () => {
    expectNoSecret(tracer);
    expectNoSecret({ client: tracer.indexes, datasets: tracer.datasets, group: tracer.getFunction('k') });
    expectNoSecret(tracer.getLangChainHandler());
    tracer.withSpan('k', () => {
      expectNoSecret(tracer.getCurrentSpan());
      expectNoSecret(tracer.getCurrentTrace());
    })();
    await tracer.call('greet', {}).catch(expectNoSecret);
    await tracer.indexes.list().catch(expectNoSecret);
    while (errors.length === 0) await tracer.flush(50);
    expectNoSecret(tracer);
    expectNoSecret(errors);
  });

  it('shows no redactionSecret', () => {
    const { tracer: other } = createTestTracer({ apiKey, capture: { redactionSecret } });
    expectNoSecret(other);
    other.withSpan('k', () => {
      expectNoSecret(other.getCurrentSpan());
      expectNoSecret(other.getCurrentTrace());
    })();
  });

  it('prints no private fields, while it works', async () => {
    const settings = { serviceUrl: 'http://127.0.0.1:9', apiKey, timeoutMs: 100, options: delivery };
    const sink = new HttpDelivery({ ...settings, report: () => undefined });
    sink.add(encodeText('{"span":{"id":"00000000000000aa"}}'));
    const flushed = sink.flush(50);
    expectNoSecret(sink);
    await flushed;
    expectNoSecret(sink);
    await sink.shutdown(0);
  });
});

describe('The message for an invalid option', () => {
  it.each([
    ['the key in the place of the options', apiKey],
    ['a key in the place of envVars', { envVars: providerKey }],
    ['a number among envVars', { envVars: { A: providerKey, B: 7 } }],
    ['a key in the place of previousKeys', { apiKey, delivery: { previousKeys: previousKey } }],
    ['a key that no header can carry', { apiKey: `${apiKey}\u0001-` }],
    ['a password in the address', { serviceUrl: `http://user:${apiKey}@127.0.0.1` }],
  ])('shows no secret: %s', (_, options) => {
    let thrown: unknown;
    try {
      new Tracer(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'TRACER_INVALID_OPTION' });
    expectNoSecret(thrown);
  });
});
