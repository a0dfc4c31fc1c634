import type { EvaluatorContext, RunReport } from '@dacapo/evaluation';
import { toHtml, toJUnit, toMarkdown, toText } from '@dacapo/evaluation';
import { Tracer } from '../tracer.js';
import type { ReplayResult } from '../replay-types.js';

const SECRET = 'sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6';
const PASSWORD = 'hunter2-and-more';

const formats = (report: RunReport): string[] => [
  toText(report),
  toMarkdown(report),
  toHtml(report),
  toJUnit(report),
  JSON.stringify(report),
];

/** One item through a tracer without a service. */
function evaluateOne(
  { input = 'late', expected = 'delivery' as unknown, name = 'one' },
  answer: (input: unknown) => unknown,
  judged: (context: EvaluatorContext) => unknown = () => 0,
  capture = {},
): Promise<ReplayResult> {
  const tracer = new Tracer({ enabled: false, capture });
  return tracer.evaluate(answer, {
    key: 'desk',
    data: [{ input, expected, name }],
    evaluators: { helpful: judged as () => number },
    gate: { changed: 0, errors: 0, scores: { helpful: { min: 1 } } },
  });
}

describe('the reports of a run contain no secret', () => {
  it.each<[string, () => Promise<ReplayResult>]>([
    ['of an input', () => evaluateOne({ input: `use ${SECRET}` }, () => 'other')],
    [
      'under a secret key of an input',
      () => evaluateOne({ input: { password: PASSWORD } as never }, () => 'x'),
    ],
    ['of an output', () => evaluateOne({}, () => `use ${SECRET}`)],
    ['under a secret key of an output', () => evaluateOne({}, () => ({ password: PASSWORD }))],
    ['in the name of a key', () => evaluateOne({ expected: { a: 1 } }, () => ({ [SECRET]: 1 }))],
    ['of what is expected', () => evaluateOne({ expected: `use ${SECRET}` }, () => 'other')],
    [
      'of an error',
      () =>
        evaluateOne({}, () => {
          throw new Error(`401 for ${SECRET}`);
        }),
    ],
    [
      'of an explanation',
      () =>
        evaluateOne(
          {},
          () => 'x',
          () => ({ score: 0, explanation: `saw ${SECRET}` }),
        ),
    ],
    [
      'of a rationale',
      () =>
        evaluateOne(
          {},
          () => 'x',
          () => ({ score: 0, metadata: { rationale: SECRET } }),
        ),
    ],
    [
      'of a label',
      () =>
        evaluateOne(
          {},
          () => 'x',
          () => ({ score: 0, label: SECRET }),
        ),
    ],
    [
      'of a score that is a text',
      () =>
        evaluateOne(
          {},
          () => 'x',
          () => ({ score: SECRET }),
        ),
    ],
    [
      'of an evaluator that failed',
      () =>
        evaluateOne(
          {},
          () => 'x',
          () => {
            throw new Error(`401 for ${SECRET}`);
          },
        ),
    ],
    ['in the name of an item', () => evaluateOne({ name: SECRET }, () => 'x')],
  ])('%s', async (_, evaluate) => {
    const run = await evaluate();
    const texts = [...formats(run.report()), run.toMarkdown(), run.toHtml(), run.toJUnit(), toText(run)];
    for (const text of texts) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(PASSWORD);
    }
  });

  it('but the value around it', async () => {
    const run = await evaluateOne({ input: `use ${SECRET}` }, () => 'other');
    for (const text of formats(run.report())) expect(text).toContain('use ');
  });

  it.each([
    ['inputs', { input: false }, 'private-input'],
    ['outputs', { output: false }, 'private-output'],
    ['expected outputs', { output: false }, 'private-expected'],
    ['inputs, where only metadata is', { metadataOnly: true }, 'private-input'],
    ['outputs, where only metadata is', { metadataOnly: true }, 'private-output'],
    ['explanations, where only metadata is', { metadataOnly: true }, 'private-explanation'],
  ])('and no %s that are not recorded', async (_, capture, text) => {
    const run = await evaluateOne(
      { input: 'private-input', expected: 'private-expected' },
      () => 'private-output',
      () => ({ score: 0, explanation: 'private-explanation' }),
      capture,
    );
    for (const report of formats(run.report())) expect(report).not.toContain(text);
  });
});

describe('the items of a report', () => {
  const listNames = async (data: { input: string; name?: string }[]): Promise<(string | undefined)[]> => {
    const tracer = new Tracer({ enabled: false });
    const run = await tracer.evaluate((text: string) => text, { key: 'desk', data });
    return run.report().items.map(({ name }) => name);
  };

  it('have their own names', async () => {
    expect(await listNames([{ input: 'a', name: 'late parcel' }])).toEqual(['late parcel']);
  });

  it('otherwise have the hash of their input, at any place in the list', async () => {
    const [first, second] = await listNames([{ input: 'a' }, { input: 'b' }]);
    expect(await listNames([{ input: 'b' }, { input: 'a' }])).toEqual([second, first]);
    expect(first).toMatch(/^input [0-9a-f]{12}$/);
    expect(second).not.toBe(first);
  });

  it('are distinguished when two have the same input', async () => {
    const [first, second] = await listNames([{ input: 'a' }, { input: 'a' }]);
    expect(second).toBe(`${first} (2)`);
  });

  it.each([[''], [' '], [5]])('refuse %j as a name', async (name) => {
    await expect(listNames([{ input: 'a', name: name as string }])).rejects.toThrow(
      'evaluate.data[0].name must be a text that is not blank',
    );
  });
});
