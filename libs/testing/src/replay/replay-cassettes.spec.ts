import { Tracer } from '@dacapo/tracer';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDesk, createOutside } from '../../test/support-desk.js';
import {
  assertNoRegressions,
  assertPassesGate,
  type RegressionOptions,
  replayCassettes,
  toHaveNoRegressions,
  toPassGate,
  withCassette,
} from '../index.js';

const tracer = new Tracer({ apiKey: '' });
const directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
const outside = createOutside();
const desk = createDesk(tracer, outside);
const shorter = tracer.withSpan('desk.answer', () => Promise.resolve({ text: 'Late.' }));

beforeAll(async () => {
  delete process.env['CI'];
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8])
    await withCassette(`desk/${n}`, { directory, mode: 'record' }, () => desk(`Question ${n}`, `o-${n}`));
  outside.calls.length = 0;
});

describe('replayCassettes', () => {
  it('replays all cassettes with the key, without a service', async () => {
    const result = await replayCassettes('desk.answer', desk, { directory });
    expect(result.totals).toMatchObject({ items: 8, same: 8, diverged: 0 });
    expect(outside.calls).toEqual([]);
    expect(toHaveNoRegressions(result).pass).toBe(true);
  });

  it('replays the cassettes that are named', async () => {
    const result = await replayCassettes('desk.answer', desk, { directory, names: ['desk/2'] });
    expect(result.totals.items).toBe(1);
  });

  it('names the key when no cassette has it', async () => {
    await expect(replayCassettes('desk.ask', desk, { directory })).rejects.toThrow('"desk.ask"');
  });
});

describe('toHaveNoRegressions', () => {
  const words = ({ output }: { output?: { text: string } }): number => output?.text.split(' ').length ?? 0;

  it('fails for a changed output, and shows it', async () => {
    const result = await replayCassettes('desk.answer', shorter, { directory });
    const { pass, message } = toHaveNoRegressions(result);
    expect([pass, message()]).toEqual([false, expect.stringContaining('$.text')]);
    expect(() => {
      assertNoRegressions(result);
    }).toThrow('changed');
  });

  it('fails for a score that drops with evidence, unless the drop is small', async () => {
    const result = await replayCassettes('desk.answer', shorter, { directory, evaluators: { words } });
    const check = (options?: RegressionOptions): boolean => toHaveNoRegressions(result, options).pass;
    expect([check(), check({ minEffect: 100 })]).toEqual([false, true]);
  });

  it('passes another output with the same score', async () => {
    const polite = (): boolean => true;
    const result = await replayCassettes('desk.answer', shorter, { directory, evaluators: { polite } });
    expect(toHaveNoRegressions(result).pass).toBe(true);
  });

  it('fails when too few items could show a drop', async () => {
    const result = await replayCassettes('desk.answer', shorter, {
      directory,
      names: ['desk/1', 'desk/2'],
      evaluators: { words },
    });
    expect(toHaveNoRegressions(result).message()).toContain('too few');
  });

  it('fails for a new error', async () => {
    const broken = tracer.withSpan('desk.answer', () => Promise.reject(new Error('broken')));
    const result = await replayCassettes('desk.answer', broken, {
      directory,
      evaluators: { ok: () => true },
    });
    expect(toHaveNoRegressions(result).pass).toBe(false);
  });

  it('counts an accepted output as changed when it is compared with the recording', async () => {
    const result = await replayCassettes('desk.answer', desk, { directory });
    const accepted = { ...result, items: result.items.map((item) => ({ ...item, accepted: true as const })) };
    expect(toHaveNoRegressions(accepted).pass).toBe(true);
    expect(toHaveNoRegressions(accepted, { baseline: 'recording' }).pass).toBe(false);
  });

  it('refuses a result without its items', async () => {
    const result = await replayCassettes('desk.answer', desk, { directory, keep: 'none' });
    expect(() => toHaveNoRegressions(result)).toThrow("keep: 'all'");
  });
});

describe('toPassGate', () => {
  it('passes and fails with the gate of the replay', async () => {
    const same = await replayCassettes('desk.answer', desk, { directory, gate: { changed: 0 } });
    const changed = await replayCassettes('desk.answer', shorter, { directory, gate: { changed: 0 } });
    expect([toPassGate(same).pass, toPassGate(changed).pass]).toEqual([true, false]);
    expect(() => {
      assertPassesGate(changed);
    }).toThrow('The gate failed');
  });

  it('fails without a gate', async () => {
    const result = await replayCassettes('desk.answer', desk, { directory });
    expect(() => toPassGate(result)).toThrow('no gate');
  });
});
