import fc from 'fast-check';
import { MemoryBudget } from './memory-budget.js';

const MIB = 1024 * 1024;

/** Returns how many reservations of this size an account gets. */
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
  it('grants one account at most two thirds, and leaves a share for others', () => {
    const budget = new MemoryBudget(90 * MIB);
    expect(fill(budget, 'greedy', MIB)).toBe(60);
    expect(fill(budget, 'second', MIB)).toBe(20);
    expect(fill(budget, 'third', MIB)).toBe(6);
    expect(fill(budget, 'greedy', MIB)).toBe(0);
  });

  it('answers 413 to a request above the maximum size', () => {
    const reservation = new MemoryBudget(30 * MIB).open('a');
    reservation.grow(20 * MIB);
    expect(() => {
      reservation.grow(1);
    }).toThrow(expect.objectContaining({ status: 413 }));
  });

  it('never grants more than the budget, and is whole again after all are released in any order', () => {
    const requests = fc.array(
      fc.record({ account: fc.constantFrom('a', 'b', 'c'), steps: fc.array(fc.nat(20 * MIB)) }),
    );
    fc.assert(
      fc.property(requests, (all) => {
        const budget = new MemoryBudget(30 * MIB);
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
