/** A part of a document under one heading. */
export interface Section {
  /** The document's title and the headings down to its own, joined by ` › `. */
  title: string;
  content: string;
  /** The end of a link to it, without `#`. */
  anchor?: string;
  /** The line of the document at which it begins, from 1. */
  line?: number;
}

export interface IndexedDocument {
  /** Its identity within the index: a path or an address. */
  source: string;
  title: string;
  /** SHA-256 of the upload. */
  hash: Uint8Array;
  sections: Section[];
}

export interface StoredSection extends Section {
  /** Sections of a document have ascending numbers. */
  section_no: number;
  document_no: number;
  source: string;
}

/** The vector that an embedder computed for a section. */
export interface SectionVector {
  section_no: number;
  document_no: number;
  vector: Float32Array;
}
