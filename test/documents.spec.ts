import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes/program.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const documentsBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...documentsBelow('docs'),
  'sample-app/README.md',
  ...readdirSync(join(ROOT, 'libs'))
    .map((name) => join('libs', name, 'README.md'))
    .filter((path) => existsSync(join(ROOT, path))),
];

/** Of every heading, the name that GitHub gives its place. */
const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to files and headings that exist', () => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const dead = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? document : join(document, '..', path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });
});
