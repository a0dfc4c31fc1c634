import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClosedQA, ExactMatch, Factuality, JSONDiff, Levenshtein, NumericDiff } from 'autoevals';
import { text } from 'node:stream/consumers';
import {
  applyEvaluators,
  type Evaluator,
  type EvaluatorContext,
  exact,
  nameEvaluators,
} from '../src/index.js';

const makeContext = (output: unknown, expected: unknown): EvaluatorContext => ({
  input: 'Who wrote Faust?',
  args: ['Who wrote Faust?'],
  output,
  expected,
  verdict: 'changed',
  divergences: [],
  durationMs: 1,
  calls: () => [],
  metadata: {},
});

describe('scorers of autoevals', () => {
  it('are evaluators as they are', async () => {
    const scorers: Evaluator<[string], string>[] = [Levenshtein, ExactMatch, JSONDiff, exact()];
    const { scores, errors } = await applyEvaluators(
      nameEvaluators(scorers as Evaluator[]),
      makeContext('kitten', 'sitting'),
    );
    expect(errors).toEqual([]);
    expect(scores).toMatchObject([
      { name: 'Levenshtein', score: 1 - 3 / 7 },
      { name: 'ExactMatch', score: 0 },
      { name: 'JSONDiff' },
      { name: 'exact', score: false },
    ]);
    const numbers = await applyEvaluators(nameEvaluators([NumericDiff as Evaluator]), makeContext(110, 100));
    expect(numbers.scores[0]!.score).toBeCloseTo(1 - 10 / 210, 9);
  });

  it('whose answer is not a number are errors of the item', async () => {
    const { scores, errors } = await applyEvaluators(
      nameEvaluators([NumericDiff as Evaluator]),
      makeContext('many', 100),
    );
    expect(scores).toEqual([]);
    expect(errors).toMatchObject([{ evaluator: 'NumericDiff' }]);
    expect(errors[0]!.message).toContain('answered the score NaN');
  });

  describe('that call a language model', () => {
    let model: Server;
    let prompts: string[];
    let answer: () => { status: number; body: unknown };

    beforeEach(async () => {
      prompts = [];
      model = createServer((request, response) => {
        void text(request).then((body) => {
          prompts.push(body);
          const { status, body: answered } = answer();
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
        });
      });
      await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => new Promise((resolve) => model.close(resolve)));

    const options = (): { openAiApiKey: string; openAiBaseUrl: string } => ({
      openAiApiKey: 'none',
      openAiBaseUrl: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    });
    const choosing = (choice: string) => () => {
      const chosen = { name: 'select_choice', arguments: JSON.stringify({ reasons: 'They agree.', choice }) };
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: chosen }],
      };
      return { status: 200, body: { object: 'chat.completion', choices: [{ index: 0, message }] } };
    };

    it('receive question, output and expected answer, and score by the choice', async () => {
      answer = choosing('C');
      const judges = nameEvaluators([Factuality.partial(options()) as Evaluator]);
      const { scores, errors } = await applyEvaluators(
        judges,
        makeContext('Goethe', 'Johann Wolfgang Goethe'),
      );
      expect(errors).toEqual([]);
      expect(scores).toEqual([
        { name: 'Factuality', score: 1, metadata: expect.objectContaining({ rationale: 'They agree.' }) },
      ]);
      for (const part of ['Who wrote Faust?', 'Goethe', 'Johann Wolfgang Goethe'])
        expect(prompts[0]).toContain(part);
    });

    it('accept custom criteria', async () => {
      answer = choosing('N');
      const judge = ClosedQA.partial({ ...options(), criteria: 'Names the author.' }) as Evaluator;
      const { scores } = await applyEvaluators(
        nameEvaluators({ named: judge }),
        makeContext('Nobody', 'Goethe'),
      );
      expect(scores).toMatchObject([{ name: 'named', score: 0 }]);
      expect(prompts[0]).toContain('Names the author.');
    });

    it('are errors of the item when the model cannot be called', async () => {
      answer = () => ({ status: 400, body: { error: { message: 'no such model' } } });
      const { scores, errors } = await applyEvaluators(
        nameEvaluators([Factuality.partial(options()) as Evaluator]),
        makeContext('Goethe', 'Goethe'),
      );
      expect(scores).toEqual([]);
      expect(errors[0]!.message).toContain('no such model');
    });
  });
});
