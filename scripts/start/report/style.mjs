const isColored = process.stdout.isTTY && !process.env.NO_COLOR;

export const bold = (text) => (isColored ? `\x1b[1m${text}\x1b[22m` : text);
export const dim = (text) => (isColored ? `\x1b[2m${text}\x1b[22m` : text);

export function cut(text, width) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
