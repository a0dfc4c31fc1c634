/** What the stand-in knows without a prompt: which words belong to which label. */
export const GENERAL_KNOWLEDGE: Readonly<Record<string, string>> = {
  order: 'parcel delivery shipped arrive late',
  billing: 'invoice payment',
  technical: 'bug crash error sdk cli webhook',
  account: 'password login',
  high: 'urgent immediately',
  refund: 'charged twice money back cancel',
  replacement: 'broken damaged lost new',
  repair: 'blink fails error throws down',
  sdk: 'library typescript import install npm code',
  cli: 'command terminal shell flag',
  api: 'endpoint webhook request rate limit token http 401 429',
  handbook: 'order parcel return refund invoice warranty account password delivery blink cancel',
};

/** What a label becomes that nothing speaks for or against. */
export const NEUTRAL_LABELS: readonly string[] = ['other', 'normal', 'information', 'Lumen handbook'];
