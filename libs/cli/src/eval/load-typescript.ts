import { createRequire, register } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CliIo } from '../io.js';
import { importModule } from '../replay/import-module.cjs';
import { TypeScriptLoaderMissingError } from './errors.js';

/** A way to load TypeScript. */
export interface TypeScriptLoader {
  readonly name: string;
  /** Replaces Node's `import` for a loader that only hooks `require`. */
  readonly importPath?: (path: string) => Promise<Record<string, unknown>>;
}

interface LoaderPackage {
  readonly name: string;
  /** @param require resolves from the eval file @param found path of the package's entry */
  register(require: NodeJS.Require, found: string, path: string): Promise<Omit<TypeScriptLoader, 'name'>>;
}

/** Packages that load TypeScript, in order of preference. */
const PACKAGES: readonly LoaderPackage[] = [
  {
    name: 'tsx',
    async register(_require, found) {
      await importModule(pathToFileURL(found).href);
      return {};
    },
  },
  {
    name: '@swc-node/register',
    register(_require, _found, path) {
      register('@swc-node/register/esm', pathToFileURL(path));
      return Promise.resolve({});
    },
  },
  {
    name: 'ts-node',
    register(require) {
      // Its hooks for ES modules break on current versions of Node.
      const compilerOptions = { module: 'CommonJS', moduleResolution: 'Node10' };
      (require('ts-node') as TsNode).register({ transpileOnly: true, compilerOptions });
      const importPath: TypeScriptLoader['importPath'] = (file) =>
        Promise.resolve({ default: require(file) as unknown });
      return Promise.resolve({ importPath });
    },
  },
];

interface TsNode {
  register(options: { readonly transpileOnly: true; readonly compilerOptions: object }): void;
}

const KNOWN_LOADERS = /tsx|ts-node|swc|jiti|esbuild|babel|typescript/;

/**
 * Prepares this process to load a TypeScript file with the loader that Node was started with, else with one that the project has
 * installed, else with Node's type stripping.
 *
 * @returns `undefined` for a file that is not TypeScript
 * @throws TypeScriptLoaderMissingError when nothing can load it
 */
export async function registerTypeScript(
  path: string,
  { env, execArgv = process.execArgv, stripsTypes = nodeStripsTypes() }: TypeScriptOptions,
): Promise<TypeScriptLoader | undefined> {
  if (!/^\.[mc]?ts$/.test(extname(path))) return undefined;
  const flags = [env['NODE_OPTIONS'] ?? '', ...execArgv].join(' ');
  if (KNOWN_LOADERS.test(flags)) return { name: 'the loader that Node was started with' };
  const require = createRequire(path);
  for (const loader of PACKAGES) {
    const found = resolveFrom(require, loader.name);
    if (found !== undefined) return { name: loader.name, ...(await loader.register(require, found, path)) };
  }
  if (stripsTypes) return { name: `Node ${process.versions.node}` };
  throw new TypeScriptLoaderMissingError(path);
}

export interface TypeScriptOptions {
  readonly env: CliIo['env'];
  /** Node's flags. */
  readonly execArgv?: readonly string[];
  /** Whether Node strips types. */
  readonly stripsTypes?: boolean;
}

function nodeStripsTypes(): boolean {
  const { typescript } = process.features as { typescript?: string | false };
  return typeof typescript === 'string';
}

function resolveFrom(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
