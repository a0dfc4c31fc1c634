const PREVIEW_LENGTH = 200;

/** The head of a JSON text, for lists. */
export function previewOf(json: string | undefined): string | undefined {
  if (json === undefined || json.length <= PREVIEW_LENGTH) return json;
  const head = json.slice(0, PREVIEW_LENGTH - 1);
  return `${isHighSurrogate(head.charCodeAt(head.length - 1)) ? head.slice(0, -1) : head}…`;
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
