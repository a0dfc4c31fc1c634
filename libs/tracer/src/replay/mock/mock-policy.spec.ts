import { defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import { MockPolicy } from './mock-policy.js';

const standIn = (): string => 'in its place';
const define = (key: string, mockOnReplay: SpanDefinition['mockOnReplay']): SpanDefinition =>
  defineSpan({ key, name: key, type: 'function', mockOnReplay });
const plain = define('search', false);
const marked = define('mail', true);
const replaced = define('pay', standIn);

describe('the treatment of an inner call', () => {
  it.each([
    ['none', ['run', 'run', 'run']],
    ['marked', ['run', 'answer', standIn]],
    ['all', ['answer', 'answer', standIn]],
  ] as const)('is, under %s, told by its mark', (mock, treatments) => {
    const policy = new MockPolicy(mock, undefined);
    expect([plain, marked, replaced].map((one) => policy.chooseTreatment(one))).toEqual(treatments);
    expect([plain, marked, replaced].map((one) => policy.isLive(one))).toEqual([false, false, false]);
  });

  it('runs when it is live: a side effect only by its key', () => {
    const byType = new MockPolicy('all', undefined, ['function']);
    expect([plain, marked, replaced].map((one) => byType.chooseTreatment(one))).toEqual([
      'run',
      'answer',
      standIn,
    ]);
    const byKey = new MockPolicy('all', undefined, [{ key: 'mail' }, { key: 'pay' }]);
    expect([plain, marked, replaced].map((one) => byKey.chooseTreatment(one))).toEqual([
      'answer',
      'run',
      'run',
    ]);
    const byAnother = new MockPolicy('all', undefined, ['llm', { key: 'function' }]);
    expect(byAnother.chooseTreatment(plain)).toBe('answer');
  });

  it.each([
    ['none', undefined, ['recorded', 'recorded']],
    ['marked', undefined, ['recorded', 'recorded']],
    ['all', undefined, ['fail', 'fail']],
    ['marked', 'fail', ['fail', 'fail']],
    ['all', 'recorded', ['recorded', 'recorded']],
    ['all', 'run', ['run', 'recorded']],
  ] as const)(
    'where it was not recorded, under %s with onMockMiss %s, is no side effect',
    (mock, onMockMiss, known) => {
      const policy = new MockPolicy(mock, onMockMiss);
      expect([plain, marked].map((one) => policy.chooseOnMiss(one))).toEqual(known);
    },
  );
});
