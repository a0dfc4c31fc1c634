import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { type MakeAgent, recordAndReplay } from '../replayed-agent.js';
import { CELL_NAMES, type CellName, CELLS, cellModel, plain, replyToCells } from './cells.js';
import type { VendorApi } from './vendor-api.js';

/** In a replay with `mock: 'all'` each cell comes out as it did, and nothing connects. */
export function describeReplay<C extends object>(
  name: string,
  newClient: (url: string) => C,
  toApi: (client: C) => VendorApi,
  without?: CellName,
): void {
  describe(`a replay with mock all of a wrapped client of ${name}`, () => {
    let server: ModelServer;

    beforeAll(async () => {
      server = await startModelServer();
    });
    beforeEach(() => {
      server.reply = replyToCells();
    });
    afterAll(() => server.close());

    const createAgent =
      (ask: (api: VendorApi) => Promise<unknown>): MakeAgent =>
      (tracer, url) => {
        const api = toApi(tracer.wrapClient(newClient(url)));
        return () => ask(api);
      };
    const cells = CELL_NAMES.filter((cell) => cell !== without);

    it.each(cells)('has the recorded outcome, and a sink counts no connection: %s', async (cell) => {
      const agent = createAgent((api) => CELLS[cell].run(api, cellModel(cell)));
      const { run, item, recorded, connections } = await recordAndReplay(server.url, agent, {
        network: 'deny',
      });
      expect(recorded.length).toBeGreaterThan(1);
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(item.error === undefined).toBe(item.originalError === undefined);
      expect([run.ranLive, connections]).toEqual([{}, 0]);
    });

    it('misses a changed prompt, and reports the change; live, it calls the model', async () => {
      const asking = (question: string): MakeAgent =>
        createAgent(async (api) => plain(await api.plain(cellModel('a plain call'), question)));
      const [asked, changed] = [asking('Weather in Oslo, briefly?'), asking('Weather in Bergen, briefly?')];
      const missed = await recordAndReplay(server.url, asked, { changed });
      expect(missed.item).toMatchObject({
        verdict: 'error',
        error: { code: 'TRACER_REPLAY_MOCK_MISS', message: expect.stringMatching(/Bergen[\s\S]*Oslo/) },
        divergences: [
          {
            kind: 'changed_arguments',
            newArguments: expect.stringContaining('Bergen'),
            recordedArguments: expect.stringContaining('Oslo'),
          },
        ],
      });
      expect(missed.connections).toBe(0);
      const live = await recordAndReplay(server.url, asked, {
        changed,
        replayedAt: server.url,
        live: ['llm'],
      });
      expect(Object.values(live.run.ranLive)).toEqual([1]);
      expect(live.item).toMatchObject({ verdict: 'same', divergences: [{ kind: 'changed_arguments' }] });
      expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('Bergen');
    });
  });
}
