import { join } from 'node:path';
import { applicationFolder } from './baml-copy.js';
import { resultOf, runScript } from './run-script.js';

const ENTRY = join(__dirname, '../../dist/cjs/index.js');

describe('the built package', () => {
  it('loads its adapters when the first one is asked for', async () => {
    const run = await runScript(
      'cjs',
      applicationFolder(),
      `
        const { Tracer } = await load(env.ENTRY);
        const isLoaded = () => Object.keys(require.cache).some((path) => path.endsWith('adapters.js'));
        const tracer = new Tracer({ enabled: false });
        const before = isLoaded();
        const names = [tracer.getLangChainHandler(), tracer.getAiSdkTelemetry()].map((adapter) => typeof adapter);
        console.log(JSON.stringify({ before, names, after: isLoaded() }));
      `,
      { ENTRY },
    );
    expect(resultOf(run)).toEqual({ before: false, names: ['object', 'object'], after: true });
  });
});
