import { convert, type FormatCallback } from 'html-to-text';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
/** Parts of a page that say nothing of its subject. */
const FURNITURE = [
  'nav',
  'header',
  'footer',
  'aside',
  'script',
  'style',
  'noscript',
  'svg',
  'form',
  'iframe',
  'img',
];

/** What is nested deeper is left out: a page may be made to exhaust the stack. */
const MOST_DEPTH = 200;

const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  builder.addLiteral(`${'#'.repeat(Number(element.name?.slice(1)))} `);
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2 });
};

const codeBlock: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ isPre: true, leadingLineBreaks: 2 });
  builder.addLiteral('```\n');
  walk(element.children, builder);
  builder.addLiteral('\n```');
  builder.closeBlock({ trailingLineBreaks: 2 });
};

/** The text of a page with its headings and code blocks marked as Markdown marks them. Nothing is fetched. */
export function htmlToMarkdown(html: string): string {
  return convert(html, {
    wordwrap: false,
    baseElements: { selectors: ['main', 'article', 'body'], orderBy: 'selectors', returnDomByDefault: true },
    limits: { maxBaseElements: 1, maxDepth: MOST_DEPTH },
    formatters: { heading, codeBlock },
    selectors: [
      ...HEADINGS.map((selector) => ({ selector, format: 'heading' })),
      ...FURNITURE.map((selector) => ({ selector, format: 'skip' })),
      { selector: 'pre', format: 'codeBlock' },
      { selector: 'a', options: { ignoreHref: true } },
    ],
  });
}

/** The page's `<title>`. */
export function titleOfHtml(html: string): string | undefined {
  const title = convert(html, {
    wordwrap: false,
    baseElements: { selectors: ['title'], returnDomByDefault: false },
    limits: { maxBaseElements: 1, maxDepth: MOST_DEPTH },
  });
  return title.trim() === '' ? undefined : title.trim();
}
