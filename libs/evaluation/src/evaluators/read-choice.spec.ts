import fc from 'fast-check';
import { ChoiceReader, JudgeAnswerError } from './read-choice.js';

const YES_NO = ['yes', 'no'];

const read = (answer: string, choices: readonly string[] = YES_NO) => new ChoiceReader(choices).read(answer);
const expectRefused = (answer: string, choices?: readonly string[]): void => {
  expect(() => read(answer, choices)).toThrow(JudgeAnswerError);
};

describe('reading a choice', () => {
  it.each([
    ['yes'],
    ['yes.'],
    ['YES!'],
    [' Yes \n'],
    ['"yes"'],
    ['“Yes.”'],
    ["'yes'"],
    ['`yes`'],
    ['**Yes**'],
    ['_yes_'],
    ['(yes)'],
    ['Answer: yes'],
    ['**Answer:** Yes.'],
    ['The answer is yes.'],
    ['My final verdict: "yes"'],
    ['**Yes**, because the answer names the fee.'],
    ['Yes, because there is no error.'],
    ['Yes because there is no error'],
    ['Yes - it is polite.'],
    ['Yes\n\nThe answer does not mention a fee.'],
    ['Yes. Yes, it is polite.'],
    ['Yes (it is polite)'],
  ])('finds `yes` in %j', (answer) => {
    expect(read(answer).choice).toBe('yes');
  });

  it.each([
    ['yes and no'],
    ['yes or no'],
    ['yes/no'],
    ['yes, no'],
    ['yes\nno'],
    ['Yes. No.'],
    ['Yes, but no.'],
    ['Yes, because A is right. So no.'],
    ['not yes'],
    ['not no'],
    ['Yes, not really'],
    ['Yes, although only in part'],
    ['yes?'],
    ['yes maybe'],
    ['yesterday'],
    ['no one'],
    ['nope'],
    ['The answer is not yes'],
    ['I would say yes'],
    ['maybe'],
    [''],
    ['**'],
    ['constructor'],
  ])('refuses to guess from %j', (answer) => {
    expectRefused(answer);
  });

  it('reports the answer and the expected choices', () => {
    expect(() => read('yes and no')).toThrow('The judge answered "yes and no"; expected one of: yes, no.');
  });

  it('returns the choice as written, and the explanation', () => {
    const choices = ['Partly right', 'Wrong'];
    expect(read('**partly RIGHT**, because the Fee is missing', choices)).toEqual({
      choice: 'Partly right',
      explanation: 'because the Fee is missing',
    });
    expect(read('wrong', choices)).toEqual({ choice: 'Wrong' });
  });

  it.each([
    ['Partly right.', 'partly right'],
    ['Partly', 'partly'],
    ['Right. The date is right, too.', 'right'],
  ])('prefers the longest choice: %j', (answer, choice) => {
    expect(read(answer, ['partly', 'partly right', 'right']).choice).toBe(choice);
  });

  it.each(['Partly wrong', 'Partly, right', 'Right, partly', 'Right. It is partly right.'])(
    'refuses to guess between choices that share words: %j',
    (answer) => {
      expectRefused(answer, ['partly', 'partly right', 'right']);
    },
  );

  it('keeps a negated choice apart from the choice', () => {
    const choices = ['correct', 'not correct', 'incorrect'];
    expect(read('Not correct.', choices).choice).toBe('not correct');
    expect(read('incorrect, because it is not in the text', choices).choice).toBe('incorrect');
    expectRefused('Correct. It is not correct.', choices);
  });

  it.each([
    ['1.', '1'],
    ['10', '10'],
    ['Score: 10', '10'],
    ['-1', '-1'],
  ])('reads the number in %j', (answer, choice) => {
    expect(read(answer, ['-1', '1', '10']).choice).toBe(choice);
  });

  it.each(['1.5', '1/10', '1,000', '100', '1-10', '-10', '1:10'])('reads no number into %j', (answer) => {
    expectRefused(answer, ['-1', '1', '10']);
  });

  it('matches choices that are only markup exactly', () => {
    expect(read(' ** ', ['*', '**']).choice).toBe('**');
    expectRefused('**.', ['*', '**']);
    expect(read('5*', ['5', '5*']).choice).toBe('5*');
    expectRefused('*5*', ['5', '5*']);
  });

  it('refuses choices that differ only by case or white space', () => {
    expect(() => new ChoiceReader(['Yes', 'yes '])).toThrow('differ by case or white space only');
    expect(() => new ChoiceReader([])).toThrow('choices is empty');
  });

  const word = fc.stringMatching(/^[a-z]{2,8}$/).filter((text) => !RESERVED.has(text));
  const RESERVED = new Set(['not', 'but', 'or', 'nor', 'because', 'since', 'answer', 'the', 'is', 'and']);
  const choices = fc.uniqueArray(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
    {
      minLength: 2,
      maxLength: 5,
    },
  );
  const picked = choices.chain((names) =>
    fc.record({
      names: fc.constant(names),
      one: fc.constantFrom(...names),
      other: fc.constantFrom(...names),
    }),
  );

  it('finds every choice in every decoration', () => {
    const decorations = fc.constantFrom(
      ...['{}', '{}.', ' {}\n', '"{}"', '**{}**', '`{}`', '“{}.”', 'Answer: {}', '**Answer**: "{}".', '({})'],
      '{}, because it is',
    );
    fc.assert(
      fc.property(picked, decorations, fc.boolean(), ({ names, one }, decoration, isLoud) => {
        const answer = decoration.replace('{}', isLoud ? one.toUpperCase() : one);
        fc.pre(!names.some((name) => /\b(?:it|is)\b/.test(name)));
        expect(read(answer, names).choice).toBe(one);
      }),
    );
  });

  it('never chooses when two are named, or one is negated', () => {
    const doubts = fc.constantFrom(
      ...['{} and []', '{} or []', '{}, []', '{}/[]', '{}\n[]', '{}. []', '{}; []', 'both {} and []'],
      ...['neither {} nor []', 'either {} or []', 'not {}', '{}, not []', '{}, because []', '{} ... []'],
    );
    fc.assert(
      fc.property(picked, doubts, ({ names, one, other }, doubt) => {
        const answer = doubt.replace('{}', one).replace('[]', other);
        fc.pre(one !== other && !names.includes(answer));
        expectRefused(answer, names);
      }),
    );
  });
});
