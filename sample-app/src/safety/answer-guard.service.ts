import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';

export interface Verdict {
  readonly allowed: boolean;
  readonly reasons: readonly string[];
}

const RULES: readonly { readonly reason: string; readonly forbids: RegExp }[] = [
  { reason: 'shows a card number', forbids: /\b(?:\d[ -]?){13,16}\b/ },
  { reason: 'repeats a password', forbids: /\byour password (?:is|was)\b/i },
  { reason: 'mentions the law', forbids: /\b(?:by law|legal|lawyer)\b/i },
  {
    reason: 'makes a promise that only staff may make',
    forbids: /\b(?:guarantee|compensation|free of charge for life)\b/i,
  },
];

/** Blocks answers that must not reach a customer. */
@Injectable()
export class AnswerGuardService {
  @Traced('check-answer', { type: 'guardrail' })
  check(answer: string): Verdict {
    const broken = RULES.filter(({ forbids }) => forbids.test(answer)).map(({ reason }) => reason);
    const reasons = answer.trim() === '' ? ['is empty', ...broken] : broken;
    return { allowed: reasons.length === 0, reasons };
  }
}
