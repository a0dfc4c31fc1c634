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
      "import { TracerModule, Traced } from '@dacapo/nestjs';",
    );
  });
});
