/** How a store is doing: of all accounts together, nothing of what is stored. */
export interface StorageFigures {
  /** Writes that were asked for and are not done. */
  writesWaiting: number;
  /** Connections that read, those of them at work, and reads that wait for one. */
  readers: number;
  readersBusy: number;
  readsWaiting: number;
  databaseBytes: number;
  walBytes: number;
  /** Of all images, sounds and files. */
  mediaBytes: number;
  freeDiskBytes: number;
  /** Batches whose traces metrics do not include yet. */
  rollupBatchesWaiting: number;
  /** Spans that a search for a text does not find yet. */
  textSpansWaiting: number;
  /** Deletions that are not done. */
  deletionsOpen: number;
  /** Browsers that are signed in. */
  browserSessions: number;
}
