import { EvaluationError, InvalidArgumentError, describeValue } from '../errors.js';

/** The judge's answer matches no choice, or more than one. */
export class JudgeAnswerError extends EvaluationError {
  readonly code = 'EVALUATION_JUDGE_ANSWER';

  constructor(
    /** The judge's answer. */
    readonly answer: string,
    readonly choices: readonly string[],
  ) {
    super(
      `The judge answered ${describeValue(answer)}; expected one of: ${choices.join(', ')}. ` +
        'In the prompt, ask for one of them without other text, or return an object with `choice` and `explanation`.',
    );
  }
}

export interface ReadChoice {
  /** As written in `choices`. */
  choice: string;
  /** The text after the choice; absent if empty. */
  explanation?: string;
}

interface Choice {
  name: string;
  /** Without markup; empty if the name is only markup. */
  plain: string;
  /** Another choice has the same `plain`, so only the exact name matches. */
  isAmbiguous: boolean;
}

const LEAD_IN =
  /^(?:(?:the|my|final|overall)\s+)*(?:answer|verdict|choice|label|score|rating|grade|judge?ment|decision|result)(?:\s+is\b\s*:?|\s*[:=])\s*/u;
const OPENING = /^[\s([{<]+/u;
/** What may follow a choice: the end, punctuation or a new line, but not another word, `1.5` or `yes/no`. */
const CLOSING =
  /^[)\]}>]*(?:$|[.!]+(?=[\s)\]}>]|$)[)\]}>]*|[,;:](?=\s|$)|\s*\n|\s+[-–—]+\s|—|\s+(?=\()|\s+(?=(?:because|since)\b))/u;
const REASON = /^[\s(]*(?:because|since)\b/u;
/** The answer continues and qualifies the choice. */
const HEDGE =
  /^[\s(]*(?:but|or|not|no[rt]?|though|although|however|except|unless|if|maybe|perhaps|actually|wait|rather|mostly|almost|partly|partially)\b/u;

/** Reads the choice in a judge's answer, if it is unambiguous. */
export class ChoiceReader {
  private readonly choices: readonly Choice[];

  /** @throws InvalidArgumentError when there is no choice, or two differ only by case or white space */
  constructor(names: readonly string[]) {
    if (names.length === 0)
      throw new InvalidArgumentError('choices', 'is empty', 'Write it like { yes: 1, no: 0 }.');
    const plains = names.map(withoutMarkup);
    for (const [index, name] of names.entries()) {
      const other = names.slice(0, index).find((before) => exactly(before) === exactly(name));
      if (other === undefined) continue;
      throw new InvalidArgumentError(
        'choices',
        `has ${describeValue(other)} and ${describeValue(name)}, which differ by case or white space only`,
        'Remove one of them.',
      );
    }
    this.choices = names.map((name, index) => {
      const plain = plains[index] ?? '';
      return { name, plain, isAmbiguous: plains.filter((text) => text === plain).length > 1 };
    });
  }

  /**
   * Ignores case, white space, quotation marks, Markdown, a lead-in such as `Answer:`, punctuation and an explanation after the choice.
   * Rejects an answer that names another choice later, qualifies the first one, or starts with anything else.
   *
   * @throws JudgeAnswerError
   */
  read(answer: string): ReadChoice {
    const named = this.choices.find(({ name }) => exactly(name) === exactly(answer));
    if (named !== undefined) return { choice: named.name };
    const text = withoutMarkup(answer).replace(OPENING, '');
    const read = this.readStart(text) ?? this.readStart(text.replace(LEAD_IN, '').replace(OPENING, ''));
    if (read === undefined)
      throw new JudgeAnswerError(
        answer,
        this.choices.map(({ name }) => name),
      );
    const explanation = explanationIn(answer, read.rest);
    return { choice: read.choice.name, ...(explanation !== '' && { explanation }) };
  }

  private readStart(text: string): { choice: Choice; rest: string } | undefined {
    // The longest match wins: `partly right` is not `partly`.
    const [choice] = this.choices
      .filter(({ plain }) => plain !== '' && isAtStart(text, plain))
      .sort((a, b) => b.plain.length - a.plain.length);
    if (choice === undefined || choice.isAmbiguous) return undefined;
    const behind = text.slice(choice.plain.length);
    const closing = CLOSING.exec(behind)?.[0];
    if (closing === undefined) return undefined;
    const rest = behind.slice(closing.length);
    return this.isDoubtful(choice, rest) ? undefined : { choice, rest };
  }

  /** Whether the text after a choice is more than a reason. */
  private isDoubtful(choice: Choice, rest: string): boolean {
    const isReason = REASON.test(rest);
    if (!isReason && HEDGE.test(rest)) return true;
    return this.choices.some((other) => {
      if (other === choice || other.plain === '') return false;
      const isPart = choice.plain.includes(other.plain);
      const searched = isPart ? rest.replaceAll(choice.plain, '\u0000') : rest;
      // A reason may contain a choice as a word (`because there is no error`), but not as its own clause.
      return (
        searched.search(asWord(other.plain, isReason ? String.raw`\s*(?:[^\s\p{L}\p{N}]|$)` : '')) !== -1
      );
    });
  }
}

function exactly(text: string): string {
  return text.trim().toLowerCase();
}

function withoutMarkup(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[*`"“”„«»]/gu, '')
    .replace(/(?<![\p{L}\p{N}])['‘’_]+|['‘’_]+(?![\p{L}\p{N}])/gu, '')
    .replace(/[^\S\n]+/gu, ' ')
    .replace(/ ?\n\s*/gu, '\n')
    .trim();
}

function isAtStart(text: string, choice: string): boolean {
  return text.startsWith(choice) && asWord(choice).exec(text)?.index === 0;
}

function asWord(text: string, followedBy = ''): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])${followedBy}`, 'u');
}

/** The explanation as the judge wrote it if it can be located, else as normalized. */
function explanationIn(answer: string, rest: string): string {
  const length = rest.trim().length;
  const written = answer.trim().slice(-length);
  return length > 0 && written.toLowerCase() === rest.trim() ? written : rest.trim();
}
