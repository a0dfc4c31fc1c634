/** What a person is told when a step failed: what it was, why, and what to do about it. */
export class StartFailure extends Error {
  constructor(what, why, cure) {
    super(what);
    this.why = why;
    this.cure = cure;
  }

  get text() {
    return `\n${this.message}:\n\n${this.why.trim().replace(/^/gm, '    ')}\n\n${this.cure}\n`;
  }
}
