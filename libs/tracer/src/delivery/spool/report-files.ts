import { promises } from 'node:fs';
import { basename, join } from 'node:path';
import { newSpanId } from '@dacapo/protocol';
import { defaultSpoolRoot } from './default-spool-root.js';
import { orphanedFolders, removeFolder } from './orphans.js';
import { folderName, SpoolFolder } from './spool-folder.js';

/** A file with reports of a test run's items, whose process has ended. */
export interface OrphanedReports {
  readonly testRunId: string;
  readonly path: string;
  /** The folder of the process that wrote it. */
  readonly owner: string;
}

export interface ReportFilesSettings {
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** The folder of all spools; without it, the user's. */
  readonly spoolDir?: string | undefined;
  /** Keys whose files are taken over too. */
  readonly previousKeys?: readonly string[] | undefined;
  /** Names of folders whose files are taken over too. */
  readonly takeFrom?: readonly string[] | undefined;
}

/** The run's id, and a random one: moved between folders, two files of a run keep apart. */
const FILE_NAME = /^(.+)\.[0-9a-f]{16}\.reports\.ndjson$/;

/**
 * Files for reports of a test run's items. They are in the spool's folder of the service and key, so that they go under no
 * other key by themselves, and in it in a folder of this run's own.
 */
export class ReportFiles {
  /** The file to write to, once its folder is there. */
  readonly path: string;
  private readonly folder: SpoolFolder;
  private readonly others: readonly string[];

  constructor(
    private readonly testRunId: string,
    { serviceUrl, apiKey, spoolDir, previousKeys = [], takeFrom = [] }: ReportFilesSettings,
  ) {
    const root = spoolDir ?? defaultSpoolRoot();
    this.folder = SpoolFolder.of(root, serviceUrl, apiKey, () => undefined);
    const previous = previousKeys.map((key) => folderName(serviceUrl, key.trim()));
    this.others = [...previous, ...takeFrom]
      .map((name) => join(root, name))
      .filter((path) => path !== this.folder.shared);
    this.path = join(this.folder.own, `${encodeURIComponent(testRunId)}.${newSpanId()}.reports.ndjson`);
  }

  /** Makes the folder if it is not there. @throws what the file system says */
  ensure(): void {
    this.folder.ensure();
  }

  /** Moves what ended processes left of the run into this one's folder. Never rejects. @returns where it is now */
  async takeOver(): Promise<string[]> {
    const taken: string[] = [];
    for (const shared of [this.folder.shared, ...this.others]) {
      for await (const { testRunId, path: from, owner } of orphanedReports(shared)) {
        if (testRunId !== this.testRunId) continue;
        try {
          this.folder.ensure();
          const path = join(this.folder.own, basename(from));
          await promises.rename(from, path);
          taken.push(path);
          await removeFolder(owner);
        } catch {
          // Another process was faster, or this folder cannot be written: then the file stays where it is.
        }
      }
    }
    return taken;
  }

  /** Shows others that the run goes on. */
  touch(): void {
    this.folder.touch();
  }

  /** What is left may be taken over. */
  leave(): void {
    this.folder.leave();
  }
}

/** The run that a file has reports of; `undefined` when it is another file. */
export function parseTestRunId(fileName: string): string | undefined {
  const encoded = FILE_NAME.exec(fileName)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Files with reports that ended processes left in the folder of a service and key. Never throws. */
export async function* orphanedReports(shared: string): AsyncGenerator<OrphanedReports> {
  for await (const { owner, names } of orphanedFolders(shared)) {
    for (const name of names) {
      const testRunId = parseTestRunId(name);
      if (testRunId !== undefined) yield { testRunId, path: join(owner, name), owner };
    }
  }
}
