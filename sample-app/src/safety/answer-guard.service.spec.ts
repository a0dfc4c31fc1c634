import { AnswerGuardService } from './answer-guard.service.js';

describe('the answer guard', () => {
  const guard = new AnswerGuardService();

  it('allows a plain answer', () => {
    expect(guard.check('Order LM-1042 arrives on Thursday before noon.')).toEqual({
      allowed: true,
      reasons: [],
    });
  });

  it.each([
    ['', 'is empty'],
    ['We charged card 4111 1111 1111 1111 once.', 'shows a card number'],
    ['Your password is sunshine.', 'repeats a password'],
    ['Invoices are kept for ten years by law.', 'mentions the law'],
    ['We guarantee delivery tomorrow.', 'makes a promise that only staff may make'],
  ])('blocks %j because it %s', (answer, reason) => {
    expect(guard.check(answer)).toEqual({ allowed: false, reasons: [reason] });
  });
});
