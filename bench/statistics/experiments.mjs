import { Random } from '@dacapo/evaluation';

const random = new Random(20261123);
export const uniform = () => (random.nextUint32() + 0.5) / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const logistic = (x) => 1 / (1 + Math.exp(-x));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The session of each of `n` items. */
export const SESSIONS = {
  independent: (n) => Array.from({ length: n }, (_, item) => item),
  equal: (n) => Array.from({ length: n }, (_, item) => Math.floor(item / (n < 20 ? 2 : 4))),
  'one big': (n) => Array.from({ length: n }, (_, item) => (item < n / 2 ? 0 : item)),
  unequal(n) {
    const sessions = [];
    for (let session = 0; sessions.length < n; session += 1)
      for (let item = 0; item < 2 ** (session % 4) && sessions.length < n; item += 1) sessions.push(session);
    return sessions;
  },
};

/** One measurement of an item; `level` says how easy the item is. */
export const MEASURES = {
  binary: (level) => (uniform() < logistic(1.5 + 1.2 * level) ? 1 : 0),
  ordinal: (level) => Math.min(4, Math.max(0, Math.round(2.8 + level + 0.7 * normal()))) / 4,
  continuous: (level) => logistic(0.6 + 0.6 * level + 0.5 * normal()),
  skewed: (level) => 1 - Math.min(1, 0.06 * Math.exp(0.6 * level + 0.8 * normal())),
  cost: (level) => Math.exp(0.5 * level + 0.7 * normal()),
  p95: (level) => 100 * Math.exp(0.5 * level + 0.5 * normal()),
};

/** Baseline and candidate of unchanged code. Items of one session are correlated. Without `noise`, both are equal. */
export function drawPairs(measure, sessions, noise = true) {
  const moods = () => sessions.map(() => 0.5 * normal());
  const [lasting, items] = [moods(), sessions.map(() => 0.7 * normal())];
  const measureAll = () => {
    const passing = moods();
    return sessions.map((session, item) => measure(items[item] + lasting[session] + passing[session]));
  };
  const baseline = measureAll();
  return { baseline, candidate: noise ? measureAll() : [...baseline] };
}

/** Scale of a change: the mean, or the 95th percentile of `n` items. */
export function findScale(kind, n) {
  const experiments = Array.from(
    { length: 1000 },
    () => drawPairs(MEASURES[kind], SESSIONS.independent(n)).baseline,
  );
  return kind === 'p95' ? mean(experiments.map(findP95)) : mean(experiments.flat());
}

function findP95(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = 0.95 * (sorted.length - 1);
  const low = sorted[Math.floor(place)];
  return low + (sorted[Math.ceil(place)] - low) * (place % 1);
}

const loseShare = (values, isHit) => values.map((value, item) => (isHit(item) ? 0 : value));

/** Regressions of exactly `d` in expectation. Scores lose points; costs and durations rise by a share of their scale. */
export const CHANGES = {
  'some items break': (values, { d, scale }) => loseShare(values, () => uniform() < d / scale),
  'some sessions break'(values, { d, scale, sessions }) {
    const isBroken = sessions.map(() => uniform() < d / scale);
    return loseShare(values, (item) => isBroken[sessions[item]]);
  },
  'every item shifts': (values, { d }) => values.map((value) => value - d),
  'every item shifts up': (values, { d, scale }) => values.map((value) => value + d * scale),
  'more get worse than better': (values, { d, scale }) =>
    loseShare(values, () => uniform() < (2 * d) / scale).map((value) =>
      uniform() < d / (1 - scale + 2 * d) ? 1 : value,
    ),
  'every item shrinks': (values, { d, scale }) => values.map((value) => value * (1 - d / scale)),
  'every item grows': (values, { d }) => values.map((value) => value * (1 + d)),
  'the slow ones get slower': (values, { d, scale }) =>
    values.map((value) => (value > 0.7 * scale ? value + d * scale : value)),
};

const BREAKS = ['some items break', 'some sessions break'];

/** Realistic changes: a score of only 0 and 1 cannot shrink, and a broken item costs nothing. */
export const CHANGES_OF = {
  binary: [...BREAKS, 'more get worse than better'],
  ordinal: [...BREAKS, 'every item shrinks'],
  continuous: [...BREAKS, 'every item shifts', 'every item shrinks'],
  skewed: [...BREAKS, 'every item shifts', 'every item shrinks'],
  cost: ['every item shifts up', 'every item grows'],
  p95: ['every item shifts up', 'every item grows', 'the slow ones get slower'],
};
