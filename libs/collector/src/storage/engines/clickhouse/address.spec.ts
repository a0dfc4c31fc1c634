import { CollectorModule } from '@dacapo/collector';
import { isClickHouseAddress, toClickHouseAddress, toLogin } from './address.js';

describe('the address of a ClickHouse database', () => {
  it.each([
    [
      'clickhouse://ann:s%40crecy@ch.example.com:9123/dacapo',
      {
        url: 'http://ch.example.com:9123',
        username: 'ann',
        password: 's@crecy',
        database: 'dacapo',
      },
    ],
    [
      'clickhouse://ch.example.com/dacapo?secure=true',
      { url: 'https://ch.example.com:8443', username: 'default', password: '', database: 'dacapo' },
    ],
    [
      'clickhouse://[::1]',
      { url: 'http://[::1]:8123', username: 'default', password: '', database: 'default' },
    ],
  ])('names server, user and database: %s', (address, login) => {
    expect(toLogin(toClickHouseAddress(address))).toEqual(login);
  });

  it.each([
    ['clickhouse://host/db', true],
    ['clickhouse://host:port/db', false],
    ['http://host:8123/db', false],
    ['postgres://host/db', false],
  ])('begins with clickhouse:// and has a port that is a number: %s is %s', (text, isOne) => {
    expect(isClickHouseAddress(text)).toBe(isOne);
  });

  it('is refused without its password in the message', () => {
    const address = 'clickhouse://ann:secret@host:port/db';
    for (const use of [
      () => toClickHouseAddress(address),
      () => CollectorModule.forRoot({ spans: 'clickhouse://ann:secret@host:port/db' }),
    ]) {
      expect(use).toThrow('clickhouse://ann:***@host:port/db');
      expect(use).not.toThrow('secret');
    }
  });
});
