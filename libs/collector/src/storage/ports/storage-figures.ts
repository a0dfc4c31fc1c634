/** Figures of a store over all accounts. They contain no stored data. */
export interface StorageFigures {
  /** Waiting writes. */
  writesWaiting: number;
  /** Connections for reads; how many of them are busy; and reads that wait for one. */
  readers: number;
  readersBusy: number;
  readsWaiting: number;
  databaseBytes: number;
  walBytes: number;
  /** Size of all images, sounds and files. */
  mediaBytes: number;
  freeDiskBytes: number;
  /** Batches that metrics do not include yet. */
  rollupBatchesWaiting: number;
  /** Spans that text search does not find yet. */
  textSpansWaiting: number;
  /** Unfinished deletions. */
  deletionsOpen: number;
  /** Signed-in browsers. */
  browserSessions: number;
}
