import { type Content, element, Markup, render } from './markup.js';
import { STYLE, STYLE_HASH } from './style.js';

/** Creates a page whose content security policy allows only its own style sheet. */
export function page(title: string, body: Content): string {
  return `<!doctype html>\n${render(
    element(
      'html',
      { lang: 'en' },
      element(
        'head',
        {},
        element('meta', { charset: 'utf-8' }),
        element('meta', {
          'http-equiv': 'Content-Security-Policy',
          content: `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`,
        }),
        element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
        element('meta', { name: 'color-scheme', content: 'light dark' }),
        element('title', {}, title),
        new Markup(`<style>${STYLE}</style>`),
      ),
      element('body', {}, body),
    ),
  )}\n`;
}

/** Omits empty columns. */
export function tableElement(
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
  name?: string,
): Markup {
  const used = columns.flatMap((_, at) => (rows.some((row) => row[at] !== '') ? [at] : []));
  const line = (cell: 'th' | 'td', cells: readonly Content[]): Markup =>
    element('tr', {}, ...used.map((at) => element(cell, {}, cells[at] ?? '')));
  return element(
    'div',
    { class: 'scroll' },
    element('table', { class: name }, line('th', columns), ...rows.map((row) => line('td', row))),
  );
}
