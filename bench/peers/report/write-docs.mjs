import { readFile, writeFile } from 'node:fs/promises';

const DOCS = new URL('../../../docs/benchmarks.md', import.meta.url);
const FIGURES = /(<!-- figures: npm run bench:peers -- --write-docs -->\n)[^]*(<!-- end of figures -->)/;

/** Puts the figures of this run in the place of those in docs/benchmarks.md. */
export async function writeDocs(figures) {
  const page = await readFile(DOCS, 'utf8');
  if (!FIGURES.test(page))
    throw new Error('docs/benchmarks.md has no place for figures. Put its two comments back.');
  await writeFile(
    DOCS,
    page.replace(FIGURES, (_, begin, end) => `${begin}\n${figures}\n\n${end}`),
  );
}
