import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import type { StopSignal } from './io.js';

/** Base of every error of the command. Its message ends with the cure; `code` stays the same across releases. */
export abstract class CliError extends Error {
  abstract readonly code: string;
  readonly exitCode: ExitCode = EXIT_CODES.failure;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The command line names a command, an option or a value that does not exist. */
export class UsageError extends CliError {
  readonly code = 'CLI_USAGE';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param command whose help says more */
  constructor(
    private readonly problem: string,
    command = 'dacapo',
  ) {
    super(`${problem} See \`${command} --help\`.`);
  }

  /** The same, of a command that was found on the command line. */
  of(command: string): UsageError {
    return new UsageError(this.problem, command);
  }
}

/** A command that asks the service was given no API key. */
export class ApiKeyMissingError extends CliError {
  readonly code = 'CLI_API_KEY_MISSING';
  override readonly exitCode = EXIT_CODES.usage;

  constructor() {
    super(
      'No API key. Set TRACER_API_KEY or pass --api-key: `dacapo serve` prints one on its first start, ' +
        'and the dashboard makes more.',
    );
  }
}

/** Nothing answered at the service's address, or not in time. */
export class ServiceUnreachableError extends CliError {
  readonly code = 'CLI_SERVICE_UNREACHABLE';
  override readonly exitCode = EXIT_CODES.unreachable;

  constructor(url: string, options: { cause: unknown }) {
    const reason = reasonOf(options.cause);
    const cure =
      reason === 'ERR_SSL_WRONG_VERSION_NUMBER'
        ? `The server there does not speak https. Write ${url.replace(/^https/, 'http')}.`
        : 'Start the service with `dacapo serve`, or name its address with --url or TRACER_SERVICE_URL.';
    super(`No answer from ${url} (${reason}). ${cure}`, options);
  }
}

/** The service answered with an error; `detail` is its own text. */
export class ServiceRefusedError extends CliError {
  readonly code = 'CLI_SERVICE_REFUSED';
  /** How long it wants to be left alone, where it says so. */
  readonly retryAfterS: number | undefined;

  constructor(
    readonly status: number,
    readonly detail: string,
    { retryAfterS }: { retryAfterS?: number } = {},
  ) {
    super(`The service answered ${status}: ${detail.replace(/\.$/, '')}. ${cureOf(status, detail)}`);
    this.retryAfterS = retryAfterS;
  }
}

/** What answered is no Dacapo service, or one of another version. */
export class UnexpectedAnswerError extends CliError {
  readonly code = 'CLI_UNEXPECTED_ANSWER';

  constructor(url: string, problem: string, options?: { cause: unknown }) {
    super(`${url} ${problem}. Check with --url that a Dacapo service is what listens there.`, options);
  }
}

/** Nothing waits in a spool folder of that name. */
export class SpoolFolderNotFoundError extends CliError {
  readonly code = 'CLI_SPOOL_FOLDER_NOT_FOUND';

  constructor(id: string, root: string) {
    super(`No folder ${id} in ${root}, or more than one. \`dacapo spool list\` shows what waits there.`);
  }
}

/** Not all records of a spool folder could be sent. */
export class SpoolNotSentError extends CliError {
  readonly code = 'CLI_SPOOL_NOT_SENT';

  constructor(delivered: number, waiting: number, cause: Error | undefined) {
    const why = cause === undefined ? 'The service did not take the rest in time.' : cause.message;
    super(`Sent ${delivered} records; ${waiting} still wait, under the given key. ${why}`, {
      cause,
    });
  }
}

/** The file or folder to index cannot be read. */
export class PathUnreadableError extends CliError {
  readonly code = 'CLI_PATH_UNREADABLE';

  constructor(path: string, options: { cause: unknown }) {
    super(`${path} cannot be read (${reasonOf(options.cause)}). Name a file or folder that exists.`, options);
  }
}

/** No file under the path can become a document. */
export class NoDocumentsError extends CliError {
  readonly code = 'CLI_NO_DOCUMENTS';

