import { defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import { MockPolicy } from './mock-policy.js';

const standIn = (): string => 'in its place';
const definitionOf = (key: string, mockOnReplay: SpanDefinition['mockOnReplay']): SpanDefinition =>
  defineSpan({ key, name: key, type: 'function', mockOnReplay });
const plain = definitionOf('search', false);
const marked = definitionOf('mail', true);
const replaced = definitionOf('pay', standIn);

describe('what becomes of a call inside', () => {
  it.each([
    ['none', ['run', 'run', 'run']],
    ['marked', ['run', 'answer', standIn]],
    ['all', ['answer', 'answer', standIn]],
  ] as const)('is, under %s, told by its mark', (mock, treatments) => {
    const policy = new MockPolicy(mock, undefined);
    expect([plain, marked, replaced].map((one) => policy.treatmentOf(one))).toEqual(treatments);
    expect([plain, marked, replaced].map((one) => policy.isLive(one))).toEqual([false, false, false]);
  });

  it('is to run where it is live: a side effect by its key alone', () => {
    const byType = new MockPolicy('all', undefined, ['function']);
    expect([plain, marked, replaced].map((one) => byType.treatmentOf(one))).toEqual([
      'run',
      'answer',
      standIn,
    ]);
    const byKey = new MockPolicy('all', undefined, [{ key: 'mail' }, { key: 'pay' }]);
    expect([plain, marked, replaced].map((one) => byKey.treatmentOf(one))).toEqual(['answer', 'run', 'run']);
    const byAnother = new MockPolicy('all', undefined, ['llm', { key: 'function' }]);
    expect(byAnother.treatmentOf(plain)).toBe('answer');
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
      expect([plain, marked].map((one) => policy.onMissOf(one))).toEqual(known);
    },
  );
});
