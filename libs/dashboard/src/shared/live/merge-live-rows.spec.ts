import type { TraceSummary } from '@dacapo/protocol';
import fc from 'fast-check';
import { mergeLiveRows } from './merge-live-rows.js';

const trace = (id: string, status: TraceSummary['status'] = 'ok') => ({ id, status }) as TraceSummary;
const idOf = ({ id }: TraceSummary): string => id;

describe('live rows', () => {
  it('show what loaded traces are by now, and tell the others apart', () => {
    const merged = mergeLiveRows(
      [trace('b', 'unfinished'), trace('a')],
      [trace('d'), trace('c'), trace('b', 'error')],
      idOf,
    );
    expect(merged).toEqual({
      rows: [trace('b', 'error'), trace('a')],
      arrived: [trace('d'), trace('c')],
    });
  });

  it('never move, appear or disappear', () => {
    const traces = fc.uniqueArray(fc.string({ maxLength: 2 }), { maxLength: 9 });
    fc.assert(
      fc.property(traces, traces, (loaded, newest) => {
        const merged = mergeLiveRows(
          loaded.map((id) => trace(id)),
          newest.map((id) => trace(id)),
          idOf,
        );
        expect(merged.rows.map(idOf)).toEqual(loaded);
        expect(merged.arrived.map(idOf)).toEqual(newest.filter((id) => !loaded.includes(id)));
      }),
    );
  });
});
