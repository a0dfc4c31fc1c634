const formatters = new Map<number, Intl.NumberFormat>();

/** `$0`, `$0.0000021`, `$0.012`, `$4.50`, `$1,234.50`: two significant digits below ten cents, else two decimals. */
export function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  const digits = costUsd < 0.095 ? Math.min(12, 1 - Math.floor(Math.log10(costUsd))) : 2;
  return `$${withDigits(digits).format(costUsd)}`;
}

/** A formatter for each number of digits: making one takes longer than using it. */
function withDigits(digits: number): Intl.NumberFormat {
  const known = formatters.get(digits);
  if (known !== undefined) return known;
  const formatter = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formatters.set(digits, formatter);
  return formatter;
}

/** `+$0.0012` or `−$0.0012`: candidate minus baseline. */
export function formatCostChange(baselineUsd: number, candidateUsd: number): string {
  const change = candidateUsd - baselineUsd;
  return `${change < 0 ? '−' : '+'}${formatCost(Math.abs(change))}`;
}
