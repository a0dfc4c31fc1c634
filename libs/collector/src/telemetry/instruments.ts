/** Values of labels, by name. Whoever sets them sees to it that there are few. */
export type Labels = Readonly<Record<string, string>>;

export interface Instrument {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Names of its labels. */
  readonly labels: readonly string[];
  /** In the text format of Prometheus, each without a line break. */
  samples(): Iterable<string>;
}

abstract class Series {
  protected readonly values = new Map<string, { labels: Labels; value: number }>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labels: readonly string[] = [],
  ) {}

  *samples(): Iterable<string> {
    for (const { labels, value } of this.values.values()) yield sample(this.name, labels, value);
  }

  protected at(labels: Labels): { value: number } {
    const id = this.labels.map((name) => labels[name] ?? '').join('\n');
    let found = this.values.get(id);
    if (found === undefined) this.values.set(id, (found = { labels, value: 0 }));
    return found;
  }
}

/** Only grows. One without labels begins at 0; a label's value is there once it was counted. */
export class Counter extends Series implements Instrument {
  readonly type = 'counter';

  constructor(...series: ConstructorParameters<typeof Series>) {
    super(...series);
    if (this.labels.length === 0) this.at({});
  }

  add(amount: number, labels: Labels = {}): void {
    this.at(labels).value += amount;
  }
}

/** A current value. A gauge without a value is not exported. */
export class Gauge extends Series implements Instrument {
  readonly type = 'gauge';

  set(value: number, labels: Labels = {}): void {
    this.at(labels).value = value;
  }

  add(amount: number): void {
    this.at({}).value += amount;
  }

  /** A value that is not known at the moment is not exported. */
  clear(): void {
    this.values.clear();
  }
}

/** How often a value was at most so large, by its one label. */
export class Histogram implements Instrument {
  readonly type = 'histogram';
  readonly labels: readonly string[];
  private readonly series = new Map<string, { counts: number[]; sum: number }>();

  /** @param bounds ascending */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly label: string,
    private readonly bounds: readonly number[],
  ) {
    this.labels = [label];
  }

  observe(value: number, labelled: string): void {
    let series = this.series.get(labelled);
    if (series === undefined) {
      series = { counts: Array.from({ length: this.bounds.length + 1 }, () => 0), sum: 0 };
      this.series.set(labelled, series);
    }
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    const at = bucket === -1 ? this.bounds.length : bucket;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += value;
  }

  *samples(): Iterable<string> {
    for (const [labelled, { counts, sum }] of this.series) {
      const labels = { [this.label]: labelled };
      let count = 0;
      for (const [at, own] of counts.entries()) {
        count += own;
        const le = at < this.bounds.length ? String(this.bounds[at]) : '+Inf';
        yield sample(`${this.name}_bucket`, { ...labels, le }, count);
      }
      yield sample(`${this.name}_sum`, labels, sum);
      yield sample(`${this.name}_count`, labels, count);
    }
  }
}

/** The text format of Prometheus, version 0.0.4. Metrics without samples are skipped. */
export function exposition(instruments: Iterable<Instrument>): string {
  let text = '';
  for (const instrument of instruments) {
    const lines = [...instrument.samples()];
    if (lines.length === 0) continue;
    const { name, help, type } = instrument;
    text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
    text += `${lines.join('\n')}\n`;
  }
  return text;
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  const number = Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN';
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
