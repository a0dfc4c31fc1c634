/** A text as a literal of JavaScript, in printable ASCII. Recorded texts become code in no other way. */
export function toLiteral(text: string): string {
  const escaped = text.replace(
    /[^ -~]|['\\]/g,
    (character) =>
      ESCAPES[character] ??
      Array.from({ length: character.length }, (_, at) => toUnicode(character.charCodeAt(at))).join(''),
  );
  return `'${escaped}'`;
}

const ESCAPES: Readonly<Record<string, string>> = { "'": "\\'", '\\': '\\\\', '\n': '\\n' };

function toUnicode(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
