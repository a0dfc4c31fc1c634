import { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';
import { counted } from '../output/table.js';

/** Rejected rows that the message names. The printed result lists all. */
const NAMED_ROWS = 5;

/** The selection matches no recorded call, so the dataset is unchanged. */
export class NoCallsToAddError extends CliError {
  readonly code = 'CLI_NO_CALLS_TO_ADD';
  override readonly exitCode = EXIT_CODES.nothingToReplay;

  constructor(
    key: string,
    {
      isUnknown,
      similar,
      leftOut,
    }: { isUnknown: boolean; similar: string | undefined; leftOut: readonly string[] },
  ) {
    const name = JSON.stringify(key);
    const suggestion = similar === undefined ? [] : [`Did you mean ${JSON.stringify(similar)}?`];
    const why = leftOut.length === 0 ? '' : ` (skipped: ${leftOut.join(', ')})`;
    super(
      isUnknown
        ? [
            `Nothing to add: the account has no call with the key ${name}.`,
            ...suggestion,
            'Check its spelling, and that --url and the API key belong to the account that recorded it.',
          ].join(' ')
        : `Nothing to add: the selection has no call with the key ${name}${why}. Widen the selection.`,
    );
  }
}

/** Some rows of the file are not valid items. The others were added. */
export class RowsRejectedError extends CliError {
  readonly code = 'CLI_ROWS_REJECTED';

  constructor(rows: readonly { readonly row: number; readonly detail: string }[], added: number) {
    const named = rows.slice(0, NAMED_ROWS).map(({ row, detail }) => `row ${row}: ${detail}`);
    const more = rows.length > NAMED_ROWS ? `; and ${rows.length - NAMED_ROWS} more` : '';
    super(
      `${counted(rows.length, 'row')} rejected, ${counted(added, 'item')} added. ${named.join('; ')}${more}. ` +
        'Correct these rows and add them in a separate file. Added again, a row without an id becomes a second item.',
    );
  }
}
