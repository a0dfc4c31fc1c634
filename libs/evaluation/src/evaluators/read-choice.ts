import { EvaluationError, InvalidArgumentError, tell } from '../errors.js';

/** A judge answered with none of its choices, or with more than one: it has not judged. */
export class JudgeAnswerError extends EvaluationError {
  readonly code = 'EVALUATION_JUDGE_ANSWER';

  constructor(
    /** The text that was read. */
    readonly answer: string,
    readonly choices: readonly string[],
  ) {
    super(
      `The judge answered ${tell(answer)}; expected one of: ${choices.join(', ')}. ` +
        'Ask for one of them alone in the prompt, or return an object with `choice` and `explanation`.',
    );
  }
}

export interface ReadChoice {
  /** As it is written in `choices`. */
  choice: string;
  /** What the judge said after it; absent when that is nothing. */
  explanation?: string;
}

interface Choice {
  name: string;
  /** Without markup; empty where the name is nothing else. */
  plain: string;
  /** Another choice has the same `plain`: only the exact name is this one. */
  isAmbiguous: boolean;
}

const LEAD_IN =
  /^(?:(?:the|my|final|overall)\s+)*(?:answer|verdict|choice|label|score|rating|grade|judge?ment|decision|result)(?:\s+is\b\s*:?|\s*[:=])\s*/u;
const OPENING = /^[\s([{<]+/u;
/** What may follow a choice: the end, punctuation or a new line, but neither a further word nor `1.5` or `yes/no`. */
const CLOSING =
  /^[)\]}>]*(?:$|[.!]+(?=[\s)\]}>]|$)[)\]}>]*|[,;:](?=\s|$)|\s*\n|\s+[-–—]+\s|—|\s+(?=\()|\s+(?=(?:because|since)\b))/u;
const REASON = /^[\s(]*(?:because|since)\b/u;
/** The answer goes on, and takes back what it began with. */
const HEDGE =
  /^[\s(]*(?:but|or|not|no[rt]?|though|although|however|except|unless|if|maybe|perhaps|actually|wait|rather|mostly|almost|partly|partially)\b/u;

/** Reads which of its choices a judge named, as far as that is beyond doubt. */
export class ChoiceReader {
  private readonly choices: readonly Choice[];

  /** @throws InvalidArgumentError when there is no choice, or two differ by case or white space only */
  constructor(names: readonly string[]) {
    if (names.length === 0)
      throw new InvalidArgumentError('choices', 'is empty', 'Write it like { yes: 1, no: 0 }.');
    const plains = names.map(withoutMarkup);
    for (const [index, name] of names.entries()) {
      const other = names.slice(0, index).find((before) => exactly(before) === exactly(name));
      if (other === undefined) continue;
      throw new InvalidArgumentError(
        'choices',
        `has ${tell(other)} and ${tell(name)}, which differ by case or white space only`,
        'Leave one of them out.',
      );
    }
    this.choices = names.map((name, index) => {
      const plain = plains[index] ?? '';
      return { name, plain, isAmbiguous: plains.filter((text) => text === plain).length > 1 };
    });
  }

  /**
   * Case, white space, quotation marks, Markdown, a lead-in such as `Answer:`, punctuation and an explanation behind the choice do not
   * matter. An answer that goes on with another choice, takes the first one back or begins with anything else is none.
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
    // The longest one counts: `partly right` is not `partly`.
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

  /** Whether what follows a choice says anything else than why. */
  private isDoubtful(choice: Choice, rest: string): boolean {
    const isReason = REASON.test(rest);
    if (!isReason && HEDGE.test(rest)) return true;
    return this.choices.some((other) => {
      if (other === choice || other.plain === '') return false;
      const isPart = choice.plain.includes(other.plain);
      const searched = isPart ? rest.replaceAll(choice.plain, '\u0000') : rest;
      // In a reason `no` may be a word among others, as in `because there is no error`, but not a clause of its own.
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

/** The explanation as the judge wrote it, where it can be found again; else as it was read. */
function explanationIn(answer: string, rest: string): string {
  const length = rest.trim().length;
  const written = answer.trim().slice(-length);
  return length > 0 && written.toLowerCase() === rest.trim() ? written : rest.trim();
}
