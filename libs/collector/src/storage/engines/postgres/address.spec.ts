import { CollectorModule } from '@dacapo/collector';
import { maskAddress } from '../../mask-address.js';
import { isPostgresAddress, toPostgresAddress } from './address.js';

describe('the address of a database', () => {
  it.each([
    ['postgres://ann:secret@host/db', 'postgres://ann:***@host/db'],
    [
      'postgres://ann:se:cr@et/x@host:5432/db?sslmode=require',
      'postgres://ann:***@host:5432/db?sslmode=require',
    ],
    ['postgresql://ann@host/db', 'postgresql://ann@host/db'],
    [
      'postgres:///db?host=/run/pg&user=ann&password=secret&x=1',
      'postgres:///db?host=/run/pg&user=ann&password=***&x=1',
    ],
    ['postgres://ann@host/db?password=secret', 'postgres://ann@host/db?password=***'],
    ['mysql://ann:secret@host', 'mysql://ann:***@host'],
  ])('is shown without its password: %s', (address, shown) => {
    expect(maskAddress(address)).toBe(shown);
  });

  it.each([
    ['postgres://ann:secret@host/db', true],
    ['postgresql://host/db', true],
    ['postgres://ann@/db?host=%2Frun%2Fpg', true],
    ['postgres://host:port/db', false],
    ['mysql://host/db', false],
    ['sqlite', false],
  ])('is one that can be connected to: %s is %s', (text, isOne) => {
    expect(isPostgresAddress(text)).toBe(isOne);
  });

  it('is refused without its password in the message', () => {
    const address = 'postgres://ann:secret@host:port/db';
    for (const use of [
      () => toPostgresAddress(address),
      () => CollectorModule.forRoot({ storage: 'postgres://ann:secret@host:port/db' }),
    ]) {
      expect(use).toThrow('postgres://ann:***@host:port/db');
      expect(use).not.toThrow('secret');
    }
  });
});

it.each([0, 1, 2.5, 1001, NaN])('%d connections are refused', (storageConnections) => {
  const start = (): unknown => CollectorModule.forRoot({ storageConnections });
  expect(start).toThrow('storageConnections must be a whole number from 2 to 1000');
});
