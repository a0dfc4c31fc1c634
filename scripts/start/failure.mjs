/** A failed step: what failed, why, and what to do. */
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
