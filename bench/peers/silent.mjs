/** Discards output, because some SDKs print a line for each lost span. */
export const SILENT = ['ignore', 'ignore', 'ignore', 'ipc'];
