export interface ReportOptions {
  /**
   * Whether to show inputs, outputs, error messages, labels and explanations. Otherwise the report shows only where items differ.
   * Default: `true`.
   */
  showValues?: boolean;
}

export interface TextOptions extends ReportOptions {
  /** Maximum number of item rows. Default: 10. */
  maxItems?: number;
}

export interface MarkdownOptions extends ReportOptions {
  /** Maximum in characters and in bytes, at least 2,000. Default: 60,000, which fits into a GitHub comment. */
  maxCharacters?: number;
}

export interface HtmlOptions extends ReportOptions {
  /** Maximum size, at least 20,000. Items that do not fit are counted at the end. Default: 4,000,000. */
  maxBytes?: number;
}
