import request from 'supertest';
import type { Desk, Limits } from '../../test/replayed-desk.js';
import {
  ann,
  Circle,
  Customer,
  Drawing,
  Drifted,
  Heir,
  Kept,
  Line,
  make,
  Parsed,
  replay,
  Square,
  TicketDto,
  Untyped,
  Vault,
} from '../../test/replayed-desk.js';

describe('replay of arguments whose classes have methods', () => {
  it('restores the class of a DTO from a pipe, with its nested classes in @Type', async () => {
    const body = { text: 'late', customer: { mail: 'ann@example.com' }, tags: 'a,b', due_date: 'today' };
    const { result, originalOutput, input } = await replay('title', async (_, server) => {
      await request(server).post('/tickets').send(body).expect(201);
    });
    expect(originalOutput).toBe('late of example.com [a|b] false ');
    expect(result).toBe(originalOutput);
    expect(input).toMatchObject([{ text: 'late', dueDate: 'today', tags: ['a', 'b'] }]);
  });

  it('keeps the recorded data: @Transform, @Exclude and the constructor do not run again', async () => {
    const lines = [new Line('tea', 250), Object.assign(new Line('cake', 0), { cents: -50 })];
    const ticket = make(TicketDto, { text: 'late', customer: ann(), tags: ['x'], lines, note: 'call' });
    const { result } = await replay('title', (desk) => desk.title(ticket));
    expect(result).toBe('late of example.com [x] true 250+-50');
  });

  it('keeps dates, bigints, maps, sets, URLs and shared references', async () => {
    const { result } = await replay('kept', (desk) => desk.kept(new Kept()));
    expect(result).toBe('0 7 1 true /c true f');
  });

  it('finds the classes of subtypes, and of items in lists and maps', async () => {
    const { result } = await replay('draw', (desk) =>
      desk.draw(
        make(Drawing, {
          shapes: [new Circle(1), new Square(2)],
          byName: new Map([['c', new Circle(3)]]),
          filled: true,
        }),
      ),
    );
    expect(result).toBe('1+16+9true');
  });

  it('keeps an object that its validation would reject today', async () => {
    const ticket = make(TicketDto, { text: 'no', customer: ann(), tags: [] });
    const { result, notes } = await replay('title', (desk) => desk.title(ticket));
    expect([result, notes]).toEqual(['no of example.com [] false ', undefined]);
    const parsed = await replay('parsed', (desk) => desk.parsed(make(Parsed, { text: '' })));
    expect([parsed.result, parsed.notes]).toEqual(['', undefined]);
  });

  it.each<[string, Parameters<typeof replay>[0], (desk: Desk) => unknown, string, RegExp]>([
    [
      'a property without @Type',
      'untyped',
      (desk) => desk.untyped(make(Untyped, { customer: ann() })),
      '/0/customer',
      /argument 1 at \/customer of Desk.untyped was of class Customer.*Put @Type\(\(\) => Customer\)/,
    ],
    [
      'a parameter without a class',
      'any',
      (desk) => desk.any({ of: new Line('tea', 1) }),
      '/0/of',
      /argument 1 at \/of of Desk.any was of class Line, .*adaptArgs, or add a codec for the class/,
    ],
    [
      'a list without a declared class of its items',
      'list',
      (desk) => desk.list([new Line('tea', 1)]),
      '/0/0',
      /argument 1 at \/0 of Desk.list was of class Line.*[Ll]ist it in TracerModule.forRoot\(\{ replayClasses: \[Line\] \}\)/,
    ],
    [
      'a parameter with its base class',
      'untyped',
      (desk) => desk.untyped(make(Heir, { customer: ann() })),
      '/0',
      /argument 1 of Desk.untyped was of class Heir, .*Declare Heir as the type of the parameter/,
    ],
  ])('refuses an object in %s, and reports its place', async (_, method, record, pointer, message) => {
    const { error } = await replay(method, record);
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer });
    expect((error as Error).message).toMatch(message);
  });

  it('finds a class that another method of the application declares', async () => {
    const { result } = await replay('any', (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }));
    expect(result).toBe('late');
  });

  it.each<[string, Parameters<typeof replay>[0], (desk: Desk) => unknown, unknown]>([
    ['the items of a list', 'list', (desk) => desk.list([new Line('tea', 7)]), 7],
    ['a member of a union', 'any', (desk) => desk.any({ of: new Square(2) }), '16'],
    [
      'an instance of a subclass',
      'untyped',
      (desk) => desk.untyped(make(Heir, { customer: ann() })),
      'example.com',
    ],
    [
      'a property without @Type',
      'untyped',
      (desk) => desk.untyped(make(Untyped, { customer: ann() })),
      'example.com',
    ],
  ])('restores %s with a class in replayClasses', async (_, method, record, expected) => {
    const { result, error } = await replay(method, record, { replayClasses: [Line, Square, Heir, Customer] });
    expect(error).toBeUndefined();
    expect(result).toBe(expected);
  });

  it('refuses an object if the application has two classes with its name', async () => {
    const other = { Line: class Line extends Circle {} }.Line;
    const { error } = await replay('list', (desk) => desk.list([new Line('tea', 7)]), {
      replayClasses: [Line, other],
    });
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer: '/0/0' });
    expect((error as Error).message).toContain('the application has several classes with that name');
  });

  it('prefers the declared class to others with the same name', async () => {
    const other = { Drifted: class Drifted extends Circle {} }.Drifted;
    const drifted = make(Drifted, { text: 'late' });
    const { result } = await replay('any', (desk) => desk.any({ of: drifted }, drifted), {
      replayClasses: [other],
    });
    expect(result).toBe('latelate');
  });

  it('ignores names that a minifier may have created', async () => {
    const { of: short } = { of: class Li extends Line {} };
    const { error } = await replay('list', (desk) => desk.list([new short('tea', 7)]), {
      replayClasses: [short],
    });
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS' });
  });

  it('finds the class of an object in any place that declares it', async () => {
    const drifted = make(Drifted, { text: 'late' });
    const { result } = await replay('any', (desk) => desk.any({ of: drifted }, drifted));
    expect(result).toBe('latelate');
  });

  it('passes objects from adaptArgs unchanged', async () => {
    const { result } = await replay('any', (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }), {
      adaptArgs: ([value]) => [{ of: make(Drifted, (value as { of: Drifted }).of) }],
    });
    expect(result).toBe('late');
  });

  it('refuses a recorded object that adaptArgs returns unchanged', async () => {
    const { error } = await replay('any', (desk) => desk.any({ of: new Line('tea', 1) }), {
      adaptArgs: ([value]) => [{ ...(value as object), more: 1 }],
    });
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer: '/0/of' });
  });

  it('needs no class for an object that adaptArgs drops', async () => {
    const { error } = await replay('any', (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }), {
      adaptArgs: () => [{ of: { title: () => 'new' } }],
    });
    expect(error).toBeUndefined();
  });

  it('refuses an object with rebuildArguments: false, unless adaptArgs creates it', async () => {
    const record = (desk: Desk) => desk.title(make(TicketDto, { text: 'late', customer: ann(), tags: [] }));
    const { error } = await replay('title', record, { rebuildArguments: false });
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer: '/0' });
    const { result } = await replay('title', record, {
      rebuildArguments: false,
      adaptArgs: () => [make(TicketDto, { text: 'new', customer: ann(), tags: [] })],
    });
    expect(result).toBe('new of example.com [] false ');
  });

  it('refuses a class with #private fields, which are not recorded, unless adaptArgs creates the object', async () => {
    const record = (desk: Desk) => desk.vault(new Vault().setPin('1234'));
    const refused = { error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } };
    expect(await replay('vault', record)).toMatchObject(refused);
    expect(await replay('vault', record, { adaptArgs: (args) => args })).toMatchObject(refused);
    expect(await replay('vault', record, { adaptArgs: () => [new Vault()] })).toMatchObject({
      result: '0000',
    });
  });

  it('keeps plain data, maps and sets unchanged', async () => {
    const plain: object = { limits: new Map([['a', 1]]), tags: new Set(['b']) };
    const { result } = await replay('limits', (desk) => desk.limits(plain as Limits));
    expect(result).toBe('false 1 true');
  });
});
