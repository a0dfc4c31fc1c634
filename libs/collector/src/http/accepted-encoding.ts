/** Supported content encodings, the preferred one first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * Chooses the encoding with the highest weight in `Accept-Encoding` (RFC 9110, 12.5.3). Of equal weights, our preferred one wins.
 *
 * @param available the encodings that this content exists in
 * @returns `undefined` to send the body without encoding, which is always allowed
 */
export function preferredEncoding(
  accepted: string | string[] | undefined,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map(readEntry),
  );
  const findWeight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Encoding | undefined;
  let weight = weights.get('identity') ?? 0;
  for (const name of ENCODINGS) {
    if (!available.includes(name)) continue;
    const own = findWeight(name);
    if (own > weight || (own === weight && own > 0 && best === undefined)) {
      best = name;
      weight = own;
    }
  }
  return best;
}

function readEntry(entry: string): [string, number] {
  const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
