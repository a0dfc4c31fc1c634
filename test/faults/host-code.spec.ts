import { FaultScene } from './fault-scene.js';
import { expectAllStored } from './oracle.js';
import type { Scenario } from './run-host.js';

describe("The host's own code", () => {
  const scene = FaultScene.forEachTest();

  /** The host runs as it does without a tracer, and all its spans arrive. */
  async function liveThrough(scenario: Omit<Scenario, 'url'>) {
    await scene.expectSameEnd({ calls: 60, end: 'shutdown', ...scenario });
    expectAllStored(scene.server, scene.hosts.account());
    expect(scene.hosts.account().sent.length).toBeGreaterThanOrEqual(60);
    return scene.server.spans;
  }

  it('fault 16, the wall clock jumps inside calls: durations stay true', async () => {
    for (const { started_at, ended_at, duration_ms } of await liveThrough({ misbehaviour: 'clock jumps' })) {
      expect(duration_ms).toBeGreaterThan(0);
      expect(duration_ms).toBeLessThan(60_000);
      expect(Date.parse(ended_at!) - Date.parse(started_at)).toBeLessThan(60_000);
    }
  });

  it('fault 34, results end twice: the first end counts', async () => {
    const spans = await liveThrough({ misbehaviour: 'ends twice' });
    expect(new Set(spans.map(({ status }) => status))).toEqual(new Set(['ok']));
  });

  it('fault 35, generators are abandoned: they are released as without tracing, and marked', async () => {
    const spans = await liveThrough({ misbehaviour: 'abandons generators' });
    expect(new Set(spans.map(({ status }) => status))).toEqual(new Set(['cancelled']));
  });

  it('fault 36, streams are cancelled and aborted: their sources are notified, and the spans show it', async () => {
    const spans = await liveThrough({ misbehaviour: 'cancels streams' });
    expect(new Set(spans.map(({ status }) => status))).toEqual(new Set(['cancelled', 'error']));
  });

  it('fault 37, the context is lost: a call starts a trace of its own, unless its place was carried along', async () => {
    const spans = await liveThrough({ misbehaviour: 'loses context' });
    const askSpans = spans.filter(({ name }) => name === 'ask');
    const worked = spans.filter(({ name }) => name === 'work');
    const askSpanIds = new Set(askSpans.map(({ id }) => id));
    expect([askSpans.length, worked.length]).toEqual([60, 60]);
    expect(worked.filter(({ parent_id }) => parent_id === undefined)).toHaveLength(20);
    expect(worked.filter(({ parent_id }) => askSpanIds.has(parent_id!))).toHaveLength(40);
  });

  it('fault 38, values throw when they are read: the rest of the record arrives', async () => {
    for (const { span_data } of await liveThrough({ misbehaviour: 'throws when read' }))
      expect(span_data.output).toMatchObject({ text: expect.any(String) });
  });

  it.each(['throws', 'rejects', 'hangs'] as const)(
    'faults 38 and 39, a mask that %s: nobody waits for it, and nothing is sent unmasked',
    async (mask) => {
      const spans = await liveThrough({ mask });
      for (const { span_data } of spans) expect(JSON.stringify(span_data)).not.toContain('qqq');
    },
  );
});
