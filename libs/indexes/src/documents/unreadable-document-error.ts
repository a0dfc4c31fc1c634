/** The document cannot become part of an index. */
export class UnreadableDocumentError extends Error {}
