import type { ReportItem, ReportScore } from '../run/run-report.js';
import { ReportItems } from './report-items.js';

/** Gathers items as a replay does. */
class Gathered {
  readonly items: ReportItems;
  read = 0;

  constructor(limited?: string[]) {
    this.items = new ReportItems({ hash: (text) => `#${text}`, limited: limited && new Set(limited) });
  }

  add(itemNo: number, changes: Partial<ReportItem> = {}): void {
    const { scores, divergences = [], texts, diff, error, ...outline } = changes;
    this.items.add(
      { itemNo, verdict: 'same', name: `call ${itemNo}`, ...outline },
      { divergences, ...(scores && { scores }) },
      () => {
        this.read += 1;
        return {
          divergences,
          texts: texts ?? { input: `input ${itemNo}` },
          ...(scores && { scores }),
          ...(diff && { diff }),
          ...(error !== undefined && { error }),
        };
      },
    );
  }

  withTexts(): number[] {
    return this.items.items(new Map()).flatMap(({ itemNo, texts }) => (texts ? [itemNo] : []));
  }
}

const score = (candidate: number, baseline: number): ReportScore[] => [
  { name: 'accuracy', candidate, baseline },
];

describe('The items of a report', () => {
  it('are complete, in the order of the selection', () => {
    const gathered = new Gathered();
    for (const itemNo of [2, 0, 1]) gathered.add(itemNo);
    expect(gathered.items.items(new Map()).map(({ itemNo }) => itemNo)).toEqual([0, 1, 2]);
  });

  it('have no values when unchanged', () => {
    const gathered = new Gathered();
    gathered.add(0);
    expect(gathered.withTexts()).toEqual([]);
    expect(gathered.read).toBe(0);
  });

  it('have values only for the worst two hundred, so a late error replaces a change', () => {
    const gathered = new Gathered();
    for (let itemNo = 0; itemNo < 300; itemNo += 1) gathered.add(itemNo, { verdict: 'changed' });
    gathered.add(300, { verdict: 'error', newError: true, error: 'late' });
    expect(gathered.withTexts()).toHaveLength(200);
    expect(gathered.withTexts().at(-1)).toBe(300);
  });

  it('have values for three that changed in the same way', () => {
    const gathered = new Gathered();
    for (let itemNo = 0; itemNo < 40; itemNo += 1)
      gathered.add(itemNo, { verdict: 'changed', diff: [{ path: '$', kind: 'added' }] });
    expect(gathered.withTexts()).toEqual([0, 1, 2]);
    expect(new Set(gathered.items.items(new Map()).map(({ change }) => change)).size).toBe(1);
  });

  it('have values for the lowest and the largest drop of a limited score', () => {
    const gathered = new Gathered(['accuracy']);
    for (let itemNo = 0; itemNo < 100; itemNo += 1) gathered.add(itemNo, { scores: score(0.8, 0.8) });
    gathered.add(100, { scores: score(0.1, 0.1) });
    gathered.add(101, { scores: score(0.7, 1) });
    expect(gathered.withTexts()).toEqual(expect.arrayContaining([100, 101]));
    const [lowest] = gathered.items.items(new Map()).filter(({ itemNo }) => itemNo === 100);
    expect(lowest?.scores).toEqual(score(0.1, 0.1));
    expect(gathered.withTexts().length).toBeLessThanOrEqual(20);
  });

  it('are numbered when they share a name, equally for each repetition', () => {
    const gathered = new Gathered();
    for (const itemNo of [0, 1])
      for (const repetition of [0, 1]) gathered.add(itemNo, { name: 'input abc', repetition });
    const names = gathered.items.items(new Map()).map(({ name }) => name);
    expect(names).toEqual(['input abc', 'input abc', 'input abc (2)', 'input abc (2)']);
  });

  it('receive a name that becomes known later', () => {
    const gathered = new Gathered();
    gathered.add(0);
    expect(gathered.items.items(new Map([[0, 'item 7']]))[0]?.name).toBe('item 7');
  });
});
