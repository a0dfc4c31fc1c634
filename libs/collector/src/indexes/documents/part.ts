/** A stretch of a document under one heading, before it is split by length. */
export interface Part {
  /** The headings above it and its own, the topmost first. */
  headings: string[];
  content: string;
  /** What a link to it ends with, without `#`. */
  anchor?: string;
  /** Of the document, where its content begins, from 1. */
  line?: number;
}

export interface ReadText {
  /** What the document calls itself. */
  title?: string;
  parts: Part[];
}
