import { isJsonObject } from '@dacapo/protocol';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { ProjectUnreadableError } from './errors.js';

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

  /** @throws ProjectUnreadableError without a valid package.json */
  static async open(folder: string, sourceRoot?: string): Promise<Project> {
    const path = join(folder, 'package.json');
    try {
      const text = await readFile(path, 'utf8');
      const project = new Project(folder, readManifest(text), sourceRoot ?? 'src');
      return sourceRoot === undefined
        ? new Project(folder, project.manifest, await project.findSources())
        : project;
    } catch (cause) {
      throw new ProjectUnreadableError(path, { cause });
    }
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
  async read(path: string): Promise<string | undefined> {
    return this.has(path) ? readFile(join(this.folder, path), 'utf8') : undefined;
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

  private async findSources(): Promise<string> {
    const text = await this.read('nest-cli.json');
    const [, named] = /"sourceRoot"\s*:\s*"([^"]+)"/.exec(text ?? '') ?? [];
    return named ?? (this.has('src') ? 'src' : '.');
  }
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