  constructor(path: string) {
    super(
      `Nothing to index under ${path}. Name documents (Markdown, HTML, text, OpenAPI, .d.ts), or a folder that holds some.`,
    );
  }
}

/** No `node_modules` from that folder upwards has the package. */
export class PackageNotFoundError extends CliError {
  readonly code = 'CLI_PACKAGE_NOT_FOUND';

  constructor(name: string, from: string) {
    super(
      `No package ${name} is installed in ${from} or above. Install it, or name its project with --from.`,
    );
  }
}

/** A program has no help to index, or cannot be started. */
export class NoHelpError extends CliError {
  readonly code = 'CLI_NO_HELP';

  constructor(command: string) {
    super(`\`${command} --help\` printed nothing. Give the name of a program on the PATH, or its path.`);
  }
}

/** Several indexes have the name that the command line gives. */
export class IndexAmbiguousError extends CliError {
  readonly code = 'CLI_INDEX_AMBIGUOUS';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(name: string, ids: readonly string[]) {
    super(`Several indexes are called ${name}: ${ids.join(', ')}. Give the id of one.`);
  }
}

/** What was given in place of the address of pages is none, or one that cannot be kept. */
export class AddressInvalidError extends CliError {
  readonly code = 'CLI_ADDRESS_INVALID';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(text: string, cure: string) {
    super(`${text} is not an address of web pages. ${cure}`);
  }
}

/** The page, sitemap or `llms.txt` of an index cannot be fetched or read. */
export class AddressUnreadableError extends CliError {
  readonly code = 'CLI_ADDRESS_UNREADABLE';

  constructor(url: string, reason: string) {
    super(
      `No page can be read from ${url}: ${reason}. The index keeps its documents. Correct the address, or try again later.`,
    );
  }
}

/** None of the pages of an address can become a document. */
export class NoPagesError extends CliError {
  readonly code = 'CLI_NO_PAGES';

  constructor(url: string, why: readonly { url: string; reason: string }[]) {
    const [first] = why;
    const reason = first === undefined ? 'it lists none' : `${first.url}: ${first.reason}`;
    const more = why.length > 1 ? `, and ${why.length - 1} more` : '';
    super(
      `No page of ${url} can become a document (${reason}${more}). The index keeps what it holds; name a page, a sitemap or an llms.txt with documents.`,
    );
  }
}

/** The index was made of files, and not of an address. */
export class NoAddressError extends CliError {
  readonly code = 'CLI_NO_ADDRESS';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(index: string) {
    super(`${index} comes from no address. Bring it up to date with the command that made it.`);
  }
}

/** Not all pages of an address were seen. */
export class PagesMissingError extends CliError {
  readonly code = 'CLI_PAGES_MISSING';
  override readonly exitCode: ExitCode;

  constructor(problem: string, signal: StopSignal | undefined) {
    super(`${problem}: the index keeps its former documents. Run \`dacapo indexes refresh\` to try again.`);
    this.exitCode = signal === undefined ? EXIT_CODES.failure : EXIT_CODES[signal];
  }
}

/** There is no BAML source under the path. */
export class NoBamlSourceError extends CliError {
  readonly code = 'CLI_NO_BAML_SOURCE';

  constructor(path: string) {
    super(`No BAML source in ${path}. Name a .baml file, or a folder that holds some.`);
  }
}

/** The source declares no function, or several, and the command line does not say which one. */
export class EntryAmbiguousError extends CliError {
  readonly code = 'CLI_ENTRY_AMBIGUOUS';

  constructor(path: string, functions: readonly string[]) {
    super(
      functions.length === 0
        ? `${path} declares no function. Add one: function Name(text: string) -> string { … }`
        : `${path} declares ${functions.join(', ')}. Choose one with --entry <function>.`,
    );
  }
}

/** A BAML source cannot be read as far as its types. */
export class BamlSyntaxError extends CliError {
  readonly code = 'CLI_BAML_SYNTAX';

