import { AnswerGuardService } from './answer-guard.service.js';

describe('the answer guard', () => {
  const guard = new AnswerGuardService();

  it('lets a plain answer out', () => {
    expect(guard.check('Order LM-1042 arrives on Thursday before noon.')).toEqual({
      allowed: true,
      reasons: [],
    });
  });

  it.each([
    ['', 'says nothing'],
    ['We charged card 4111 1111 1111 1111 once.', 'shows a card number'],
    ['Your password is sunshine.', 'repeats a password'],
    ['Invoices are kept for ten years by law.', 'speaks of the law'],
    ['We guarantee delivery tomorrow.', 'promises what only a person may'],
  ])('stops %j: it %s', (answer, reason) => {
    expect(guard.check(answer)).toEqual({ allowed: false, reasons: [reason] });
  });
});
