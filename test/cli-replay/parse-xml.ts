export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

type Open = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string };

const TOKEN = /<\?[^?]*\?>|<\/([\w-]+)>|<([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;

/** Parses elements, attributes and text. @throws Error if the document is not well-formed */
export function parseXml(document: string): XmlElement {
  const root: Open = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(document);
    if (token === null) throw new Error(`not well-formed at ${at}: ${document.slice(at, at + 40)}`);
    const [, closed, opened, attributes = '', isEmpty, text] = token;
    const current = open.at(-1)!;
    if (text !== undefined) current.text += unescape(text);
    if (closed !== undefined && open.pop()!.name !== closed) throw new Error(`</${closed}> closes another`);
    if (opened === undefined) continue;
    const element: Open = { name: opened, attributes: parseAttributes(attributes), children: [], text: '' };
    current.children.push(element);
    if (isEmpty !== '/') open.push(element);
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || only === undefined || others.length > 0) throw new Error('one root, and closed');
  return only;
}

/** All descendants with this name, in order. */
export function findElements(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...findElements(child, name),
  ]);
}

function parseAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescape(value)]),
  );
}

function unescape(text: string): string {
  return text.replace(/&#(\d+);|&(\w+);|&/g, (reference, code: string | undefined) => {
    if (code === undefined) throw new Error(`invalid reference ${reference}`);
    return String.fromCodePoint(Number(code));
  });
}
