import type { TextMasker } from '@dacapo/protocol';

/** Longer texts seldom repeat. */
const LONGEST = 64;
const MOST = 8192;

/** Masks texts, and remembers short ones without secrets: names of attributes, roles, models and hosts repeat in many spans. */
export class RememberedTexts {
  private readonly harmless = new Set<string>();

  constructor(private readonly texts: TextMasker) {}

  mask(text: string): string {
    if (this.harmless.has(text)) return text;
    const masked = this.texts.mask(text);
    if (masked === text && text.length <= LONGEST) {
      if (this.harmless.size >= MOST) this.harmless.clear();
      this.harmless.add(text);
    }
    return masked;
  }
}
