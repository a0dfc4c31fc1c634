import { CliError } from '../errors.js';
import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import type { StopSignal } from '../io.js';

/** No file under the path can become a document. */
export class NoDocumentsError extends CliError {
  readonly code = 'CLI_NO_DOCUMENTS';

  constructor(path: string) {
    super(
      `Nothing to index under ${path}. Name a document (Markdown, HTML, text, OpenAPI, .d.ts), or a folder with documents.`,
    );
  }
}

/** No `node_modules` in that folder or above has the package. */
export class PackageNotFoundError extends CliError {
  readonly code = 'CLI_PACKAGE_NOT_FOUND';

  constructor(name: string, from: string) {
    super(
      `No package ${name} is installed in ${from} or above. Install it, or name its project with --from.`,
    );
  }
}

/** A program prints no help, or cannot be started. */
export class NoHelpError extends CliError {
  readonly code = 'CLI_NO_HELP';

  constructor(command: string) {
    super(`\`${command} --help\` printed nothing. Name a program on the PATH, or its path.`);
  }
}

/** Several indexes have the given name. */
export class IndexAmbiguousError extends CliError {
  readonly code = 'CLI_INDEX_AMBIGUOUS';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(name: string, ids: readonly string[]) {
    super(`Several indexes have the name "${name}": ${ids.join(', ')}. Use the id of one.`);
  }
}

/** The text is not an http(s) URL, is too long, or holds a password. */
export class AddressInvalidError extends CliError {
  readonly code = 'CLI_ADDRESS_INVALID';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(text: string, cure: string) {
    super(`${text} is not the address of a web page. ${cure}`);
  }
}

/** The page, sitemap or `llms.txt` of an index cannot be fetched or read. */
export class AddressUnreadableError extends CliError {
  readonly code = 'CLI_ADDRESS_UNREADABLE';

  constructor(url: string, reason: string) {
    super(
      `${url} cannot be read: ${reason}. The index keeps its documents. Correct the address, or try again later.`,
    );
  }
}

/** No page of an address can become a document. */
export class NoPagesError extends CliError {
  readonly code = 'CLI_NO_PAGES';

  constructor(url: string, why: readonly { url: string; reason: string }[]) {
    const [first] = why;
    const reason = first === undefined ? 'it lists no pages' : `${first.url}: ${first.reason}`;
    const more = why.length > 1 ? `, and ${why.length - 1} more` : '';
    super(
      `No page of ${url} can become a document (${reason}${more}). The index keeps its documents. Name a page, a sitemap or an llms.txt with documents.`,
    );
  }
}

/** The index was made from files, so it has no address to refresh from. */
export class NoAddressError extends CliError {
  readonly code = 'CLI_NO_ADDRESS';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(index: string) {
    super(`${index} was not created from an address. Update it with the command that created it.`);
  }
}

/** Some pages of an address were not fetched. */
export class PagesMissingError extends CliError {
  readonly code = 'CLI_PAGES_MISSING';
  override readonly exitCode: ExitCode;

  constructor(problem: string, signal: StopSignal | undefined) {
    super(
      `${problem}: the index keeps their previous versions. Run \`dacapo indexes refresh\` to try again.`,
    );
    this.exitCode = signal === undefined ? EXIT_CODES.failure : EXIT_CODES[signal];
  }
}
