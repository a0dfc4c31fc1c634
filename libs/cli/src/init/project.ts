import { isJsonObject } from '@dacapo/protocol';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { glob } from 'tinyglobby';
import { ProjectUnreadableError } from './errors.js';
import { checkInside, readIfThere } from './file-change.js';

export interface Manifest {
  readonly text: string;
  readonly isEsModule: boolean;
  /** Names of all packages that it depends on. */
  readonly packages: ReadonlySet<string>;
  readonly scripts: Readonly<Record<string, string>>;
}

/** An application's folder, as found. Paths are relative to it, with `/`. */
export class Project {
  private constructor(
    readonly folder: string,
    readonly manifest: Manifest,
    /** Folder of the sources, such as `src`. */
    readonly sourceRoot: string,
  ) {}

  /**
   * @throws ProjectUnreadableError without a valid package.json
   * @throws OutsideProjectError for sources outside of the folder, or behind a symbolic link
   */
  static async open(folder: string, sourceRoot?: string): Promise<Project> {
    const path = join(folder, 'package.json');
    let manifest: Manifest;
    try {
      manifest = readManifest(await readFile(path, 'utf8'));
    } catch (cause) {
      throw new ProjectUnreadableError(path, { cause });
    }
    const named = (sourceRoot ?? (await findSources(folder))).split(sep).join('/');
    await checkInside(folder, named);
    return new Project(folder, manifest, named);
  }

  get isNest(): boolean {
    return this.manifest.packages.has('@nestjs/core');
  }

  get isTypeScript(): boolean {
    return this.has('tsconfig.json');
  }

  /** Runs scripts and installs, such as `npm`. */
  get packageManager(): 'npm' | 'pnpm' | 'yarn' {
    if (this.has('pnpm-lock.yaml')) return 'pnpm';
    return this.has('yarn.lock') ? 'yarn' : 'npm';
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** Returns `undefined` if there is no such file. */
  read(path: string): Promise<string | undefined> {
    return readIfThere(join(this.folder, path));
  }

  /** TypeScript sources without tests and declarations. */
  async listSources(): Promise<string[]> {
    const paths = await glob([`${this.sourceRoot}/**/*.ts`], {
      cwd: this.folder,
      ignore: ['**/*.spec.ts', '**/*.test.ts', '**/*.d.ts', '**/node_modules/**'],
      followSymbolicLinks: false,
    });
    return paths.sort();
  }
}

async function findSources(folder: string): Promise<string> {
  const text = await readIfThere(join(folder, 'nest-cli.json'));
  const [, named] = /"sourceRoot"\s*:\s*"([^"]+)"/.exec(text ?? '') ?? [];
  return named ?? (existsSync(join(folder, 'src')) ? 'src' : '.');
}

function readManifest(text: string): Manifest {
  const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isJsonObject(json)) throw new Error('not a JSON object');
  const namesIn = (field: string): string[] => Object.keys(objectIn(json, field));
  return {
    text,
    isEsModule: json['type'] === 'module',
    packages: new Set([...namesIn('dependencies'), ...namesIn('devDependencies')]),
    scripts: Object.fromEntries(
      Object.entries(objectIn(json, 'scripts')).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
  };
}

function objectIn(json: Record<string, unknown>, field: string): Record<string, unknown> {
  const value = json[field];
  return isJsonObject(value) ? value : {};
}
