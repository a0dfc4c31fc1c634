import { type Members, toMembers } from '@dacapo/protocol';
import { parsed } from '../readers.js';
import { BatchCounter, batchFacts, type BatchTotals } from './batch-totals.js';
import type { AnswerGatherer, ModelReader } from './model-method.js';
import { followBody, reviveResponse } from './response-body.js';

/** A longer line cannot be read as a batch result. */
const LONGEST_LINE = 16 * 1024 * 1024;

interface GatheredFile extends BatchTotals {
  readonly fileId: unknown;
}

/**
 * Reads files that may hold the results of a batch, one in each line.
 *
 * @param findId the id of the file that a request asks for
 * @param addLine counts the result in a line; a line without a result is skipped
 */
export function resultFile(
  findId: (request: unknown) => unknown,
  addLine: (counter: BatchCounter, line: Members) => void,
): ModelReader {
  return {
    prompt: () => undefined,
    answer: (answer) => {
      const totals = answer as GatheredFile;
      return batchFacts(totals, totals.fileId);
    },
    gather: (request) => new ResultLines(findId(request), addLine),
    followBody,
    revived: reviveResponse,
  };
}

/** Reads the lines of a file as it comes, and adds up the results of a batch in it. */
class ResultLines implements AnswerGatherer {
  private readonly counter = new BatchCounter();
  private readonly decoder = new TextDecoder();
  private line = '';

  constructor(
    private readonly fileId: unknown,
    private readonly addLine: (counter: BatchCounter, line: Members) => void,
  ) {}

  add(bytes: unknown): boolean {
    const [first = '', ...lines] = this.decoder.decode(bytes as Uint8Array, { stream: true }).split('\n');
    this.line += first;
    for (const line of lines) {
      this.endLine();
      this.line = line;
    }
    if (this.line.length > LONGEST_LINE) this.line = '';
    return true;
  }

  answer(): GatheredFile {
    this.endLine();
    return { ...this.counter.totals(), fileId: this.fileId };
  }

  private endLine(): void {
    this.addLine(this.counter, toMembers(parsed(this.line)));
    this.line = '';
  }
}
