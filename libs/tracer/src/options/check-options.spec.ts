import { findUnknownOption } from './check-options.js';
import { createTestTracer } from '../testing.js';
import { Tracer } from '../index.js';

describe('a misspelt option', () => {
  it.each([
    [{ apikey: 'k' }, 'Option apikey is unknown. Did you mean apiKey?'],
    [{ apiKey: 'k', sampelRate: 0.5 }, 'Option sampelRate is unknown. Did you mean sampleRate?'],
    [{ apiKey: 'k', timeoutMs: 5 }, 'Option timeoutMs is unknown. Did you mean timeout?'],
    [{ apiKey: 'k', capture: { inputs: false } }, 'Option capture.inputs is unknown. Did you mean input?'],
    [
      { apiKey: 'k', delivery: { intervalMS: 5 } },
      'Option delivery.intervalMS is unknown. Did you mean intervalMs?',
    ],
  ])('%j is refused with the name that was meant', (options: object, message) => {
    expect(() => new Tracer(options)).toThrow(message);
  });

  it('that is like no other is refused with all names', () => {
    const refused = findUnknownOption({ colour: 'red' }, ['apiKey', 'serviceUrl']);
    expect(refused).toMatchObject({ name: 'colour', cure: 'Use one of apiKey, serviceUrl.' });
  });

  it('that is undefined is treated as missing', () => {
    expect(() => createTestTracer({ colour: undefined } as object)).not.toThrow();
  });
});
