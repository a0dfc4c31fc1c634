import { InvalidArgumentError, tell } from '../errors.js';
import { checkConfidence, DEFAULT_CONFIDENCE, type Interval } from './interval.js';
import { tQuantile } from './student-t.js';

/** What one rater says of an item: a category. Numbers are categories too, not amounts. */
export type Rating = string | number | boolean;

/** How far two raters agree beyond chance. */
export interface Agreement {
  /** Items that both rated. */
  n: number;
  /** The share of them on which both say the same, 0 to 1; 0 of no items. */
  agreed: number;
  /** The share on which they would say the same by chance, given how often each one says what. */
  agreedByChance: number;
  /** Cohen's kappa: 1 is full agreement, 0 what chance gives, below 0 less than that. `null` where it is undefined: see `reason`. */
  kappa: number | null;
  /** Absent where `kappa` is `null`, and of one item. */
  interval?: Interval;
  /** Why there is no kappa, a sentence. */
  reason?: string;
}

/** Pairs that are added to the table, evenly over its cells: see `cohensKappa`. */
const ADDED_PAIRS = 2;

/**
 * Cohen's kappa of two raters, such as a judge and a person, over the items that both rated. Categories are equal or not: order and
 * distance do not count. `1`, `'1'` and `true` are three categories. Where both raters use one and the same category only, or there is no
 * item, kappa is undefined (0/0).
 *
 * The interval is kappa ± t · SE of the table with two more pairs spread evenly over its cells, within -1 to 1. Without
 * them the standard error is 0 once both agree on everything, and the interval covers the true kappa far too rarely. With them and
 * 10 to 100 items it covers it in 91 to 99 % of simulations at 95 % (2, 3 or 5 categories, even or rare).
 * Items count as independent.
 *
 * Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960; J. Fleiss, J. Cohen
 * and B. Everitt, "Large sample standard errors of kappa and weighted kappa", Psychological Bulletin 72, 1969, for the standard error;
 * A. Agresti and B. Coull, "Approximate is better than exact for interval estimation of binomial proportions", The American Statistician
 * 52, 1998, for added observations.
 *
 * @param pairs what each of the two says of one item
 * @param confidence default 0.95
 * @throws InvalidArgumentError when a rating is not a text, a boolean or a number, or is NaN
 */
export function cohensKappa(
  pairs: Iterable<readonly [Rating, Rating]>,
  confidence: number = DEFAULT_CONFIDENCE,
): Agreement {
  checkConfidence(confidence);
  const { counts, n } = countPairs(pairs);
  if (n === 0) return { n, agreed: 0, agreedByChance: 0, kappa: null, reason: 'No item has two ratings.' };
  const { agreed, agreedByChance, kappa } = kappaOf(counts.map((row) => row.map((count) => count / n)));
  if (counts.length === 1) {
    const reason = 'Both raters put every item into one category, so that chance explains their agreement.';
    return { n, agreed, agreedByChance, kappa: null, reason };
  }
  const interval = n === 1 ? undefined : intervalOf(counts, n, confidence);
  return { n, agreed, agreedByChance, kappa, ...(interval && { interval }) };
}

/** How often the first rater said the row's category and the second one the column's. */
function countPairs(pairs: Iterable<readonly [Rating, Rating]>): { counts: number[][]; n: number } {
  const indexes = new Map<Rating, number>();
  const indexOf = (rating: unknown): number => {
    if (!isRating(rating))
      throw new InvalidArgumentError(
        'pairs',
        `has the rating ${tell(rating)}`,
        'Ratings are texts, numbers and booleans. Leave out items that one of the two did not rate.',
      );
    const index = indexes.get(rating) ?? indexes.size;
    indexes.set(rating, index);
    return index;
  };
  const indexed = Array.from(pairs, ([one, other]) => [indexOf(one), indexOf(other)] as const);
  const counts = Array.from(indexes, () => Array.from(indexes, () => 0));
  for (const [row, column] of indexed) {
    const cells = counts[row];
    if (cells !== undefined) cells[column] = (cells[column] ?? 0) + 1;
  }
  return { counts, n: indexed.length };
}

function isRating(value: unknown): value is Rating {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && !Number.isNaN(value))
  );
}

interface Kappa {
  agreed: number;
  agreedByChance: number;
  kappa: number;
  /** How often each rater says each category. */
  rows: number[];
  columns: number[];
}

/** @param shares of each cell, which add up to 1 */
function kappaOf(shares: readonly (readonly number[])[]): Kappa {
  const rows = shares.map(sumOf);
  const columns = shares.map((_, column) => sumOf(shares.map((row) => row[column] ?? 0)));
  const agreed = Math.min(1, sumOf(shares.map((row, index) => row[index] ?? 0)));
  const agreedByChance = sumOf(rows.map((row, index) => row * (columns[index] ?? 0)));
  return { agreed, agreedByChance, kappa: (agreed - agreedByChance) / (1 - agreedByChance), rows, columns };
}

function intervalOf(counts: readonly (readonly number[])[], n: number, confidence: number): Interval {
  const added = ADDED_PAIRS / counts.length ** 2;
  const total = n + ADDED_PAIRS;
  const shares = counts.map((row) => row.map((count) => (count + added) / total));
  const { kappa, agreedByChance, rows, columns } = kappaOf(shares);
  const gap = 1 - kappa;
  // The large-sample variance of Fleiss, Cohen and Everitt, without weights.
  const squares = shares.flatMap((row, i) =>
    row.map((share, j) => {
      const margins = i === j ? (rows[i] ?? 0) + (columns[i] ?? 0) : (columns[i] ?? 0) + (rows[j] ?? 0);
      return share * (i === j ? 1 - margins * gap : margins * gap) ** 2;
    }),
  );
  const spread = sumOf(squares) - (kappa - agreedByChance * gap) ** 2;
  const error = Math.sqrt(Math.max(0, spread) / total) / (1 - agreedByChance);
  const margin = tQuantile((1 + confidence) / 2, n - 1) * error;
  return { low: Math.max(-1, kappa - margin), high: Math.min(1, kappa + margin) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
