/** Replaces control characters, because names and texts are data and would reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD');
}
