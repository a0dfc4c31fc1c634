import { startStandInModel } from '../sample-app/src/stand-in-model/http/start-stand-in-model.js';
import { RunningReplay } from './cli-replay/run-replay.js';

describe('the eval file of the sample app', () => {
  it('compares both classifiers by category and priority', async () => {
    const standIn = await startStandInModel({ port: 0 });
    const file = 'sample-app/src/classification/classifier.eval.ts';
    const env = { OPENAI_BASE_URL: standIn.baseUrl, OPENAI_API_KEY: '', TRACER_API_KEY: '' };
    const { exit, out, err } = await RunningReplay.start([file], env, undefined, 'eval').ended();
    await standIn.close();
    expect(err).toContain('TypeScript is loaded by tsx.');
    expect(out).toContain(`${file}: 12 items, 2 variants`);
    expect(out).toMatch(/\n#0 +Where is my order LM-1042/);
    expect(out).toMatch(/\ncategory: .* \(p = .*, n = 12\)\npriority: /);
    expect(exit).toBe(0);
  });
});
