import { Capturer } from './capturer.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What takes minutes ends by the test's timeout, once the event loop turns again. */
async function captured(value: unknown): Promise<unknown> {
  const capturer = new Capturer({ maxFieldBytes: 7 * 1024 * 1024 });
  await nextTurn();
  const { json } = capturer.captureArguments([value]);
  await nextTurn();
  return (JSON.parse(json) as unknown[])[0];
}

describe('values that take linear time', () => {
  it('a Map of objects', async () => {
    const ids = Array.from({ length: 200_000 }, (_, id) => id);
    expect(await captured(new Map(ids.map((id) => [id, { id }])))).toHaveLength(ids.length);
  });

  it('an array with many distant holes', async () => {
    const sparse: number[] = [];
    for (let i = 0; i < 30_000; i++) sparse[i * 2000] = i;
    expect(await captured(sparse)).toHaveLength(2 * 30_000 - 1);
  });

  it('rows with dates and a secret', async () => {
    const rows = Array.from({ length: 80_000 }, (_, id) => [id, new Date(id)]);
    const seen = (await captured({ password: 'hunter2', rows })) as { password: string; rows: unknown[] };
    expect(seen.password).toMatch(/^\[redacted:/);
    expect(seen.rows).toHaveLength(rows.length);
  });
});
