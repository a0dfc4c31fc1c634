import { BatchCounter, batchFacts, type BatchTotals } from '../clients/batch-totals.js';
import type { AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { followBody, reviveResponse } from '../clients/response-body.js';
import { toFields, parsed } from '../readers.js';
import { singleText } from './single-text.js';
import { readUsage } from './usage.js';

/** `audio.speech.create`. */
export const SPEECH: ModelReader = {
  prompt: singleText('input').prompt,
  answer: () => ({}),
  followBody,
  revived: reviveResponse,
};

interface GatheredFile extends BatchTotals {
  readonly fileId: unknown;
}

/** `files.content`: the file may hold the results of a batch. */
export const FILE_CONTENT: ModelReader = {
  prompt: () => undefined,
  answer: (answer) => {
    const totals = answer as GatheredFile;
    return batchFacts(totals, totals.fileId);
  },
  gather: (fileId) => new ResultLines(fileId),
  followBody,
  revived: reviveResponse,
};

/** A longer line is no result of a batch that can be read. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** Reads the lines of a file as it comes, and adds up the results of a batch in it. */
class ResultLines implements AnswerGatherer {
  private readonly counter = new BatchCounter();
  private readonly decoder = new TextDecoder();
  private line = '';

  constructor(private readonly fileId: unknown) {}

  add(bytes: unknown): boolean {
    const [first = '', ...lines] = this.decoder.decode(bytes as Uint8Array, { stream: true }).split('\n');
    this.line += first;
    for (const line of lines) {
      this.addLine();
      this.line = line;
    }
    if (this.line.length > LONGEST_LINE) this.line = '';
    return true;
  }

  answer(): GatheredFile {
    this.addLine();
    this.line = '';
    return { ...this.counter.totals(), fileId: this.fileId };
  }

  private addLine(): void {
    const { custom_id: customId, response, error } = toFields(parsed(this.line));
    if (customId === undefined) return;
    const { status_code: status, body } = toFields(response);
    const { model, usage } = toFields(body);
    const hasFailed = response === undefined || response === null || toFields(error)['code'] !== undefined;
    if (hasFailed || (typeof status === 'number' && status >= 400)) this.counter.add('failed');
    else this.counter.add('completed', model, readUsage(usage));
  }
}
