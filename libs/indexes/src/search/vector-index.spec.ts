import fc from 'fast-check';
import { fuse } from './search-index.js';
import { VectorIndex } from './vector-index.js';

const vector = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })).map(([x, y]) => {
  const length = Math.hypot(x, y) || 1;
  return Float32Array.of(x / length, y / length);
});

describe('VectorIndex', () => {
  it('finds the nearest vectors after any changes', () => {
    const change = fc.record({ section_no: fc.nat(8), vector: fc.option(vector, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), vector, fc.nat(10), (changes, query, count) => {
        const index = new VectorIndex();
        const expected = new Map<number, Float32Array>();
        for (const { section_no, vector } of changes) {
          if (vector === undefined) {
            index.delete(section_no);
            expected.delete(section_no);
          } else {
            index.set({ section_no, vector });
            expected.set(section_no, vector);
          }
        }
        const scores = Array.from(expected, ([section_no, [x = 0, y = 0]]) => ({
          section_no,
          score: 0 + x * (query[0] ?? 0) + y * (query[1] ?? 0),
        })).sort((a, b) => b.score - a.score || a.section_no - b.section_no);
        expect(index.nearest(query, count)).toEqual(scores.slice(0, count));
        const odd = scores.filter(({ section_no }) => section_no % 2 === 1);
        expect(index.nearest(query, count, (section_no) => section_no % 2 === 1)).toEqual(
          odd.slice(0, count),
        );
      }),
    );
  });

  it('ignores vectors with other dimensions, and finds nothing for them', () => {
    const index = new VectorIndex();
    index.set({ section_no: 1, vector: Float32Array.of(1, 0) });
    index.set({ section_no: 2, vector: Float32Array.of(1) });
    expect(index.nearest(Float32Array.of(1), 5)).toEqual([]);
    expect(index.nearest(Float32Array.of(1, 0), 5)).toEqual([{ section_no: 1, score: 1 }]);
  });
});

describe('fuse', () => {
  const ranked = (...scores: [number, number][]) =>
    scores.map(([section_no, score]) => ({ section_no, score }));
  const order = (...rankings: [number, number][][]) =>
    fuse(ranked(...(rankings[0] ?? [])), ranked(...(rankings[1] ?? []))).map(({ section_no }) => section_no);

  it('puts sections first that both rankings have', () => {
    expect(order([[1, 0.8], [2, 0.7]], [[3, 0.9], [2, 0.85], [1, 0.2]])).toEqual([2, 1, 3]); // prettier-ignore
  });

  it('keeps the order of a ranking when the other is empty', () => {
    expect(order([[4, 0.6], [2, 0.3]], [])).toEqual([4, 2]); // prettier-ignore
    expect(order([], [[4, 0.6], [2, 0.3]])).toEqual([4, 2]); // prettier-ignore
    expect(order([], [])).toEqual([]);
  });

  it("does not depend on the range of a model's cosines, and stays between 0 and 1", () => {
    const cosine = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.array(cosine, { minLength: 2, maxLength: 9 }), (cosines) => {
        const sorted = cosines.sort((a, b) => b - a).map((one, at): [number, number] => [at, one / 100]);
        const squeezed = sorted.map(([at, one]): [number, number] => [at, 0.7 + one / 4]);
        const words = ranked([3, 0.9], [1, 0.4]);
        const [wide, narrow] = [sorted, squeezed].map((one) => fuse(words, ranked(...one)));
        for (const { section_no, score } of wide ?? []) {
          expect(score).toBeLessThanOrEqual(1);
          expect(narrow?.find((one) => one.section_no === section_no)?.score).toBeCloseTo(score, 6);
        }
      }),
    );
  });
});
