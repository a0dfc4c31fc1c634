/** Decides once for each trace, at its root. */
export class Sampler {
  constructor(
    private readonly rate: number,
    private readonly random: () => number = Math.random,
  ) {}

  decide(): boolean {
    return this.rate >= 1 || this.random() < this.rate;
  }
}
