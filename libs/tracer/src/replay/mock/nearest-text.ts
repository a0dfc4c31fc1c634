/** Characters to compare at a time: prompts share long beginnings, which takes seconds character by character. */
const BLOCK = 1024;

/** The index of the text that shares the longest beginning and end with `text`; -1 without texts. */
export function nearest(text: string, others: readonly string[]): number {
  let best = -1;
  let most = -1;
  for (const [index, other] of others.entries()) {
    const share = sharedLength(text, other) / Math.max(text.length, other.length, 1);
    if (share <= most) continue;
    best = index;
    most = share;
  }
  return best;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  const head = sharedBeginning(a, b, most);
  return head + sharedEnd(a, b, most - head);
}

function sharedBeginning(a: string, b: string, most: number): number {
  let shared = 0;
  while (shared + BLOCK <= most && a.slice(shared, shared + BLOCK) === b.slice(shared, shared + BLOCK))
    shared += BLOCK;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared;
}

function sharedEnd(a: string, b: string, most: number): number {
  let shared = 0;
  while (shared + BLOCK <= most && blockBefore(a, shared) === blockBefore(b, shared)) shared += BLOCK;
  while (shared < most && a[a.length - 1 - shared] === b[b.length - 1 - shared]) shared++;
  return shared;
}

function blockBefore(text: string, fromEnd: number): string {
  const end = text.length - fromEnd;
  return text.slice(end - BLOCK, end);
}
