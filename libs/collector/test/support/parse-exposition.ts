export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const SUFFIXES: Record<string, RegExp> = { histogram: /_(?:bucket|sum|count)$/ };

/**
 * Reads the text format of Prometheus, version 0.0.4, and takes nothing that is not of it.
 *
 * @throws Error that names the line
 */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let open: [name: string, family: Family] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (problem: string): never => {
      throw new Error(`${problem}: ${line}`);
    };
    if (line === '') continue;
    const [, comment, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (comment === 'HELP') {
      if (!NAME.test(name) || families.has(name)) fail('a name that is none, or comes twice');
      families.set(name, { type: '', help: rest, samples: [] });
      continue;
    }
    if (comment === 'TYPE') {
      const family = families.get(name) ?? fail('a type without a help');
      if (family.type !== '' || !['counter', 'gauge', 'histogram'].includes(rest))
        fail('a type that is none');
      if (rest === 'counter' && !name.endsWith('_total')) fail('a counter that is no _total');
      family.type = rest;
      open = [name, family];
      continue;
    }
    const [, sampleName = fail('no sample'), labelText = '', valueText = ''] = SAMPLE.exec(line) ?? [];
    const [familyName, family] = open ?? fail('a sample of no family');
    const suffix = SUFFIXES[family.type];
    if ((suffix ? sampleName.replace(suffix, '') : sampleName) !== familyName)
      fail('a sample of another family');
    if (suffix && !suffix.test(sampleName)) fail('a histogram without a suffix');
    const labels = parseLabels(labelText) ?? fail('labels that are none');
    const value = valueText === '+Inf' ? Infinity : Number(valueText);
    if (Number.isNaN(value) && !/^nan$/i.test(valueText)) fail('no number');
    const id = `${sampleName}${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(id)) fail('a sample that comes twice');
    seen.add(id);
    family.samples.push({ name: sampleName, labels, value });
  }
  for (const [name, { type, samples }] of families) {
    if (type === 'histogram') checkHistogram(name, samples);
  }
  return families;
}

function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined || name in labels) return undefined;
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

function checkHistogram(name: string, samples: Family['samples']): void {
  const others = (labels: Record<string, string>): string =>
    JSON.stringify(Object.entries(labels).filter(([label]) => label !== 'le'));
  for (const series of new Set(samples.map(({ labels }) => others(labels)))) {
    const own = samples.filter(({ labels }) => others(labels) === series);
    const buckets = own.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le } }) => (le === '+Inf' ? Infinity : Number(le)));
    const counts = buckets.map(({ value }) => value);
    const ascends = (numbers: number[]): boolean =>
      numbers.every((n, at) => at === 0 || n >= (numbers[at - 1] ?? 0));
    const count = own.find((one) => one.name === `${name}_count`)?.value;
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== count || !ascends(bounds) || !ascends(counts)) {
      throw new Error(`${name} is no histogram`);
    }
    if (!own.some((one) => one.name === `${name}_sum`)) throw new Error(`${name} has no sum`);
  }
}
