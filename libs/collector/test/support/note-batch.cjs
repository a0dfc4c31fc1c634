'use strict';

// Stores the id of a batch in a PostgreSQL, as a collector does.
const { Client } = require('pg');

const [, , address, accountId] = process.argv;

void (async () => {
  const client = new Client({ connectionString: address });
  await client.connect();
  await client.query('INSERT INTO ingest_batches(account_id, batch_id, received_us) VALUES ($1, $2, $3)', [
    accountId,
    'a batch that arrives late',
    Date.now() * 1000,
  ]);
  await client.end();
})();
