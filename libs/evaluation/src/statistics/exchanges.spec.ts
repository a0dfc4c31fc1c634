import { countExchanges, isEnumerable, visitExchanges } from './exchanges.js';
import { Random } from './random.js';

function listExchanges(repetitions: readonly number[]): string[] {
  const found: string[] = [];
  visitExchanges(repetitions, (choices, index) => {
    // `expect` would take most of the time.
    if (index !== found.length) throw new Error(`exchange ${found.length} has the index ${index}`);
    found.push(choices.join(''));
  });
  return found;
}

const ones = (count: number): number[] => Array<number>(count).fill(1);

describe('visitExchanges', () => {
  it('visits each choice of a repetition or none once, beginning with none', () => {
    const found = listExchanges([1, 2, 1]);
    expect(found[0]).toBe('000');
    expect([...found].sort()).toEqual(
      ['000', '001', '010', '011', '020', '021'].flatMap((rest) => [rest, `1${rest.slice(1)}`]).sort(),
    );
  });

  it('visits one exchange when nothing can be exchanged', () => {
    expect(listExchanges([])).toEqual(['']);
  });

  it.each([
    [14, 2 ** 14],
    [15, 10_001],
  ])('visits as many exchanges of %d clusters as countExchanges returns', (clusters, count) => {
    expect(countExchanges(ones(clusters))).toBe(count);
    expect(isEnumerable(ones(clusters))).toBe(count === 2 ** clusters);
    const found = listExchanges(ones(clusters));
    expect(found).toHaveLength(count);
    expect(found[0]).toBe('0'.repeat(clusters));
  });

  it('draws one bit for each cluster with one repetition, 32 from each random number', () => {
    const random = new Random(1);
    const [first, second] = [random.nextUint32(), random.nextUint32()];
    const bit = (bits: number, at: number): string => String((bits >>> at) & 1);
    const drawn = listExchanges(ones(40))[1]!;
    expect(drawn).toBe(
      Array.from({ length: 40 }, (_, at) => (at < 32 ? bit(first, at) : bit(second, at - 32))).join(''),
    );
  });

  it('draws every repetition and none of a repeated cluster about as often', () => {
    const seen = [0, 0, 0, 0];
    visitExchanges(Array<number>(20).fill(3), (choices) => {
      for (const choice of choices) seen[choice]! += 1;
    });
    expect(seen).toHaveLength(4);
    for (const count of seen) expect(Math.abs(count / 200_020 - 0.25)).toBeLessThan(0.01);
  });

  it('draws the same exchanges each time', () => {
    const clusters = [...ones(20), 2, 3];
    expect(listExchanges(clusters)).toEqual(listExchanges(clusters));
  });
});
