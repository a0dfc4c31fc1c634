import type * as ClickHouse from '@clickhouse/client';
import { errorMessage, StorageError } from '../../../errors.js';
import { type ClickHouseAddress, toLogin } from './address.js';

/** Values of a statement by name: `{name:Type}` in its text. */
export type QueryParameters = Readonly<
  Record<string, string | number | readonly string[] | readonly number[]>
>;

const CURE = 'Check that ClickHouse runs, accepts connections and has disk space.';

/** Sends long lists in the body, because the length of a URL is limited. */
const CLIENT_OPTIONS = { use_multipart_params_auto: true, request_timeout: 120_000 };

/** All numbers of the schema are safe integers. */
const READ_SETTINGS = 'SETTINGS output_format_json_quote_64bit_integers = 0';

/** Half of a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The HTTP interface of one database. */
export class ClickHouseConnection {
  private constructor(private readonly client: ClickHouse.ClickHouseClient) {}

  /** @throws StorageError if the client is not installed */
  static async open(address: ClickHouseAddress): Promise<ClickHouseConnection> {
    const { ClickHouseLogLevel, createClient } = await loadClient();
    // Errors are thrown. The client's advice on settings is not for users of the service.
    const log = { level: ClickHouseLogLevel.OFF };
    return new ClickHouseConnection(createClient({ ...toLogin(address), ...CLIENT_OPTIONS, log }));
  }

  /** @throws StorageError */
  async all<R extends object>(query: string, parameters: QueryParameters = {}): Promise<R[]> {
    try {
      const result = await this.client.query({
        query: `${query} ${READ_SETTINGS}`,
        query_params: toWellFormed(parameters),
        format: 'JSONEachRow',
      });
      return await result.json<R>();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async get<R extends object>(query: string, parameters?: QueryParameters): Promise<R | undefined> {
    const [row] = await this.all<R>(query, parameters);
    return row;
  }

  /** @throws StorageError */
  async run(query: string, parameters: QueryParameters = {}): Promise<void> {
    try {
      await this.client.command({ query, query_params: toWellFormed(parameters) });
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /**
   * Inserts rows, and resolves when ClickHouse has stored them.
   *
   * @param rows values by column; a missing column gets its default
   * @param token a second insert with the same token does nothing
   * @throws StorageError
   */
  async insert(table: string, rows: readonly object[], token?: string): Promise<void> {
    if (rows.length === 0) return;
    // In the statement, because settings of a session would also apply to the next insert.
    const settings =
      token === undefined
        ? 'insert_deduplicate = 0'
        : `insert_deduplicate = 1, insert_deduplication_token = '${token}'`;
    const data = rows.map((row) => JSON.stringify(toWellFormed(row))).join('\n');
    await this.run(
      `INSERT INTO ${table} SETTINGS async_insert = 0, wait_for_async_insert = 1, ${settings} FORMAT JSONEachRow\n${data}`,
    );
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

async function loadClient(): Promise<typeof ClickHouse> {
  try {
    return await import('@clickhouse/client');
  } catch (error) {
    throw new StorageError(
      'the package @clickhouse/client is not installed',
      error,
      'Install it: npm install @clickhouse/client.',
    );
  }
}

function toWellFormed(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? value.replace(LONE_SURROGATE, '\uFFFD') : value,
    ]),
  );
}

function toStorageError(error: unknown): Error {
  return error instanceof StorageError ? error : new StorageError(errorMessage(error), error, CURE);
}
