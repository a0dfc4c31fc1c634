import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes/program.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const documentsBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    // The site generator is installed in docs/.
    .filter((path) => path.endsWith('.md') && !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .map((path) => join(folder, path));

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...documentsBelow('docs'),
  'deploy/README.md',
  'sample-app/README.md',
  'test/specification.md',
  ...readdirSync(join(ROOT, 'libs'))
    .map((name) => join('libs', name, 'README.md'))
    .filter((path) => existsSync(join(ROOT, path))),
];

/** The anchors that GitHub gives to headings. */
const findAnchors = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Address of the published repository. READMEs in tarballs link there. */
const { homepage } = JSON.parse(read('package.json')) as { homepage: string };
const PUBLISHED = new RegExp(`^${homepage.replace(/#.*$/, '')}/(?:blob|tree)/main/`);

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to files and headings that exist', () => {
    const text = read(document).replace(/^```.*?^```$/gms, '');
    const links = [...text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)];
    const dead = links.filter(([, path = '', anchor]) => {
      const published = path.replace(PUBLISHED, '');
      if (published === path && /^https?:/.test(path)) return false;
      const target = path === '' ? document : published === path ? join(document, '..', path) : published;
      if (!existsSync(join(ROOT, target))) return true;
      if (anchor === 'readme') return false;
      return anchor !== undefined && !findAnchors(target).includes(anchor);
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });
});

describe('The sidebar of the site', () => {
  const sidebar = read('docs/.vitepress/sidebar.mjs');

  it('has each page of docs/, except decisions', () => {
    const pages = readdirSync(join(ROOT, 'docs')).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(pages.filter((name) => !sidebar.includes(`'${name.replace('.md', '')}')`))).toEqual([]);
  });

  it('links to pages that exist', () => {
    const paths = [...sidebar.matchAll(/page\('[^']*', '([^']*)'\)/g)].map(([, path = '']) => path);
    const dead = paths.filter(
      (path) => !existsSync(join(ROOT, 'docs', path.replace(/^$|\/$/, '$&README') + '.md')),
    );
    expect(paths.length).toBeGreaterThan(30);
    expect(dead).toEqual([]);
  });
});
