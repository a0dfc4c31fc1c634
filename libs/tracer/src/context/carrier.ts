/** What carries a position in a trace between processes: headers, or a message. */
export type Carrier = Readonly<Record<string, unknown>>;
