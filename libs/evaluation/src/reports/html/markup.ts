/** Escaped markup, made by {@link element}. */
export class Markup {
  constructor(readonly html: string) {}
}

export type Content = Markup | string | readonly Content[];

/** Creates an element. Escapes texts and attribute values. Omits `undefined` attributes. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  ...content: readonly Content[]
): Markup {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeHtml(value)}"`],
  );
  const open = `<${name}${written.join('')}>`;
  return new Markup(VOID.has(name) ? open : `${open}${render(content)}</${name}>`);
}

const VOID = new Set(['meta', 'input']);

export function render(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content);
  return content instanceof Markup ? content.html : content.map(render).join('');
}

/** Also removes control characters, except line breaks and tabs, and bidirectional overrides. */
function escapeHtml(text: string): string {
  return text
    .replace(/[\u2028\u2029\u202a-\u202e\u2066-\u2069]|[^\n\t\P{Cc}]/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A link; empty unless the URL is http(s). */
export function webLink(text: string, url: string | undefined): Content {
  if (url === undefined || !/^https?:\/\//.test(url)) return [];
  return element('a', { href: url, rel: 'noreferrer' }, text);
}
