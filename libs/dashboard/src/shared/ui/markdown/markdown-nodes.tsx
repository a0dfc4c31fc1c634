import Markdown, { type MarkdownToJSX } from 'markdown-to-jsx/react';
import type { ReactNode } from 'react';
import styles from './markdown.module.css';

const Heading = ({ children }: { children?: ReactNode }) => <p className={styles.heading}>{children}</p>;

/** The page loads nothing from other hosts. */
const Image = ({ src, alt = '' }: { src?: string; alt?: string }) => <Anchor href={src}>{alt || src}</Anchor>;

/** Recorded links may lead anywhere: only web addresses are links. */
function Anchor({ href = '', children }: { href?: string | undefined; children?: ReactNode }) {
  if (!/^https?:\/\//.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

const Check = ({ checked = false }: { checked?: boolean }) => (checked ? '☑' : '☐');

const OPTIONS: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  disableAutoLink: true,
  forceBlock: true,
  forceWrapper: true,
  wrapper: 'div',
  overrides: {
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, Heading])),
    a: Anchor,
    img: Image,
    input: Check,
  },
};

/** Markdown as React nodes. HTML in it is text. */
export function MarkdownNodes({ text }: { text: string }) {
  return (
    <div className={styles.nodes}>
      <Markdown options={OPTIONS}>{text}</Markdown>
    </div>
  );
}
