import { type MixingApplication, type Platform, startMixingApplication } from './mixing-application.js';
import { runWave } from './mixing-load.js';

/** The short form of `npm run test:mixing`. */
describe.each<Platform>(['express', 'fastify'])('users of an application on %s', (platform) => {
  let application: MixingApplication;

  beforeAll(async () => {
    application = await startMixingApplication(platform);
  });
  afterAll(() => application.close());

  it('are recorded in their own traces and session', async () => {
    for (let wave = 0; wave < 2; wave++) {
      const programs = ['operator-mergeMap', 'operator-publishReplay', 'creation-merge'];
      const { calls, ...wrong } = await runWave(application, { concurrency: 50, users: 150, programs });
      expect(wrong).toEqual({ mixed: [], miscounted: [], lostSessions: [], adoptedBatches: [], changed: [] });
      expect(calls).toBeGreaterThan(0);
    }
  });
});
