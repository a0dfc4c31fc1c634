import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Export {
  readonly name: string;
  /** Name in its declaration. */
  readonly declared: string;
  readonly isType: boolean;
  /** Our file that declares it; absent for another package. */
  readonly source?: string;
}

const FROM = /^export (type )?\{([^}]*)\} from '([^']+)';$/gm;

const OWN = /^export (?:async |abstract )?(type|interface|class|function|const) (\w+)/gm;

/** The exports of an entry by name. */
function readExports(entry: string): Export[] {
  const text = read(entry);
  expect(text).not.toMatch(/^export \*/m);
  const own = [...text.matchAll(OWN)].map(([, kind = '', name = '']) => ({
    name,
    declared: name,
    isType: kind === 'type' || kind === 'interface',
    source: entry,
  }));
  const imported = [...text.matchAll(FROM)].flatMap(([, ofTypes, names = '', from = '']) =>
    names
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => {
        const [declared = '', name = declared] = one.replace(/^type /, '').split(' as ');
        const isType = ofTypes !== undefined || one.startsWith('type ');
        const source = join(dirname(entry), from.replace(/\.js$/, '.ts'));
        return { name, declared, isType, ...(from.startsWith('.') && { source }) };
      }),
  );
  return [...own, ...imported];
}

const libraries = readdirSync(join(ROOT, 'libs')).filter((name) =>
  existsSync(join(ROOT, `libs/${name}/src/index.ts`)),
);
const readEntries = (library: string, names: readonly string[]): Export[] =>
  names
    .map((name) => `libs/${library}/src/${name}.ts`)
    .filter((path) => existsSync(join(ROOT, path)))
    .flatMap(readExports);
const publicNames = (library: string): Export[] => readEntries(library, ['index', 'testing']);

describe.each(libraries)('what an application can import from @dacapo/%s', (library) => {
  it('exports nothing that only our own packages may use', () => {
    const internal = new Set(readEntries(library, ['internal']).map(({ name }) => name));
    expect(publicNames(library).filter(({ name }) => internal.has(name))).toEqual([]);
  });

  it('exports nothing that is declared as internal', () => {
    const internal = publicNames(library).filter(({ declared, source }) => {
      if (source === undefined) return false;
      const declaration = new RegExp(
        `/\\*\\*(?:(?!\\*/)[^])*@internal(?:(?!\\*/)[^])*\\*/\\s*export [a-z ]*\\b${declared}\\b`,
      );
      return declaration.test(read(source));
    });
    expect(internal).toEqual([]);
  });
});

const documents = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => read(`docs/${name}`))
  .join('\n');

/** The packages that applications import. Users cannot call what no guide mentions. */
describe.each(['tracer', 'nestjs'])('each class, function and constant of @dacapo/%s', (library) => {
  it('is an error or is named in a guide', () => {
    const undocumented = publicNames(library)
      .filter(({ name, isType }) => !isType && !name.endsWith('Error'))
      .filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(documents));
    expect(undocumented.map(({ name }) => name)).toEqual([]);
  });
});
