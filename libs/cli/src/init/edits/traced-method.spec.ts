import { addTraced, findProviderMethods } from './traced-method.js';

const SERVICE = `import { Injectable } from '@nestjs/common';

@Injectable()
export class DeskService {
  first(): string {
    return this.second({ a: '}' });
  }

  /** class Hidden { third() {} } */
  @Cron('0 * * * *')
  async second<T>(value: T): Promise<{ a: string }> {
    const inner = { method() {} };
    if (inner) {
      await value;
    }
    return { a: '{' };
  }

  constructor(private readonly other: Other) {}
  onModuleInit() {}
  get third(): string { return ''; }
  private fourth() {}
  protected sixth() {}
  fifth = () => {};
}

export class NoProvider {
  method() {}
}
`;

const decorate = (source: string, name: string): string => {
  const method = findProviderMethods(source).find((one) => one.name === name);
  return method === undefined ? '' : addTraced(source, method);
};

describe('Methods that @Traced can record', () => {
  it('are the public ones of providers, without constructor and lifecycle hooks', () => {
    expect(findProviderMethods(SERVICE).map(({ name }) => name)).toEqual([
      'DeskService.first',
      'DeskService.second',
    ]);
  });

  it('get the decorator on a line of its own, also at the beginning of the class', () => {
    expect(decorate(SERVICE, 'DeskService.first')).toContain(
      'export class DeskService {\n  @Traced()\n  first(): string {\n',
    );
  });

  it('keep their other decorators', () => {
    expect(decorate(SERVICE, 'DeskService.second')).toContain(
      "  @Cron('0 * * * *')\n  @Traced()\n  async second<T>(",
    );
  });

  it('are traced already below a decorator of the method or the class', () => {
    const once = decorate(SERVICE, 'DeskService.first');
    expect(findProviderMethods(once).map(({ isTraced }) => isTraced)).toEqual([true, false]);
    const whole = SERVICE.replace('@Injectable()', "@Traced('desk')\n@Injectable()");
    expect(findProviderMethods(whole).every(({ isTraced }) => isTraced)).toBe(true);
  });

  it('share one import with what the file imports already', () => {
    const source = `import { TracerModule } from '@dacapo/nestjs';\n${SERVICE}`;
    expect(decorate(source, 'DeskService.first')).toContain(
      "import { Traced, TracerModule } from '@dacapo/nestjs';",
    );
  });

  it('get the decorator behind those on their own line', () => {
    const source = "@Injectable()\nclass Desk {\n  @Cron('0 * * * *') async sort() {}\n}\n";
    expect(decorate(source, 'Desk.sort')).toContain("  @Cron('0 * * * *') @Traced() async sort() {}");
    expect(findProviderMethods(decorate(source, 'Desk.sort'))).toMatchObject([{ isTraced: true }]);
  });

  it.each([
    '@Injectable({ scope: scopeOf() })\nclass Desk',
    '@Injectable()\n@Named(nameOf(Desk))\nexport abstract class Desk',
    '@Injectable()\nexport class Desk<T extends { a: () => void }> extends Base<Array<{ b: T }>>',
  ])('are found in each form of class: %s', (head) => {
    expect(
      findProviderMethods(`${head} {\n  sort<T extends { a: string }>(value: T): void {}\n}\n`),
    ).toMatchObject([{ name: 'Desk.sort', isTraced: false }]);
  });

  it('are not traced by a decorator of another method', () => {
    const source = '@Injectable()\nclass Desk {\n  @Traced()\n  private sort() {}\n\n  file() {}\n}\n';
    expect(findProviderMethods(source)).toMatchObject([{ name: 'Desk.file', isTraced: false }]);
  });
});
