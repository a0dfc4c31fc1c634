import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Export {
  readonly name: string;
  /** What it is called where it is declared. */
  readonly declared: string;
  readonly isType: boolean;
  /** The file of ours that it comes from; absent: another package. */
  readonly source?: string;
}

const FROM = /^export (type )?\{([^}]*)\} from '([^']+)';$/gm;

const OWN = /^export (?:async |abstract )?(type|interface|class|function|const) (\w+)/gm;

/** What an entry exports, each by its name. */
function exportsOf(entry: string): Export[] {
  const text = read(entry);
  expect(text).not.toMatch(/^export \*/m);
  const own = [...text.matchAll(OWN)].map(([, kind = '', name = '']) => ({
    ...{ name, declared: name, isType: kind === 'type' || kind === 'interface', source: entry },
  }));
  const given = [...text.matchAll(FROM)].flatMap(([, ofTypes, names = '', from = '']) =>
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
  return [...own, ...given];
}

const libraries = readdirSync(join(ROOT, 'libs')).filter((name) =>
  existsSync(join(ROOT, `libs/${name}/src/index.ts`)),
);
const entriesOf = (library: string, names: readonly string[]): Export[] =>
  names
    .map((name) => `libs/${library}/src/${name}.ts`)
    .filter((path) => existsSync(join(ROOT, path)))
    .flatMap(exportsOf);
const publicNames = (library: string): Export[] => entriesOf(library, ['index', 'testing']);

describe.each(libraries)('what an application can import from @dacapo/%s', (library) => {
  it('is by no name what only our own packages may use', () => {
    const internal = new Set(entriesOf(library, ['internal']).map(({ name }) => name));
    expect(publicNames(library).filter(({ name }) => internal.has(name))).toEqual([]);
  });

  it('is nothing that its declaration calls internal', () => {
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

/** The packages that an application is written with: what no guide tells of is nobody's to call. */
describe.each(['tracer', 'nestjs'])('each class, function and constant of @dacapo/%s', (library) => {
  it('is an error, or a guide names it', () => {
    const untold = publicNames(library)
      .filter(({ name, isType }) => !isType && !name.endsWith('Error'))
      .filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(documents));
    expect(untold.map(({ name }) => name)).toEqual([]);
  });
});
