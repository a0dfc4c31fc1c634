/** What the stand-in model server answers. Left out: the text `Hello.`, at once, with status 200. */
export interface ModelReply {
  text?: string;
  toolCalls?: { name: string; arguments: object }[];
  status?: number;
  /** Of an answer with another status than 200. */
  message?: string;
  headers?: Record<string, string>;
  /** A body that is no JSON. */
  malformed?: boolean;
  delayMs?: number;
  /** Of a stream: the connection ends after so many events. */
  breakAfter?: number;
  /** Of a stream: in place of the event at this place comes one that is no JSON. */
  malformedAt?: number;
  /** Of a stream: after so many events nothing comes any more. */
  hangAfter?: number;
  /** Never answers. */
  hang?: boolean;
}

/** Every answer says that it used these. */
export const USED = { input: 12, output: 9, cached: 4 };
