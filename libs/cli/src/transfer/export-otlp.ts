import { CliError } from '../errors.js';
import type { CliIo } from '../io.js';
import { counted } from '../output/table.js';
import { CLEAR_LINE } from '../output/waiting-line.js';
import { readHeaders } from './otlp-words.js';
import { readOtlpTraces } from './otlp-traces.js';
import { splitLines } from './split-lines.js';

/** The export by OTLP stopped before the end. */
class OtlpExportCutError extends CliError {
  readonly code = 'CLI_OTLP_EXPORT_CUT';

  /** @param cursor after the last trace that was sent; `undefined` if none was */
  constructor(
    readonly traces: number,
    readonly cursor: string | undefined,
    reason: string,
    options: { cause: unknown },
  ) {
    const cure =
      cursor === undefined ? 'Start it again' : `Continue it with the same options and --cursor ${cursor}`;
    super(`The export stopped after ${counted(traces, 'trace')}: ${reason} ${cure}.`, options);
  }
}

/** The receiver refused some spans. */
export class OtlpSpansRefusedError extends CliError {
  readonly code = 'CLI_OTLP_SPANS_REFUSED';

  constructor(refused: number, reason: string) {
    super(
      `The receiver refused ${counted(refused, 'span')} and accepted the others: ${reason}. See its log; sending them again changes nothing.`,
    );
  }
}

export interface OtlpWords {
  readonly otlp: string;
  readonly otlpHeader?: readonly string[];
}

export interface OtlpExported {
  traces: number;
  spans: number;
  refused: number;
  /** The receiver's reason for refusing spans. */
  reason: string;
}

/** The waits between them grow to 15 seconds on average. */
const MOST_ATTEMPTS = 10;

/**
 * Sends the traces of an export to an OTLP receiver.
 *
 * @param open requests the export; called once the options are valid
 * @throws OtlpExportCutError with the cursor to continue from
 */
export async function exportByOtlp(
  { otlp, otlpHeader = [] }: OtlpWords,
  open: () => Promise<AsyncIterable<Uint8Array>>,
  io: CliIo,
): Promise<OtlpExported> {
  // Loaded on use: most commands do not need the service.
  const { OtlpSender, PendingSpans, toOtlpTarget } = await import('@dacapo/collector');
  const done: OtlpExported = { traces: 0, spans: 0, refused: 0, reason: '' };
  const headers = readHeaders('--otlp-header', otlpHeader);
  const target = toOtlpTarget('--otlp', { url: otlp, headers });
  const sender = new OtlpSender(target, {
    maxAttempts: MOST_ATTEMPTS,
    onRefused: (_, reason) => {
      done.reason ||= reason;
    },
  });
  const { signal } = new AbortController();
  /** Complete traces among the pending spans, and the cursor after the last of them. */
  let traces = 0;
  let behind: string | undefined;
  let cursor: string | undefined;
  const pending = new PendingSpans(async (spans) => {
    const { accepted, refused } = await sender.send(spans, signal);
    done.spans += accepted;
    done.refused += refused;
    done.traces += traces;
    traces = 0;
    cursor = behind;
    if (io.stderr.isTTY === true) io.stderr.write(`${CLEAR_LINE}${counted(done.spans, 'span')} sent`);
  });
  const chunks = await open();
  try {
    for await (const trace of readOtlpTraces(splitLines(chunks))) {
      // A request may end within a trace: a resumed export sends that trace again.
      for (const written of trace.spans) await pending.add(written);
      if (trace.cursor === undefined) continue;
      behind = trace.cursor;
      traces++;
    }
    await pending.send();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OtlpExportCutError(done.traces, cursor, reason.replace(/\.?$/, '.'), { cause });
  } finally {
    if (io.stderr.isTTY === true) io.stderr.write(CLEAR_LINE);
  }
  return done;
}
