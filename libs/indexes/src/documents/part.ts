/** The text under one heading, before it is split by length. */
export interface Part {
  /** Its own heading and those above, the topmost first. */
  headings: string[];
  content: string;
  /** The end of a link, without `#`. */
  anchor?: string;
  /** The line at which the content begins, from 1. */
  line?: number;
}

export interface ReadText {
  /** The document's own title. */
  title?: string;
  parts: Part[];
}
