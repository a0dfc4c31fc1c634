export interface ReportOptions {
  /**
   * Whether inputs, outputs, messages of errors, labels and explanations are shown. Without them a report says where items
   * differ, and not how. Default: `true`.
   */
  showValues?: boolean;
}

export interface TextOptions extends ReportOptions {
  /** How many rows of items are listed. Default: 10. */
  maxItems?: number;
}

export interface MarkdownOptions extends ReportOptions {
  /** Default: 60,000, which a comment on GitHub can hold. Counts characters and bytes. Less than 2,000 is taken for 2,000. */
  maxCharacters?: number;
}

export interface HtmlOptions extends ReportOptions {
  /** Items without room are counted at the end. Default: 4,000,000. Less than 20,000 is taken for 20,000. */
  maxBytes?: number;
}
