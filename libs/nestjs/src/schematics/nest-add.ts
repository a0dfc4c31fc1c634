/** The parts of a schematic's `Tree` and context that are used. The Nest CLI brings the devkit. */
interface Tree {
  exists(path: string): boolean;
  readText(path: string): string;
  overwrite(path: string, content: string): void;
  create(path: string, content: string): void;
}
interface Context {
  readonly logger: { info(message: string): void; warn(message: string): void };
}

interface NestAddOptions {
  /** Folder of the sources, as the Nest CLI passes it. Default: `src`. */
  readonly sourceRoot?: string;
}

const BY_HAND = "Add TracerModule.forRoot() from '@dacapo/nestjs' to the imports of your root module.";
const VARIABLES = 'TRACER_API_KEY=\nTRACER_SERVICE_URL=http://127.0.0.1:4100\n';

/**
 * Runs for `nest add @dacapo/nestjs`: adds `TracerModule` to the root module. Adds its variables to `.env.example` if the
 * application has that file or reads `.env`, which a stock application does not.
 */
export function nestAdd({ sourceRoot = 'src' }: NestAddOptions = {}): (tree: Tree, context: Context) => Tree {
  return (tree, { logger }) => {
    const path = `${sourceRoot}/app.module.ts`;
    const source = tree.exists(path) ? tree.readText(path) : undefined;
    const changed = source === undefined ? undefined : addTracerModule(source);
    if (changed === undefined) logger.warn(`${path} was not understood. ${BY_HAND}`);
    else if (changed === source) logger.info(`${path} imports TracerModule already.`);
    else tree.overwrite(path, changed);
    addVariables(tree);
    logger.info(
      'Set TRACER_API_KEY in the environment that the application starts in, and TRACER_SERVICE_URL unless the service is ' +
        'http://127.0.0.1:4100. Then decorate a method with @Traced() from @dacapo/nestjs.',
    );
    logger.info(
      'Call app.enableShutdownHooks() in main.ts, so that what waits is sent when the process is stopped.',
    );
    return tree;
  };
}

function addVariables(tree: Tree): void {
  const path = '.env.example';
  if (!tree.exists(path)) {
    if (readsEnvFiles(tree)) tree.create(path, VARIABLES);
  } else if (!tree.readText(path).includes('TRACER_API_KEY')) {
    tree.overwrite(path, `${tree.readText(path).replace(/\n*$/, '\n')}${VARIABLES}`);
  }
}

/** Searches package.json for packages and flags that read `.env`. */
function readsEnvFiles(tree: Tree): boolean {
  return (
    tree.exists('package.json') && /"(@nestjs\/config|dotenv)"|--env-file/.test(tree.readText('package.json'))
  );
}

/**
 * Adds `TracerModule.forRoot()` as the first import of a root module, unless the source has `TracerModule` already.
 *
 * @returns the new source; `undefined` when no `@Module({ … })` can be parsed
 */
export function addTracerModule(source: string): string | undefined {
  if (source.includes('TracerModule')) return source;
  const decorator = /@Module\(\s*\{/.exec(source);
  if (decorator === null) return undefined;
  const quote = /from\s+(['"])/.exec(source)?.[1] ?? "'";
  const inside = decorator.index + decorator[0].length;
  const withEntry = addEntry(source, inside);
  return withEntry && addImport(withEntry, `import { TracerModule } from ${quote}@dacapo/nestjs${quote}`);
}

function addEntry(source: string, inside: number): string | undefined {
  const properties = blankNested(source.slice(inside));
  const imports = /\bimports\b(\s*:\s*\[)?/.exec(properties);
  if (imports === null) {
    if (properties.includes('...')) return undefined;
    return `${source.slice(0, inside)}\n  imports: [TracerModule.forRoot()],${source.slice(inside)}`;
  }
  if (imports[1] === undefined) return undefined;
  const at = inside + imports.index + imports[0].length;
  const isEmpty = /^\s*\]/.test(source.slice(at));
  const indent = /^\r?\n\s*/.exec(source.slice(at))?.[0] ?? '';
  return `${source.slice(0, at)}${indent}TracerModule.forRoot()${isEmpty ? '' : indent === '' ? ', ' : ','}${source.slice(at)}`;
}

const TOKENS = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[^]*?\*\/|[^]/g;

/** Returns an object's text up to its end, with nested, quoted and commented parts replaced by blanks. */
function blankNested(text: string): string {
  let depth = 0;
  let own = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^[}\])]$/.test(token) && --depth < 0) break;
    own += depth === 0 && token.length === 1 ? token : ' '.repeat(token.length);
    if (/^[{[(]$/.test(token)) depth++;
  }
  return own;
}

/** Adds the statement below the last import, because a compiled `require` runs where it is written. Semicolon as in that import. */
function addImport(source: string, statement: string): string {
  const last = [...source.matchAll(/^import\b[^'"]*(['"])[^'"\n]*\1.*$/gm)].at(-1);
  if (last === undefined) return `${statement};\n${source}`;
  const end = last.index + last[0].length;
  return `${source.slice(0, end)}\n${statement}${last[0].includes(';') ? ';' : ''}${source.slice(end)}`;
}
