import fc from 'fast-check';
import { ResolvedOptions } from '../options.js';
import { MemoryBudget } from './memory-budget.js';

const MIB = 1024 * 1024;

function budgetOf(bytes: number): MemoryBudget {
  return new MemoryBudget(new ResolvedOptions({ requestMemoryBytes: bytes }));
}

/** How many reservations of so many bytes an account gets at once. */
function fill(budget: MemoryBudget, account: string, bytes: number): number {
  for (let granted = 0; ; granted++) {
    try {
      budget.open(account).grow(bytes);
    } catch (error) {
      expect(error).toMatchObject({ status: 429 });
      return granted;
    }
  }
}

describe('MemoryBudget', () => {
  it('gives one account two thirds, and keeps the next ones a share', () => {
    const budget = budgetOf(90 * MIB);
    expect(fill(budget, 'greedy', MIB)).toBe(60);
    expect(fill(budget, 'second', MIB)).toBe(20);
    expect(fill(budget, 'third', MIB)).toBe(6);
    expect(fill(budget, 'greedy', MIB)).toBe(0);
  });

  it('refuses for good what no request may ever hold', () => {
    const reservation = budgetOf(30 * MIB).open('a');
    reservation.grow(20 * MIB);
    expect(() => {
      reservation.grow(1);
    }).toThrow(expect.objectContaining({ status: 413 }));
  });

  it('has all again when all is given back, in whatever order, and never gives more than there is', () => {
    const requests = fc.array(
      fc.record({ account: fc.constantFrom('a', 'b', 'c'), steps: fc.array(fc.nat(20 * MIB)) }),
    );
    fc.assert(
      fc.property(requests, (all) => {
        const budget = budgetOf(30 * MIB);
        let held = 0;
        const reservations = all.map(({ account, steps }) => {
          const reservation = budget.open(account);
          for (const bytes of steps) {
            try {
              reservation.grow(bytes);
              held += bytes;
            } catch (error) {
              expect(error).toHaveProperty('status');
            }
          }
          return reservation;
        });
        expect(held).toBeLessThanOrEqual(30 * MIB);
        for (const reservation of [...reservations.toReversed(), ...reservations]) reservation.release();
        expect(fill(budget, 'a', 2 * MIB)).toBe(10);
      }),
    );
  });
});
