import { formatNumber, formatP, plural } from '../gate/words.js';
import type { VariantComparison } from '../statistics/compare-variants.js';

/** `exact: short is better than polite, 0.92 against 0.8 (p = 0.003, n = 50)`, or why there is no decision. */
export function describeComparison(comparison: VariantComparison): string {
  const { score, variants, means, difference, outcome, unpaired, neededItems = 0 } = comparison;
  const [first, second] = variants;
  const [high, low] = means.map(formatNumber);
  const found = `${high} against ${low}`;
  const evidence = `${formatP(difference.p)}, n = ${difference.n}`;
  const lacking = describeUnpaired(variants, unpaired);
  switch (outcome) {
    case 'evidence':
      return `${score}: ${first} is better than ${second}, ${found} (${evidence})${lacking}`;
    case 'unpaired':
      return `${score}: no decision between ${first} and ${second}, ${found} on the items that both scored (${evidence})${lacking}`;
    case 'none':
      return `${score}: no evidence of a difference between ${first} and ${second}, ${found} (${evidence})${lacking}`;
    case 'too_few':
      return `${score}: too few items to compare ${first} with ${second}, ${found} (n = ${difference.n}; at least ${neededItems} needed)${lacking}`;
  }
}

function describeUnpaired(
  [first, second]: VariantComparison['variants'],
  [onlyFirst, onlySecond]: VariantComparison['unpaired'],
): string {
  const parts = [
    ...(onlySecond > 0 ? [`${first} has no score for ${plural(onlySecond, 'item', 'items')}`] : []),
    ...(onlyFirst > 0 ? [`${second} has no score for ${plural(onlyFirst, 'item', 'items')}`] : []),
  ];
  return parts.length === 0 ? '' : `; ${parts.join(', ')}`;
}
