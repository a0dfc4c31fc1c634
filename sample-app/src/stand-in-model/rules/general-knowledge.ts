/** Words that the stand-in associates with each label, without a prompt. */
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

/** Labels for texts that match no label. */
export const NEUTRAL_LABELS: readonly string[] = ['other', 'normal', 'information', 'Lumen handbook'];
