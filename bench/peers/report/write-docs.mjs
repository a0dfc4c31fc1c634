import { readFile, writeFile } from 'node:fs/promises';

const DOCS = new URL('../../../docs/benchmarks.md', import.meta.url);
const FIGURES = /(<!-- figures: npm run bench:peers -- --write-docs -->\n)[^]*(<!-- end of figures -->)/;

/** Replaces the figures in docs/benchmarks.md with those of this run. */
export async function writeDocs(figures) {
  const page = await readFile(DOCS, 'utf8');
  if (!FIGURES.test(page))
    throw new Error('docs/benchmarks.md has no markers for figures. Restore its two comments.');
  await writeFile(
    DOCS,
    page.replace(FIGURES, (_, begin, end) => `${begin}\n${figures}\n\n${end}`),
  );
}
