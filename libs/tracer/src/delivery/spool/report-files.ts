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
  /** The folder of all spools. Default: the user's. */
  readonly spoolDir?: string | undefined;
  /** Keys whose files are also taken over. */
  readonly previousKeys?: readonly string[] | undefined;
  /** Names of folders whose files are also taken over. */
  readonly takeFrom?: readonly string[] | undefined;
}

/** The run's id, and a random one: moved between folders, two files of a run keep apart. */
const FILE_NAME = /^(.+)\.[0-9a-f]{16}\.reports\.ndjson$/;

/**
 * Files for reports of a test run's items. They are in the spool's folder of the service and key, so that they are never sent
 * with another key automatically, in a separate folder for this run.
 */
export class ReportFiles {
  /** The file to write to; creates its folder. */
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

  /** Creates the folder if it does not exist. @throws errors of the file system */
  ensure(): void {
    this.folder.ensure();
  }

  /** Moves the run's files of ended processes to this process's folder. Never rejects. @returns the new paths */
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

  /** Shows other processes that the run continues. */
  touch(): void {
    this.folder.touch();
  }

  /** Allows other processes to take over the remaining files. */
  leave(): void {
    this.folder.leave();
  }
}

/** The run of a report file; `undefined` for other files. */
export function parseTestRunId(fileName: string): string | undefined {
  const encoded = FILE_NAME.exec(fileName)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Report files of ended processes in the folder of a service and key. Never throws. */
export async function* orphanedReports(shared: string): AsyncGenerator<OrphanedReports> {
  for await (const { owner, names } of orphanedFolders(shared)) {
    for (const name of names) {
      const testRunId = parseTestRunId(name);
      if (testRunId !== undefined) yield { testRunId, path: join(owner, name), owner };
    }
  }
}