  constructor(
    readonly line: number,
    problem: string,
  ) {
    super(`BAML source, line ${line}: ${problem}. Check it with: npx baml-cli check`);
  }
}

/** A file cannot be written. */
export class FileUnwritableError extends CliError {
  readonly code = 'CLI_FILE_UNWRITABLE';

  constructor(path: string, options: { cause: unknown }) {
    super(`${path} cannot be written (${reasonOf(options.cause)}). Name another.`, options);
  }
}

/** The stream of an export ended before its end. */
export class ExportCutError extends CliError {
  readonly code = 'CLI_EXPORT_CUT';

  /** @param path of the file that holds what came; absent: it went to stdout */
  constructor(
    readonly lines: number,
    path: string | undefined,
    options: { cause: unknown },
  ) {
    const cure =
      path === undefined
        ? 'Write it to a file with --output, so that --resume can continue it.'
        : `Continue it: dacapo export --output ${path} --resume`;
    super(`The export broke off after ${lines} lines (${reasonOf(options.cause)}). ${cure}`, options);
  }
}

/** Lines of a file that is imported are no records. The others were stored. */
export class LinesRejectedError extends CliError {
  readonly code = 'CLI_LINES_REJECTED';

  constructor(count: number, shown: readonly { detail: string }[]) {
    const first = shown.map(({ detail }) => detail).join('; ');
    super(
      `${count} ${count === 1 ? 'line was' : 'lines were'} rejected, the others are stored. ${first}. ` +
        'Correct them, then import the file again: nothing is stored twice.',
    );
  }
}

/** What cannot be undone was not confirmed. */
export class NotConfirmedError extends CliError {
  readonly code = 'CLI_NOT_CONFIRMED';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param isNobody there is no terminal at which somebody could be asked */
  constructor(what: string, isNobody: boolean) {
    super(
      isNobody
        ? `${what} Not a terminal, so nothing was done. Pass --yes to confirm.`
        : 'Nothing was done. Run the command again and answer y to confirm.',
    );
  }
}

/** `doctor` found something wrong; its report says what. */
export class ChecksFailedError extends CliError {
  readonly code = 'CLI_CHECKS_FAILED';

  constructor(failed: readonly string[]) {
    super(`Failed: ${failed.join(', ')}. The report above has the cures.`);
  }
}

/** The service's clock and this machine's are too far apart. */
export class ClockSkewError extends CliError {
  readonly code = 'CLI_CLOCK_SKEW';

  /** @param skewMs how far the service is ahead; negative when it is behind */
  constructor(readonly skewMs: number) {
    const seconds = Math.abs(Math.round(skewMs / 1000));
    super(
      `The service's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this one. ` +
        'Set both by NTP: "newest first" and durations across machines go by them.',
    );
  }
}

/** A span was sent and is not there to read. */
export class SpanLostError extends CliError {
  readonly code = 'CLI_SPAN_LOST';

  constructor(options?: { cause: Error }) {
    super(
      options
        ? `The test span was not delivered: ${options.cause.message}`
        : "The test span was delivered and cannot be read back. See the service's log.",
      options,
    );
  }
}

/** The short reason inside an error: its system code where it has one. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('cause' in error && typeof error.cause === 'object' && error.cause) return reasonOf(error.cause);
  return codeOf(error) ?? ('message' in error ? String(error.message) : 'unknown');
}

/** Any error's `code`, where that is text; errors of other realms and packages have one too. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function cureOf(status: number, detail: string): string {
  if (status === 401 || detail === 'No API key found') {
    return 'Pass a key of this service with --api-key or TRACER_API_KEY.';
  }
  if (detail.startsWith('User account not found'))
    return 'Its account was deleted; use a key of another account.';
  if (status === 403) return 'Pass such a key with --api-key or TRACER_API_KEY.';
  if (status === 429) return 'Wait as long as it says, then try again.';
  if (status === 404) return 'List what exists with the command `list`.';
  if (status >= 500) return "See the service's log, then try again.";
  return 'Correct the request and try again.';
}
